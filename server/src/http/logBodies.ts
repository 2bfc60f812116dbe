/** Reads the bodies in which log entries come, as they were packed: how is judged before how much. */
import type { FastifyRequest } from 'fastify';
import { requireKnownEncoding } from '../domain/logs/bodies.ts';
import { limits } from '../vocabulary.ts';
import { readWholeBody } from './wholeBodies.ts';

export type PackedBody = { body: Buffer; contentEncoding: string | undefined };

export async function readPackedBody(request: FastifyRequest): Promise<PackedBody> {
  const contentEncoding = request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  return { body: await readWholeBody(request, limits.logBatchBytesMax), contentEncoding };
}
