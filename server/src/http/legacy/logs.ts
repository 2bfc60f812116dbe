/** Log intake before V3. Repairs entries instead of rejecting them, because old clients resend a rejected batch forever. */

import type { Route } from '@tapedeck/contract/route';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { FastifyRequest } from 'fastify';
import { type EntryIntakeDeps, takeEntries } from '../../intake/entryIntake.ts';
import { readContentType } from '../connection/requestHeads.ts';
import { readBody, readIdempotencyKey, readLogTarget } from '../logs/logRequests.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import * as contract from './contract.ts';
import { format } from './legacyFormat.worker.ts';

export function handleLegacyLogs(deps: EntryIntakeDeps): HandledRoute[] {
  const take = async (request: FastifyRequest, caller: TokenPrincipal, route: Route) => {
    const target = readLogTarget(request, caller, { badNameMeansDefault: true });
    using body = await readBody(request);
    const idempotencyKey = readIdempotencyKey(request, caller, route.id);
    const isForm = readContentType(request.headers) === 'application/x-www-form-urlencoded';
    const options = { isForm, isList: route === contract.ingestBatch };
    await takeEntries(deps, { ...target, body: body.bytes, idempotencyKey }, { format, options });
    return ok;
  };
  return [
    handle(contract.ingestOne, async ({ caller, request }) => take(request, caller, contract.ingestOne)),
    handle(contract.ingestBatch, async ({ caller, request }) => take(request, caller, contract.ingestBatch)),
  ];
}
