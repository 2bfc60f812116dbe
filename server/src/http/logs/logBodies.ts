/** Reads the bodies of log requests, still encoded. Refuses in the order of CONTRACT.md, 3.1: 413, 415, 400. */
import type { FastifyRequest } from 'fastify';
import { requireKnownEncoding } from '../../domain/logs/intake/bodies.ts';
import { limits } from '../../vocabulary.ts';
import { requireJson } from '../bodies/declaredTypes.ts';
import { readWholeBody, requireLength } from '../bodies/wholeBodies.ts';

export type PackedBody = { body: Buffer; contentEncoding: string | undefined };

export async function readPackedJson(request: FastifyRequest): Promise<PackedBody> {
  requireLength(request, limits.logBatchBytesMax);
  requireJson(request);
  return readPackedBody(request);
}

/** Reads the body whatever content type it declares. */
export async function readPackedBody(request: FastifyRequest): Promise<PackedBody> {
  requireLength(request, limits.logBatchBytesMax);
  const contentEncoding = request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  return { body: await readWholeBody(request, limits.logBatchBytesMax), contentEncoding };
}
