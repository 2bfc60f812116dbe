/** Messages of the forward protocol: the handshake by a shared key, and what stands around the events. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject } from '@tapedeck/values/json';
import { ProtocolFailure } from '../reading/sentEntry.ts';
import type { EventForm } from './events.ts';
import { ValueReader, writeValue } from './msgpack.ts';

export function writeHelo(nonce: Buffer): Buffer {
  return writeValue(['HELO', { nonce, auth: '', keepalive: true }]);
}

type Ping = { clientName: string; salt: Buffer; digest: string };

/** Throws where the message is none. */
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

export type ForwardMessage = {
  tag: string;
  form: EventForm;
  events: Buffer;
  isPacked: boolean;
  /** The chunk to acknowledge; null: the client wants no acknowledgement. */
  chunk: string | null;
};

/** Throws where the message is none; null for a message without events, such as a heartbeat. */
export function readForwardMessage(bytes: Buffer): ForwardMessage | null {
  const reader = new ValueReader(bytes);
  const count = reader.readListHead();
  if (count === null) {
    if (reader.read() === null) return null;
    throw refuse();
  }
  if (count < 2 || count > 4) throw refuse();
  const tag = reader.readBytes();
  if (tag === null) throw refuse();
  const start = reader.position;
  const packed = reader.readBytes();
  if (packed !== null) {
    const options = count > 2 ? reader.read() : null;
    return { tag: tag.toString(), form: 'packed', events: packed, ...readOptions(options) };
  }
  const isList = Array.isArray(reader.read());
  if (isList) {
    const events = bytes.subarray(start, reader.position);
    return { tag: tag.toString(), form: 'list', events, ...readOptions(count > 2 ? reader.read() : null) };
  }
  if (count < 3) throw refuse();
  reader.read(); // the record
  const events = bytes.subarray(start, reader.position);
  return { tag: tag.toString(), form: 'single', events, ...readOptions(count > 3 ? reader.read() : null) };
}

function readOptions(options: unknown): Pick<ForwardMessage, 'chunk' | 'isPacked'> {
  if (!isObject(options)) return { chunk: null, isPacked: false };
  const { chunk, compressed } = options;
  return { chunk: typeof chunk === 'string' ? chunk : null, isPacked: compressed === 'gzip' };
}

export function writeAck(chunk: string): Buffer {
  return writeValue({ ack: chunk });
}

function refuse(): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'A message must be a list of a tag and its events.');
}
