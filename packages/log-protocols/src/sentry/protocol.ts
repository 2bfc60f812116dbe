/**
 * Defines Sentry's protocol. Error events, messages, users' feedback, structured logs and browsers' security reports become entries, and
 * attachments become files.
 * Sessions, transactions and the like are accepted and dropped.
 */

import { inflateSync } from 'node:zlib';
import { parseBody } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  type ProtocolAnswer,
  type ProtocolRequest,
  type QuestionRoute,
  type Refusal,
  readTexts,
  writeNothing,
} from '../protocol.ts';
import { describeValue } from '../reading/bodySplitting.ts';
import { ProtocolFailure, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { AttachmentSeparator } from './attachments.ts';
import { findDsnKey } from './dsn.ts';
import { type Envelope, parsePayload, readEnvelope } from './envelope.ts';
import { readEvent } from './event.ts';
import { describeFeedback, describeUserReport } from './feedback.ts';
import { readLogItem } from './logItems.ts';
import { readReports } from './security.ts';

type SentryOptions = {
  sent: 'envelope' | 'event' | 'reports';
  files: readonly JsonObject[];
  /** What the address says about all events in the body. */
  origin: JsonObject;
};

const missingSentence = 'Send an API token as the public key of the DSN: https://TOKEN@HOST/1.';
const minidumpSentence =
  'Minidumps cannot be read here. Send crashes as events of an envelope, with the exception and its stack.';
const summaries = {
  envelope: "Sentry's envelopes.",
  event: "Sentry's events, one a request.",
  reports: "Browsers' reports about violated security policies, as for Sentry.",
};
const originNames = ['sentry_release', 'sentry_environment'];
const usualPauseSeconds = 60;
const packedStart = Buffer.from('eJ'); // the start of zlib data in base64

export const sentry: Protocol<SentryOptions> = {
  name: 'sentry',
  entryRoutes: [
    describeRoute('sentry_envelope', '/api/{number}/envelope/', 'envelope'),
    describeRoute('sentry_envelope_bare', '/api/{number}/envelope', 'envelope'),
    describeRoute('sentry_store', '/api/{number}/store/', 'event'),
    describeRoute('sentry_store_bare', '/api/{number}/store', 'event'),
    describeRoute('sentry_security', '/api/{number}/security/', 'reports'),
    describeRoute('sentry_security_bare', '/api/{number}/security', 'reports'),
  ],
  questionRoutes: [
    describeMinidumps('sentry_minidump', '/api/{number}/minidump/'),
    describeMinidumps('sentry_minidump_bare', '/api/{number}/minidump'),
  ],
  unpacksLarge: (body, { sent }) => sent === 'event' && isPacked(body),
  read(body, options, rules) {
    const { id, entries } = readBody(body, options, rules);
    const refuse = (_: number, failure: Error) => {
      throw failure;
    };
    return { entries, refusals: { refuse, show: () => id } };
  },
  write: writeNothing,
  refuse,
};

function describeRoute(id: string, path: string, sent: SentryOptions['sent']) {
  return defineEntryRoute<SentryOptions>({
    id,
    path,
    summary: summaries[sent],
    tokenKinds: ['logs', 'sdk', 'webhook'],
    findBodyToken: findDsnKey,
    openSeparator: sent === 'envelope' ? () => new AttachmentSeparator(readsItem) : null,
    filesFolder: 'sentry',
    usesDatasetOfToken: true,
    readOptions: (request, files) => ({ sent, files, origin: readOrigin(request) }),
    // `read` returns the id. Envelopes without an event have none.
    answer: ({ shown }) => answerJson(200, typeof shown === 'string' ? { id: shown } : {}),
  });
}

/** Crash reporters fall silent after an answer of 200, so a dump that nothing can read is refused. */
function describeMinidumps(id: string, path: string): QuestionRoute {
  return {
    id,
    path,
    method: 'POST',
    needsToken: false,
    summary: 'Refuses minidumps.',
    answer: () => answerJson(400, { detail: minidumpSentence, causes: [] }),
  };
}

/** Browsers send reports without an SDK, so the address names the version. */
function readOrigin(request: ProtocolRequest): JsonObject {
  const { sentry_release: release, sentry_environment: environment } = readTexts(request, originNames);
  return { ...(release && { release }), ...(environment && { environment }) };
}

function readBody(
  body: Buffer,
  { sent, files, origin }: SentryOptions,
  rules: Wording & { bytesMax: number },
): Found {
  if (sent === 'envelope') return readEntries(readEnvelope(body), files, rules);
  if (sent === 'event') return readStored(parseBody(unpackStored(body, rules.bytesMax)), files, rules);
  const events = readReports(parseBody(body));
  return { id: null, entries: events.map(event => readEvent({ ...event, ...origin }, [], rules)) };
}

type Found = { id: string | null; entries: SentEntry[] };

/** How each kind of item that becomes one entry is read as an event. */
const eventReaders: ReadonlyMap<unknown, (payload: JsonObject) => JsonObject> = new Map([
  ['event', event => event],
  ['feedback', describeFeedback],
  ['user_report', describeUserReport],
]);

function readsItem(type: unknown): boolean {
  return type === 'log' || eventReaders.has(type);
}

function readEntries({ headers, items }: Envelope, files: readonly JsonObject[], wording: Wording): Found {
  const entries: SentEntry[] = [];
  let unnamed = files;
  items.forEach((item, position) => {
    const { type } = item.headers;
    if (type === 'log') entries.push(...readLogItem(parsePayload(item, position), wording));
    const describeEvent = eventReaders.get(type);
    if (describeEvent === undefined) return;
    entries.push(readEvent(describeEvent(parsePayload(item, position)), unnamed, wording));
    unnamed = []; // an envelope's attachments belong to its event
  });
  if (unnamed.length > 0) entries.push(readEvent(describeFiles(headers, unnamed), unnamed, wording));
  return { id: describeValue(headers.event_id) || null, entries };
}

/** Describes attachments without their event: some clients send large ones separately. */
function describeFiles({ event_id }: JsonObject, files: readonly JsonObject[]): JsonObject {
  return { level: 'info', message: files.map(({ filename }) => filename).join(', '), event_id };
}

function readStored(event: unknown, files: readonly JsonObject[], wording: Wording): Found {
  if (!isObject(event)) throw new ProtocolFailure('bad_request', 'The event must be a JSON object.');
  return { id: describeValue(event.event_id) || null, entries: [readEvent(event, files, wording)] };
}

/** The oldest clients send zlib-compressed events in base64 without declaring it. */
function isPacked(body: Buffer): boolean {
  return packedStart.equals(body.subarray(0, packedStart.length));
}

function unpackStored(body: Buffer, bytesMax: number): Buffer {
  if (!isPacked(body)) return body;
  try {
    return inflateSync(Buffer.from(body.toString('latin1'), 'base64'), { maxOutputLength: bytesMax });
  } catch (cause) {
    throw new ProtocolFailure(
      'bad_request',
      'The compressed event is not zlib data in base64, or it is too large.',
      {
        cause,
      },
    );
  }
}

/** Clients read the pause for each kind of item from a header. Without kinds, it applies to all. */
function refuse({ status, code, sentence, retryAfterSeconds }: Refusal): ProtocolAnswer {
  const detail = code === 'token_missing' ? missingSentence : sentence;
  const answer = answerJson(status, { detail, causes: [] });
  if (status !== 429) return answer;
  const limits = `${retryAfterSeconds ?? usualPauseSeconds}::organization`;
  return { ...answer, headers: { 'x-sentry-rate-limits': limits } };
}
