/** Log intake before V3: entries are mended rather than refused, for old clients resend a refused batch for ever. */
import type { FastifyRequest } from 'fastify';
import { decodeBody, parseBody } from '../../domain/logs/bodies.ts';
import { type IngestDeps, readTimeRange, takeOnce } from '../../domain/logs/ingest.ts';
import { mendItems } from '../../domain/logs/legacyItems.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { limits } from '../../vocabulary.ts';
import { levelSynonyms } from '../fieldSpellings.ts';
import { readIdempotencyKey } from '../handlers/logIntake.ts';
import { readLogTarget } from '../logTargets.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';
import { readWholeBody } from '../wholeBodies.ts';
import * as contract from './contract.ts';

export function handleLegacyLogs(deps: IngestDeps): HandledRoute[] {
  const take = async (request: FastifyRequest, caller: TokenPrincipal) => {
    const target = readLogTarget(request, caller, { badNameMeansDefault: true });
    const sent = await readWholeBody(request, limits.logBatchBytesMax);
    const body = await decodeBody(sent, request.headers['content-encoding']);
    const items = mendItems(parseBody(body), { range: readTimeRange(deps, target), levelSynonyms });
    // Nothing to store is fine, too.
    if (items.length === 0) return ok;
    const idempotencyKey = readIdempotencyKey(request, caller, 'legacy logs');
    const ingest = { ...target, body, contentEncoding: undefined, idempotencyKey };
    await takeOnce(deps, ingest, () => ({ items, parentIsFirst: false }));
    return ok;
  };
  return [
    handle(contract.ingestOne, async ({ caller, request }) => take(request, caller)),
    handle(contract.ingestBatch, async ({ caller, request }) => take(request, caller)),
  ];
}
