/** Reads from a request which dataset its log entries go to, and its Idempotency-Key. */
import type { FastifyRequest } from 'fastify';
import { isDatasetName, usualDataset } from '../../domain/datasetNames.ts';
import type { IdempotencyKey } from '../../domain/logs/intake/idempotency.ts';
import type { LogTarget } from '../../domain/ports/logs.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { ServiceError } from '../../vocabulary.ts';
import { readDatasetHeader } from '../fieldSpellings.ts';

/**
 * Takes the dataset from the query, else from the header, else the default. A bad name is returned as it is: it is refused
 * after the body was judged. With `badNameMeansDefault` it becomes the default, because clients of the oldest routes would
 * resend a refused request for ever.
 */
export function readLogTarget(
  request: Pick<FastifyRequest, 'query' | 'headers'>,
  token: TokenPrincipal,
  { badNameMeansDefault = false }: { badNameMeansDefault?: boolean } = {},
): LogTarget {
  // The contract's shape lets only a string through.
  const { dataset: asked } = request.query as { dataset?: string };
  let dataset = asked || readDatasetHeader(request.headers) || usualDataset;
  const isName = isDatasetName(dataset);
  if (!isName && badNameMeansDefault) dataset = usualDataset;
  if (isName || badNameMeansDefault) requireDataset(token, dataset);
  return { project: token.project.slug, dataset };
}

function requireDataset({ scopes }: TokenPrincipal, dataset: string): void {
  if (scopes.datasets === null || scopes.datasets.has(dataset)) return;
  throw new ServiceError('scope_missing', `The token is not for the dataset ${dataset}.`);
}

/** A key counts for its token and its route. An empty header is no key. */
export function readIdempotencyKey(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { id: tokenId }: TokenPrincipal,
  route: string,
): IdempotencyKey | null {
  const key = headers['idempotency-key'];
  return key === undefined || key === '' ? null : { tokenId, route, key: String(key) };
}
