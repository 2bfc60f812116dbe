/** Reads the whole of a body that a handler takes as it comes, up to a limit. */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

export async function readWholeBody({ headers, body }: FastifyRequest, bytesMax: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  if (body === undefined || body === null) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  // Routes that stream hand the body on as it comes.
  for await (const chunk of body as Readable) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('body_too_large', `The body may hold at most ${bytesMax} bytes; send it in parts.`);
}
