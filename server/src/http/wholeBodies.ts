/** Reads the whole of a body that a handler takes as it comes, up to a limit. */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

export async function readWholeBody({ headers, body }: FastifyRequest, bytesMax: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  if (body === undefined || body === null) return Buffer.alloc(0);
  // Routes that stream hand the body on as it comes.
  return collect(body as Readable, bytesMax);
}

/** By events: iterating over a stream costs more than all else that is done with a small body. */
export function collect(stream: Readable, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else {
        stream.pause();
        reject(tooLarge(bytesMax));
      }
    });
    stream.once('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length));
    });
    stream.on('error', cause => reject(brokenOff(cause)));
    const end = () => {
      if (!stream.readableEnded) reject(brokenOff());
    };
    stream.once('close', end);
    if (stream.destroyed) end(); // it was closed while something else was waited for, and says so no more
  });
}

/** A client that goes away is no failure of the service. */
function brokenOff(cause?: unknown): ServiceError {
  return new ServiceError('bad_request', 'The body broke off; send it again.', { cause });
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('body_too_large', `The body may hold at most ${bytesMax} bytes; send it in parts.`);
}
