/** Log intake before V3: entries are mended rather than refused, for old clients resend a refused batch for ever. */
import { readContentType } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import type { Route } from '../../contract/route.ts';
import { type IngestDeps, ingestForeignLogs } from '../../domain/logs/intake/ingest.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { readBody } from '../logs/logBodies.ts';
import { readIdempotencyKey, readLogTarget } from '../logs/logTargets.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';
import * as contract from './contract.ts';
import { formOf } from './logReader.ts';

export function handleLegacyLogs(deps: IngestDeps): HandledRoute[] {
  const take = async (request: FastifyRequest, caller: TokenPrincipal, route: Route) => {
    const target = readLogTarget(request, caller, { badNameMeansDefault: true });
    using body = await readBody(request);
    const idempotencyKey = readIdempotencyKey(request, caller, route.id);
    const isForm = readContentType(request.headers) === 'application/x-www-form-urlencoded';
    const form = formOf({ isForm, isList: route === contract.ingestBatch });
    await ingestForeignLogs(deps, { ...target, body: body.bytes, idempotencyKey }, form);
    return ok;
  };
  return [
    handle(contract.ingestOne, async ({ caller, request }) => take(request, caller, contract.ingestOne)),
    handle(contract.ingestBatch, async ({ caller, request }) => take(request, caller, contract.ingestBatch)),
  ];
}
