/** Reads a streamed body whole, up to a limit. */
import type { Readable } from 'node:stream';
import { GatheredBytes } from '@tapedeck/fast-http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../vocabulary.ts';
import { holderOf } from '../holders.ts';
import { crowdedError, HeldBytes, slowBodyError } from './heldBytes.ts';

/** Throws 413 when Content-Length exceeds `bytesMax`. Handlers call it before they judge anything else. */
export function requireLength({ headers }: FastifyRequest, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLargeError(bytesMax);
}

export async function readWholeBody(request: FastifyRequest, bytesMax: number): Promise<Buffer> {
  requireLength(request, bytesMax);
  const { body } = request;
  if (body === undefined || body === null) return Buffer.alloc(0);
  // On a route that declares `stream` the body is the readable request.
  return collect(body as Readable, bytesMax, holderOf(request));
}

/**
 * Listens to events, because iterating over a stream costs more than everything else done with a small body. The bytes count
 * as the holder's.
 */
export function collect(stream: Readable, bytesMax: number, holder: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let isOver = false;
  const endSlow = () => {
    stream.pause();
    fail(slowBodyError());
  };
  const gathered = new GatheredBytes(new HeldBytes(holder, endSlow));
  const fail = (error: ServiceError) => {
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

/** A client that goes away is no failure of the service. */
function brokenOffError(cause?: unknown): ServiceError {
  return new ServiceError('bad_request', 'The body broke off; send it again.', { cause });
}

function tooLargeError(bytesMax: number): ServiceError {
  return new ServiceError('body_too_large', `The body may hold at most ${bytesMax} bytes; send it in parts.`);
}
