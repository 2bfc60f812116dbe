/** Reads bodies from streams: whole and within a bound, or chunk by chunk. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { GatheredBytes } from '@tapedeck/fast-http';
import { BodyFailure, brokenOffError } from './bodyFailure.ts';
import { crowdedError, HeldBytes, slowBodyError } from './heldBytes.ts';

/** Throws when Content-Length exceeds `bytesMax`: called first, it refuses long bodies unread. */
export function requireLength(headers: IncomingHttpHeaders, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLargeError(bytesMax);
}

/**
 * Listens to events, because iterating over a stream costs more than everything else done with a small body. The bytes count
 * as the holder's.
 */
export function readWhole(stream: Readable, bytesMax: number, holder: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let isOver = false;
  const endSlow = () => {
    stream.pause();
    fail(slowBodyError());
  };
  const gathered = new GatheredBytes(new HeldBytes(holder, endSlow));
  const fail = (error: BodyFailure) => {
    isOver = true;
    gathered.drop();
    reject(error);
  };
  stream.on('data', (chunk: Buffer) => {
    if (isOver) return;
    const isRoom = gathered.add(chunk);
    const isTooLarge = gathered.length > bytesMax;
    if (isRoom && !isTooLarge) return;
    stream.pause();
    fail(isTooLarge ? tooLargeError(bytesMax) : crowdedError());
  });
  stream.once('end', () => {
    if (isOver) return;
    isOver = true;
    resolve(gathered.take());
  });
  stream.on('error', cause => fail(brokenOffError(cause)));
  const end = () => {
    if (!stream.readableEnded) fail(brokenOffError());
  };
  stream.once('close', end);
  if (stream.destroyed) end(); // closed earlier, so that no `close` event will come
  return promise;
}

/** The chunks as they come. The stream stays open when the reader stops early, so that a refusal can still be answered. */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  try {
    // The default would close the connection under a refusal.
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw brokenOffError(cause);
  }
}

function tooLargeError(bytesMax: number): BodyFailure {
  return new BodyFailure('body_too_large', `The body may hold at most ${bytesMax} bytes; send it in parts.`);
}
