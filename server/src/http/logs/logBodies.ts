/** Reads the bodies of log requests and undoes their encoding. Refuses in the order of CONTRACT.md, 3.1: 413, 415, 400. */
import type { Readable } from 'node:stream';
import {
  type DecodedBody,
  decodeBody,
  readContentType,
  readWhole,
  requireKnownEncoding,
  requireLength,
  type SentBody,
} from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { limits, ServiceError } from '../../vocabulary.ts';
import { mayBeJson } from '../fieldSpellings.ts';
import { holderOf } from '../holders.ts';

const decodingOptions = { bytesMax: limits.logBatchBytesMax, briefBytesMax: limits.briefBodyBytesMax };

export async function readJsonBody(request: FastifyRequest): Promise<DecodedBody> {
  requireLength(request.headers, limits.logBatchBytesMax);
  if (!mayBeJson(readContentType(request.headers)))
    throw new ServiceError('unsupported_content_type', 'Send the entries as application/json.');
  return readBody(request);
}

/** Reads the body whatever content type it declares. */
export async function readBody(request: FastifyRequest): Promise<DecodedBody> {
  requireLength(request.headers, limits.logBatchBytesMax);
  const contentEncoding = request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  const holder = holderOf(request);
  // On a route that declares `stream` the body is the readable request, or absent.
  const body = request.body as Readable | null | undefined;
  const bytes = body ? await readWhole(body, limits.logBatchBytesMax, holder) : Buffer.alloc(0);
  return decodeLogBody({ bytes, contentEncoding, holder });
}

/** The caller disposes of it when its entries are stored or refused. */
export function decodeLogBody(sent: SentBody): Promise<DecodedBody> {
  return decodeBody(sent, decodingOptions);
}
