/** Splits the events of a forward message into portions that can be stored: a chunk may unpack to more than a request may hold. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createGunzip, createZstdDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { takeTurns } from '@tapedeck/concurrency/turns';
import { limits } from '@tapedeck/domain/vocabulary';
import { entryLimits } from '@tapedeck/log-entries';
import {
  detectPacking,
  type ForwardMessage,
  type Packing,
  ProtocolFailure,
  ValueReader,
  ValueScanner,
} from '@tapedeck/log-protocols';
import { GrowingBytes } from './growableBuffer.ts';

export type Portion = Pick<ForwardMessage, 'events' | 'form'>;

const decompress = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };
const openDecompression = { gzip: createGunzip, zstd: createZstdDecompress };
const unpackedBytesMax = 1024 ** 3; // no sender fills a chunk beyond this: it is a decompression bomb
const eventBytesMin = 3; // a list, a time and an empty record
const scannedBytes = 256 * 1024; // takes some milliseconds

export async function* readPortions(message: ForwardMessage): AsyncGenerator<Portion> {
  const { form } = message;
  const events = await unpackWhole(message);
  if (events !== null && (form === 'single' || events.length <= eventBytesMin * entryLimits.requestItemsMax))
    return yield { events, form };
  const packed = events === null || form === 'packed' ? events : skipHead(events);
  const { packing } = message;
  const parts =
    packed === null && packing !== null
      ? unpackSlowly(message.events, packing)
      : cutSteps(packed ?? message.events);
  for await (const portion of cutEvents(parts, nobody)) yield { events: portion, form: 'packed' };
}

/** Counts the memory of unstored events. */
type Held = { take(bytes: number): void; release(bytes: number): void };

const nobody: Held = { take: () => {}, release: () => {} };

/** Does the same for events that are still arriving, before their options are known. */
export async function* readArrivingPortions(
  events: AsyncIterable<Buffer>,
  held: Held,
): AsyncGenerator<Buffer> {
  const parts = events[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done) return;
  let head = first.value;
  while (head.length < packingBytes) {
    const next = await parts.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const all = follow(head, parts);
  const packing = detectPacking(head);
  yield* cutEvents(packing === null ? all : unpackSlowly(all, packing), held);
}

const packingBytes = 4; // enough to detect the compression

async function* follow(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Resolves to null if the events exceed one portion. */
async function unpackWhole({ events, packing }: ForwardMessage): Promise<Buffer | null> {
  if (packing === null) return events;
  try {
    return await decompress[packing](events, { maxOutputLength: limits.logBatchBytesMax });
  } catch (error) {
    if (error instanceof RangeError) return null; // zlib's error for it
    throw describeUnreadable(packing, error);
  }
}

async function* unpackSlowly(
  events: Buffer | AsyncIterable<Buffer>,
  packing: Packing,
): AsyncGenerator<Buffer> {
  const stream = openDecompression[packing]();
  const source = Readable.from(Buffer.isBuffer(events) ? [events] : events);
  source.once('error', error => stream.destroy(error)).pipe(stream);
  let bytes = 0;
  try {
    // The stream yields buffers.
    for await (const part of stream as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > unpackedBytesMax) break;
      yield part;
    }
  } catch (error) {
    if (error instanceof ProtocolFailure) throw error;
    throw describeUnreadable(packing, error);
  }
  if (bytes > unpackedBytesMax)
    throw new ProtocolFailure(
      'body_too_large',
      `The events decompress to more than ${unpackedBytesMax} bytes.`,
    );
}

function describeUnreadable(packing: string, cause: unknown): ProtocolFailure {
  return new ProtocolFailure('bad_request', `The compressed events are not valid ${packing}.`, { cause });
}

/** After its head, a list holds its events like a packed message. */
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

/** Yields whole events, up to the limits of a request. */
async function* cutEvents(parts: AsyncIterable<Buffer>, held: Held): AsyncGenerator<Buffer> {
  const incoming = new GrowingBytes();
  const takeTurn = takeTurns();
  let portion: Buffer[] = [];
  let bytes = 0;
  let scanner = new ValueScanner();
  try {
    for await (const part of parts) {
      held.take(part.length);
      bytes += part.length;
      incoming.add(part);
      for (;;) {
        const end = incoming.bytes.length < scanner.wantedBytes ? null : scanner.findEnd(incoming.bytes);
        if (end === null) break;
        const whole = bytes - incoming.bytes.length;
        if (whole + end > limits.logBatchBytesMax || portion.length === entryLimits.requestItemsMax) {
          yield Buffer.concat(portion);
          portion = [];
          held.release(whole);
          bytes -= whole;
        }
        portion.push(incoming.take(end));
        scanner = new ValueScanner();
        await takeTurn();
      }
      if (scanner.wantedBytes > limits.logBatchBytesMax)
        throw new ProtocolFailure(
          'body_too_large',
          `An event may hold at most ${limits.logBatchBytesMax} bytes.`,
        );
    }
    if (incoming.bytes.length > 0)
      throw new ProtocolFailure('bad_request', 'The last of the packed events is incomplete.');
    if (portion.length > 0) yield Buffer.concat(portion);
  } finally {
    held.release(bytes);
  }
}
