/** Reads bodies from streams: whole within a limit, or chunk by chunk. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { takeTurns } from '@tapedeck/concurrency/turns';
import { GatheredBytes } from '@tapedeck/fast-http';
import { BodyFailure, brokenOffError } from './bodyFailure.ts';
import { HeldBytes, overloadedError, slowBodyError } from './bodyMemory.ts';

/** Throws if Content-Length exceeds `bytesMax`. Call it first to refuse long bodies unread. */
export function requireLength(headers: IncomingHttpHeaders, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLargeError(bytesMax);
}

/** A request, or another stream of bytes. */
type SentStream = Readable & { headers?: IncomingHttpHeaders };

/** Uses events, because iterating over a stream costs more than all other work on a small body. The bytes count toward the holder. */
export function readWhole(stream: SentStream, bytesMax: number, holder: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const declaredBytes = Number(stream.headers?.['content-length']);
  let gathered: GatheredBytes | null = null;
  /** A body in one chunk needs neither joining nor counting. */
  let whole: Buffer | null = null;
  let isOver = false;
  const endSlow = () => {
    stream.pause();
    fail(slowBodyError());
  };
  const fail = (error: BodyFailure) => {
    isOver = true;
    gathered?.drop();
    reject(error);
  };
  stream.on('data', (chunk: Buffer) => {
    if (isOver) return;
    if (gathered === null && chunk.length === declaredBytes && chunk.length <= bytesMax) {
      whole = chunk;
      return;
    }
    gathered ??= new GatheredBytes(new HeldBytes(holder, endSlow));
    const fits = gathered.add(chunk);
    const isTooLarge = gathered.length > bytesMax;
    if (fits && !isTooLarge) return;
    stream.pause();
    fail(isTooLarge ? tooLargeError(bytesMax) : overloadedError());
  });
  stream.once('end', () => {
    if (isOver) return;
    isOver = true;
    resolve(whole ?? gathered?.take() ?? Buffer.alloc(0));
  });
  stream.on('error', cause => fail(brokenOffError(cause)));
  const end = () => {
    if (!stream.readableEnded) fail(brokenOffError());
  };
  stream.once('close', end);
  if (stream.destroyed) end(); // already closed, so no `close` event will come
  return promise;
}

/**
 * Yields the chunks as they arrive. Keeps the stream open if the reader stops early, so that the server can still send a refusal. Takes turns,
 * because Node.js reads up to 2 MiB from a fast connection in one turn, and a reader may need milliseconds for each chunk.
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  const takeTurn = takeTurns(1);
  try {
    // By default, the iterator would close the connection before the refusal is sent.
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      yield chunk;
      const turn = takeTurn();
      if (turn !== null) await turn;
    }
  } catch (cause) {
    throw brokenOffError(cause);
  }
}

function tooLargeError(bytesMax: number): BodyFailure {
  return new BodyFailure('body_too_large', `The body may hold at most ${bytesMax} bytes; send it in parts.`);
}
