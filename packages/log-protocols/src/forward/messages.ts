/** Reads messages of the forward protocol: the shared-key handshake and the envelope around the events. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject } from '@tapedeck/values/json';
import { ProtocolFailure } from '../reading/sentEntry.ts';
import type { EventForm } from './events.ts';
import { readHead, ValueReader, writeValue } from './msgpack.ts';

export function writeHelo(nonce: Buffer): Buffer {
  return writeValue(['HELO', { nonce, auth: '', keepalive: true }]);
}

type Ping = { clientName: string; salt: Buffer; digest: string };

/** Throws if the bytes are not a PING. */
export function readPing(bytes: Buffer): Ping {
  const reader = new ValueReader(bytes);
  const count = reader.readListHead();
  const isPing = count !== null && count >= 4 && reader.read() === 'PING';
  const [clientName, salt, digest] = isPing
    ? [reader.readBytes(), reader.readBytes(), reader.readBytes()]
    : [];
  if (!clientName || !salt || !digest)
    throw new ProtocolFailure('bad_request', 'The first message must be a PING with the shared key.');
  return { clientName: clientName.toString('utf8'), salt, digest: digest.toString('latin1') };
}

type Handshake = { nonce: Buffer; key: string };

export function isKnownKey({ clientName, salt, digest }: Ping, { nonce, key }: Handshake): boolean {
  const expected = Buffer.from(digestOf([salt, Buffer.from(clientName), nonce, Buffer.from(key)]));
  const given = Buffer.from(digest.toLowerCase(), 'latin1');
  return expected.length === given.length && timingSafeEqual(expected, given);
}

type Pong = { serverName: string; refusal: string | null };

export function writePong({ salt }: Ping, { nonce, key }: Handshake, { serverName, refusal }: Pong): Buffer {
  const digest = refusal === null ? digestOf([salt, Buffer.from(serverName), nonce, Buffer.from(key)]) : '';
  return writeValue(['PONG', refusal === null, refusal ?? '', serverName, digest]);
}

function digestOf(parts: readonly Buffer[]): string {
  return createHash('sha512').update(Buffer.concat(parts)).digest('hex');
}

export type Packing = 'gzip' | 'zstd';

export type ForwardMessage = {
  tag: string;
  form: EventForm;
  events: Buffer;
  /** How the events are compressed; null: uncompressed. */
  packing: Packing | null;
  /** The chunk to acknowledge; null: the client wants no acknowledgement. */
  chunk: string | null;
};

const optionsBytesMax = 16 * 1024; // senders write less than a hundred; an acknowledgement returns the chunk's name
const tagBytesMax = 16 * 1024;

/**
 * Returns null for a message without events, such as a heartbeat, and throws if the bytes are not a message. Leaves the events unread: they may take
 * ten megabytes. `itemEnds` come from the scanner that found the message.
 */
export function readForwardMessage(bytes: Buffer, itemEnds: readonly number[]): ForwardMessage | null {
  const reader = new ValueReader(bytes);
  const count = reader.readListHead();
  if (count === null) {
    if (bytes.length === 1 && reader.read() === null) return null;
    throw refuse();
  }
  if (count < 2 || count > 4) throw refuse();
  const tagBytes = reader.readBytes();
  if (tagBytes === null || tagBytes.length > tagBytesMax) throw refuse();
  const tag = tagBytes.toString();
  const start = reader.position;
  const packed = reader.readBytes();
  if (packed !== null)
    return { tag, form: 'packed', events: packed, ...readOptions(reader, bytes, count > 2) };
  const isList = reader.readListHead() !== null;
  if (!isList && count < 3) throw refuse();
  const end = itemEnds[isList ? 1 : 2] ?? bytes.length; // after the list or the record
  reader.skipTo(end);
  const options = readOptions(reader, bytes, count > (isList ? 2 : 3));
  return { tag, form: isList ? 'list' : 'single', events: bytes.subarray(start, end), ...options };
}

function readOptions(
  reader: ValueReader,
  bytes: Buffer,
  areThere: boolean,
): Pick<ForwardMessage, 'chunk' | 'packing'> {
  if (areThere && bytes.length - reader.position > optionsBytesMax)
    throw new ProtocolFailure(
      'bad_request',
      `The options of a message may hold at most ${optionsBytesMax} bytes.`,
    );
  const options = areThere ? reader.read() : null;
  if (!isObject(options)) return { chunk: null, packing: null };
  const { chunk, compressed = 'text' } = options;
  if (compressed !== 'text' && compressed !== 'gzip' && compressed !== 'zstd')
    throw new ProtocolFailure('bad_request', 'Events must be compressed with gzip or zstd, or not at all.');
  return {
    chunk: typeof chunk === 'string' ? chunk : null,
    packing: compressed === 'text' ? null : compressed,
  };
}

/** The start of a long message, before its events. `size` counts bytes of packed events, or events in a list. */
export type LongHead = {
  tag: string;
  form: 'packed' | 'list';
  size: number;
  headBytes: number;
  hasOptions: boolean;
};

/** Reads the start of a message. Returns null for a single event, or if the bytes are not a message. */
export function readLongHead(bytes: Buffer): LongHead | null {
  const reader = new ValueReader(bytes);
  const count = reader.readListHead();
  if (count === null || count < 2 || count > 3) return null;
  const tag = readHead(bytes, reader.position)?.size ?? 0;
  const tagBytes = tag > tagBytesMax ? null : reader.readBytes();
  if (tagBytes === null) return null;
  const head = readHead(bytes, reader.position);
  if (head === null || head.kind === 'map' || head.kind === 'nothing' || head.kind === 'extension')
    return null;
  return {
    tag: tagBytes.toString(),
    form: head.kind === 'list' ? 'list' : 'packed',
    size: head.size,
    headBytes: reader.position + head.headBytes,
    hasOptions: count > 2,
  };
}

/** Reads the chunk's name from a message's options. */
export function readChunkName(bytes: Buffer): string | null {
  const options = new ValueReader(bytes).read();
  return isObject(options) && typeof options.chunk === 'string' ? options.chunk : null;
}

const packings: readonly [packing: Packing, start: Buffer][] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];

/** Detects compression by the first bytes, which no event starts with. null: uncompressed. */
export function detectPacking(bytes: Buffer): Packing | null {
  return packings.find(([, start]) => start.equals(bytes.subarray(0, start.length)))?.[0] ?? null;
}

export function writeAck(chunk: string): Buffer {
  return writeValue({ ack: chunk });
}

function refuse(): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'A message must be a list of a tag and its events.');
}
