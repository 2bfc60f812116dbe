/** The door of Splunk's HTTP Event Collector. */
import { findSplunkCode } from '@tapedeck/log-protocols';
import type { SentDeps } from '../../intake/sent/takeSent.ts';
import { format } from '../../intake/splunk/splunkFormat.worker.ts';
import type { ErrorCode } from '../../vocabulary.ts';
import { type HandledRoute, handle, type SpellFailure } from '../registry.ts';
import { splunkEventRoutes, splunkHealthRoutes, splunkRawRoutes } from './contract.ts';
import { readDefaults, takeDoor } from './requests.ts';

const rawNames = ['host', 'source', 'sourcetype', 'index', 'time'];
const success = { text: 'Success', code: 0 };

export function handleSplunk(deps: SentDeps): HandledRoute[] {
  const takeFrom = (routes: typeof splunkEventRoutes, isRaw: boolean) =>
    routes.map(route => {
      const handled = handle(route, async call => {
        const raw = isRaw ? readDefaults(call.request, rawNames) : null;
        await takeDoor(deps, call, { format, options: { raw } });
        return success;
      });
      return { ...handled, spellFailure };
    });
  return [
    ...takeFrom(splunkEventRoutes, false),
    ...takeFrom(splunkRawRoutes, true),
    ...splunkHealthRoutes.map(route => handle(route, async () => ({ text: 'HEC is healthy', code: 17 }))),
  ];
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
