/**
 * Reads requests that send log entries: the dataset, the Idempotency-Key and the decoded body. Checks bodies in the order of CONTRACT.md, 3.1:
 * 413, 415, 400.
 */
import type { Readable } from 'node:stream';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import { isDatasetName, requireDatasetScope, usualDataset } from '@tapedeck/domain/logs/datasetRules';
import type { IdempotencyKey } from '@tapedeck/domain/logs/intake/idempotency';
import type { LogTarget } from '@tapedeck/domain/ports/logs';
import { limits, ServiceError } from '@tapedeck/domain/vocabulary';
import type { BodyEncoding } from '@tapedeck/log-protocols';
import {
  type DecodedBody,
  decodeBody,
  detectEncoding,
  readWhole,
  requireKnownEncoding,
  requireLength,
  type SentBody,
} from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { shareKeyOf } from '../authentication.ts';
import { readContentType, readDatasetHeader } from '../connection/requestHeads.ts';
import { mayBeJson } from '../fieldAliases.ts';

const decodingOptions = { bytesMax: limits.logBatchBytesMax, briefBytesMax: limits.briefBodyBytesMax };

/**
 * Takes the dataset from the query, else from the header, else the default. Returns a bad name unchanged, because the body is checked first.
 * With `badNameMeansDefault` a bad name becomes the default: clients of the oldest routes would resend a refused request forever.
 */
export function readLogTarget(
  request: Pick<FastifyRequest, 'query' | 'headers'>,
  token: TokenPrincipal,
  { badNameMeansDefault = false }: { badNameMeansDefault?: boolean } = {},
): LogTarget {
  // The contract's shape allows only a string.
  const { dataset: requested } = request.query as { dataset?: string };
  let dataset = requested || readDatasetHeader(request.headers) || usualDataset;
  const isName = isDatasetName(dataset);
  if (!isName && badNameMeansDefault) dataset = usualDataset;
  if (isName || badNameMeansDefault) requireDatasetScope(token.scopes, dataset);
  return { project: token.project.slug, dataset };
}

/** Keys are separate for each token and route. An empty header counts as no key. */
export function readIdempotencyKey(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { id: tokenId }: TokenPrincipal,
  route: string,
): IdempotencyKey | null {
  const key = headers['idempotency-key'];
  return key === undefined || key === '' ? null : { tokenId, route, key: String(key) };
}

export async function readJsonBody(request: FastifyRequest): Promise<DecodedBody> {
  requireLength(request.headers, limits.logBatchBytesMax);
  if (!mayBeJson(readContentType(request.headers)))
    throw new ServiceError('unsupported_content_type', 'Send the entries as application/json.');
  return readBody(request);
}

/** Reads the body, whatever its content type. */
export async function readBody(request: FastifyRequest): Promise<DecodedBody> {
  return readEncodedBody(request, 'declared');
}

export async function readEncodedBody(request: FastifyRequest, encoding: BodyEncoding): Promise<DecodedBody> {
  requireLength(request.headers, limits.logBatchBytesMax);
  const declared = encoding === 'declared' ? request.headers['content-encoding'] : undefined;
  if (declared !== undefined) requireKnownEncoding(declared);
  const holder = shareKeyOf(request);
  // On a route that declares `stream`, the body is the readable request, or absent.
  const body = request.body as Readable | null | undefined;
  const bytes = body ? await readWhole(body, limits.logBatchBytesMax, holder) : Buffer.alloc(0);
  const contentEncoding = encoding === 'detected' ? detectEncoding(bytes) : declared;
  return decodeLogBody({ bytes, contentEncoding, holder });
}

/** The caller disposes of the body once its entries are stored or refused. */
export async function decodeLogBody(sent: SentBody): Promise<DecodedBody> {
  const { bytes, contentEncoding } = sent;
  const isReady = contentEncoding === undefined && bytes.length <= decodingOptions.briefBytesMax;
  return isReady ? { bytes, [Symbol.dispose]() {} } : decodeBody(sent, decodingOptions);
}
