/** Where log entries go, as a request says it, and under which key. Of the dataset the query tells before the header, and that before the default. */
import type { FastifyRequest } from 'fastify';
import { isDatasetName, usualDataset } from '../../domain/datasetNames.ts';
import type { IdempotencyKey } from '../../domain/logs/idempotency.ts';
import type { LogTarget } from '../../domain/ports/logs.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { ServiceError } from '../../vocabulary.ts';
import { readDatasetHeader } from '../fieldSpellings.ts';

/**
 * Where entries go. A bad name is refused when the body is there, which may be refused for more; but not by the oldest
 * routes, whose clients would resend for ever.
 */
export function readLogTarget(
  request: Pick<FastifyRequest, 'query' | 'headers'>,
  token: TokenPrincipal,
  { badNameMeansDefault = false }: { badNameMeansDefault?: boolean } = {},
): LogTarget {
  // The contract's shapes let text through alone.
  const { dataset: asked } = request.query as { dataset?: string };
  let dataset = asked || readDatasetHeader(request.headers) || usualDataset;
  const isName = isDatasetName(dataset);
  if (!isName && badNameMeansDefault) dataset = usualDataset;
  if (isName || badNameMeansDefault) requireDataset(token, dataset);
  return { project: token.project.slug, dataset };
}

export function requireDataset({ scopes }: TokenPrincipal, dataset: string): void {
  if (scopes.datasets === null || scopes.datasets.has(dataset)) return;
  throw new ServiceError('scope_missing', `The token is not for the dataset ${dataset}.`);
}

/** A key is its token's, and the route's. An empty one is none. */
export function readIdempotencyKey(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { id: tokenId }: TokenPrincipal,
  route: string,
): IdempotencyKey | null {
  const key = headers['idempotency-key'];
  return key === undefined || key === '' ? null : { tokenId, route, key: String(key) };
}
