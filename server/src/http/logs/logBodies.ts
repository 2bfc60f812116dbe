/** Reads the bodies of log requests and undoes their encoding. Refuses in the order of CONTRACT.md, 3.1: 413, 415, 400. */
import type { FastifyRequest } from 'fastify';
import { limits } from '../../vocabulary.ts';
import { requireJson } from '../bodies/declaredTypes.ts';
import { type DecodedBody, decodeBody, requireKnownEncoding } from '../bodies/decoding.ts';
import { readWholeBody, requireLength } from '../bodies/wholeBodies.ts';
import { holderOf } from '../holders.ts';

export async function readJsonBody(request: FastifyRequest): Promise<DecodedBody> {
  requireLength(request, limits.logBatchBytesMax);
  requireJson(request);
  return readBody(request);
}

/** Reads the body whatever content type it declares. */
export async function readBody(request: FastifyRequest): Promise<DecodedBody> {
  requireLength(request, limits.logBatchBytesMax);
  const contentEncoding = request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  const bytes = await readWholeBody(request, limits.logBatchBytesMax);
  return decodeBody({ bytes, contentEncoding, holder: holderOf(request) });
}
