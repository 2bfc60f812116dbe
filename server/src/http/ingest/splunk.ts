/** The door of Splunk's HTTP Event Collector. */

import { parseBody } from '@tapedeck/log-entries';
import { findSplunkCode } from '@tapedeck/log-protocols';
import { isObject } from '@tapedeck/values/json';
import type { FastifyRequest } from 'fastify';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { format } from '../../intake/splunk/splunkFormat.worker.ts';
import { type ErrorCode, ServiceError } from '../../vocabulary.ts';
import { readBody } from '../logs/logRequests.ts';
import { type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { splunkAckRoute, splunkEventRoutes, splunkHealthRoutes, splunkRawRoutes } from './contract.ts';
import { ingestRequest, readDefaults } from './requests.ts';

const rawNames = ['host', 'source', 'sourcetype', 'index', 'time'];
const success = { text: 'Success', code: 0 };

let nextAckId = 0; // whatever was answered is safe, so that the numbers of a former process are as good

/** Only those who ask later whether their events are safe name one. */
function namesChannel({ headers, query }: FastifyRequest): boolean {
  return headers['x-splunk-request-channel'] !== undefined || Object.hasOwn(query as object, 'channel'); // texts by name
}

export function handleSplunk(deps: SentDeps): HandledRoute[] {
  const takeFrom = (routes: typeof splunkEventRoutes, isRaw: boolean) =>
    routes.map(route => {
      const handled = handle(route, async call => {
        const raw = isRaw ? readDefaults(call.request, rawNames) : null;
        await ingestRequest(deps, call, { format, options: { raw } });
        return namesChannel(call.request) ? { ...success, ackId: nextAckId++ } : success;
      });
      return { ...handled, spellFailure };
    });
  return [
    ...takeFrom(splunkEventRoutes, false),
    ...takeFrom(splunkRawRoutes, true),
    { ...handle(splunkAckRoute, async ({ request }) => confirmAcks(request)), spellFailure },
    ...splunkHealthRoutes.map(route => handle(route, async () => ({ text: 'HEC is healthy', code: 17 }))),
  ];
}

const acksMax = 10_000; // of one question; clients ask for what they have sent in seconds

async function confirmAcks(request: FastifyRequest): Promise<object> {
  using body = await readBody(request);
  const asked = parseBody(body.bytes);
  const ids = isObject(asked) && Array.isArray(asked.acks) ? asked.acks.filter(Number.isSafeInteger) : null;
  if (ids === null || ids.length > acksMax)
    throw new ServiceError('bad_request', `Ask for up to ${acksMax} numbers, as {"acks":[0]}.`);
  return { acks: Object.fromEntries(ids.map(id => [id, true])) };
}

/** The collector's numbers, with the status that goes with each. */
const replies: Readonly<Partial<Record<ErrorCode, [code: number, status: number]>>> = {
  token_missing: [2, 401],
  token_unknown: [4, 403],
  token_revoked: [4, 403],
  token_expired: [4, 403],
  wrong_token_kind: [4, 403],
  scope_missing: [7, 400],
  invalid_json: [6, 400],
};
const invalidData = 6;
const serverError = 8;
const serverBusy = 9;

const spellFailure: SpellFailure = ({ status: given, body }, { reply }) => {
  const [known, status = given] = replies[body.code] ?? [];
  const code = findSplunkCode(body.error) ?? known ?? numberStatus(given);
  reply.code(status);
  return JSON.stringify({
    ...{ text: body.error, code },
    ...(body.index !== undefined && { 'invalid-event-number': body.index }),
  });
};

function numberStatus(status: number): number {
  if (status === 500) return serverError;
  return status > 500 || status === 429 ? serverBusy : invalidData;
}
