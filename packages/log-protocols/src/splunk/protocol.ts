/** Defines Splunk's HTTP Event Collector. */

import { parseBody } from '@tapedeck/log-entries';
import { isObject } from '@tapedeck/values/json';
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  type ProtocolRequest,
  type QuestionRoute,
  readTexts,
  unpacksLittle,
} from '../protocol.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';
import { writeSplunkEvents } from './direct.ts';
import { findSplunkCode, readSplunkEvents, readSplunkRaw } from './reader.ts';

type SplunkOptions = {
  /** Fields in the address for raw lines; null: the body holds events. */
  raw: Readonly<Record<string, string>> | null;
};

const collector = '/services/collector';
const rawNames = ['host', 'source', 'sourcetype', 'index', 'time'];
const success = { text: 'Success', code: 0 };
const acksMax = 10_000; // per request; clients ask within seconds of sending

let nextAckId = 0; // only stored requests get an answer, so ids of an earlier process do no harm

/** The collector's codes with their statuses. */
const replies: Readonly<Record<string, readonly [code: number, status: number]>> = {
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
const healthy = 17;

export const splunk: Protocol<SplunkOptions> = {
  name: 'splunk',
  entryRoutes: [
    describeRoute('splunk_event', '', false),
    describeRoute('splunk_event_1', '/event', false),
    describeRoute('splunk_event_2', '/event/1.0', false),
    describeRoute('splunk_raw', '/raw', true),
    describeRoute('splunk_raw_1', '/raw/1.0', true),
  ],
  questionRoutes: [
    {
      id: 'splunk_ack',
      method: 'POST',
      path: `${collector}/ack`,
      summary: 'Says which events are stored: all that were answered.',
      needsToken: true,
      answer: (_request, body) => answerJson(200, confirmAcks(body)),
    },
    describeHealth('splunk_health', '/health'),
    describeHealth('splunk_health_1', '/health/1.0'),
  ],
  unpacksLarge: unpacksLittle,
  read(body, { raw }, rules) {
    const entries = raw === null ? readSplunkEvents(body, rules) : readSplunkRaw(body, raw, rules);
    return { entries, refusals: null };
  },
  write(task, body, { levels, options }) {
    const traceId = options.raw === null ? writeSplunkEvents(task, body, { levels }) : null;
    return traceId === null ? null : { traceId, shown: null };
  },
  refuse({ status: given, code: reason, sentence, index }) {
    const [known, status = given] = replies[reason] ?? [];
    const code = findSplunkCode(sentence) ?? known ?? numberStatus(given);
    return answerJson(status, { text: sentence, code, 'invalid-event-number': index });
  },
};

function describeRoute(id: string, end: string, isRaw: boolean) {
  return defineEntryRoute<SplunkOptions>({
    id,
    path: `${collector}${end}`,
    summary: isRaw ? "Raw lines for Splunk's collector." : "Events of Splunk's collector.",
    readOptions: request => ({ raw: isRaw ? readTexts(request, rawNames) : null }),
    answer: ({ request }) =>
      answerJson(200, namesChannel(request) ? { ...success, ackId: nextAckId++ } : success),
  });
}

function describeHealth(id: string, end: string): QuestionRoute {
  return {
    id,
    method: 'GET',
    path: `${collector}${end}`,
    summary: "The collector's health.",
    needsToken: false,
    answer: () => answerJson(200, { text: 'HEC is healthy', code: healthy }),
  };
}

/** Clients name a channel only if they will ask for acknowledgements. */
function namesChannel({ headers, query }: ProtocolRequest): boolean {
  return headers['x-splunk-request-channel'] !== undefined || Object.hasOwn(query, 'channel');
}

function confirmAcks(body: Buffer | null): object {
  const asked = body === null ? null : parseBody(body);
  const ids = isObject(asked) && Array.isArray(asked.acks) ? asked.acks.filter(Number.isSafeInteger) : null;
  if (ids === null || ids.length > acksMax)
    throw new ProtocolFailure('bad_request', `Ask for up to ${acksMax} numbers, as {"acks":[0]}.`);
  return { acks: Object.fromEntries(ids.map(id => [id, true])) };
}

function numberStatus(status: number): number {
  if (status === 500) return serverError;
  return status > 500 || status === 429 ? serverBusy : invalidData;
}
