/** The events of a forward message in portions that can be stored: a chunk may unpack to more than a request may hold. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGunzip, createZstdDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { entryLimits } from '@tapedeck/log-entries';
import { type ForwardMessage, ProtocolFailure, ValueReader, ValueScanner } from '@tapedeck/log-protocols';
import { limits } from '../vocabulary.ts';
import { GrowingBytes } from './growingBytes.ts';

export type Portion = Pick<ForwardMessage, 'events' | 'form'>;

const decompress = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };
const openDecompression = { gzip: createGunzip, zstd: createZstdDecompress };
const unpackedBytesMax = 1024 ** 3; // beyond it no sender has filled a chunk: it is a bomb
const eventBytesMin = 3; // a list, a time and an empty record
const scannedBytes = 256 * 1024; // some milliseconds

export async function* readPortions(message: ForwardMessage): AsyncGenerator<Portion> {
  const { form } = message;
  const events = await unpackWhole(message);
  if (events !== null && (form === 'single' || events.length <= eventBytesMin * entryLimits.requestItemsMax))
    return yield { events, form };
  const packed = events === null || form === 'packed' ? events : skipHead(events);
  for await (const portion of cutEvents(packed === null ? unpackSlowly(message) : cutSteps(packed)))
    yield { events: portion, form: 'packed' };
}

/** null: it is more than one portion may hold. */
async function unpackWhole({ events, packing }: ForwardMessage): Promise<Buffer | null> {
  if (packing === null) return events;
  try {
    return await decompress[packing](events, { maxOutputLength: limits.logBatchBytesMax });
  } catch (error) {
    if (error instanceof RangeError) return null; // as zlib says it
    throw describeUnreadable(packing, error);
  }
}

async function* unpackSlowly({ events, packing }: ForwardMessage): AsyncGenerator<Buffer> {
  if (packing === null) throw new Error('what is not packed is whole');
  const stream = openDecompression[packing]();
  stream.end(events);
  let bytes = 0;
  try {
    // It gives buffers.
    for await (const part of stream as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > unpackedBytesMax) break;
      yield part;
    }
  } catch (error) {
    throw describeUnreadable(packing, error);
  }
  if (bytes > unpackedBytesMax)
    throw new ProtocolFailure('body_too_large', `The events are more than ${unpackedBytesMax} bytes.`);
}

function describeUnreadable(packing: string, cause: unknown): ProtocolFailure {
  return new ProtocolFailure('bad_request', `The packed events are not valid ${packing}.`, { cause });
}

/** The events of a list stand behind its head as packed ones do. */
function skipHead(events: Buffer): Buffer {
  const reader = new ValueReader(events);
  reader.readListHead();
  return events.subarray(reader.position);
}

async function* cutSteps(events: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < events.length; at += scannedBytes) {
    yield events.subarray(at, at + scannedBytes);
    await nextTurn();
  }
}

/** Whole events, as many as a request may hold. */
async function* cutEvents(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const incoming = new GrowingBytes();
  let scanner = new ValueScanner();
  let portion: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    incoming.add(part);
    for (;;) {
      const end = incoming.bytes.length < scanner.wantedBytes ? null : scanner.findEnd(incoming.bytes);
      if (end === null) break;
      if (bytes + end > limits.logBatchBytesMax || portion.length === entryLimits.requestItemsMax) {
        yield Buffer.concat(portion);
        portion = [];
        bytes = 0;
      }
      portion.push(incoming.take(end));
      bytes += end;
      scanner = new ValueScanner();
    }
    if (scanner.wantedBytes > limits.logBatchBytesMax)
      throw new ProtocolFailure(
        'body_too_large',
        `An event may hold at most ${limits.logBatchBytesMax} bytes.`,
      );
  }
  if (incoming.bytes.length > 0)
    throw new ProtocolFailure('bad_request', 'The last of the packed events is not whole.');
  if (portion.length > 0) yield Buffer.concat(portion);
}
