/**
 * Handles a batch of log entries whose body is complete, for the route and the fast path. The fast path handles a simple `POST /api/v3/logs`
 * with a known token, and the route handles everything else.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ingestLogs as route } from '@tapedeck/contract/logs';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import type { IngestRequest } from '@tapedeck/domain/logs/intake/ingest';
import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import type { FastPath } from '@tapedeck/fast-http';
import { type DecodedBody, requireKnownEncoding } from '@tapedeck/request-bodies';
import type { Tracer } from '@tapedeck/tracing';
import { chooseRequestId } from '@tapedeck/values/random-ids';
import type { Logger } from 'pino';
import { format } from '../../intake/batch/batchFormat.worker.ts';
import { type EntryIntakeDeps, takeEntries } from '../../intake/entryIntake.ts';
import { accessIntervalMs, admitToken, readAuthorization, recallToken } from '../authentication.ts';
import { openJsonResponses } from '../connection/rawResponses.ts';
import type { Metrics } from '../metrics.ts';
import { describeResponse } from '../requestSpans.ts';
import { jsonType } from '../responseHeaders.ts';
import { ok } from '../routing.ts';
import { decodeLogBody, readIdempotencyKey, readLogTarget } from './logRequests.ts';

const spelling = { format, options: {} };

type BatchRequest = Omit<IngestRequest, 'body'>;

export async function storeBatch(
  deps: EntryIntakeDeps,
  terms: BatchRequest,
  decoded: Promise<DecodedBody>,
): Promise<typeof ok> {
  using body = await decoded;
  await takeEntries(deps, { ...terms, body: body.bytes }, spelling);
  return ok;
}

export type DirectIntakeDeps = EntryIntakeDeps & {
  access: AccessDirectory;
  metrics: Metrics;
  counts: ProjectCounts;
  tracer: Tracer | null;
  log: Logger;
};

const plainTypes: ReadonlySet<string | undefined> = new Set([jsonType, 'application/json; charset=utf-8']);
const noQuery = {};
const storedText = JSON.stringify(ok);
const storedLength = String(storedText.length);

export function openDirectIntake(deps: DirectIntakeDeps): FastPath['admit'] {
  const { access, metrics } = deps;
  const { head, refuse } = openJsonResponses(route.path, deps);
  const stored = { status: 200, head, body: storedText };
  return ({ method, url, headers }) => {
    if (url !== route.path || access.rewritePath(url, headers.host) !== url) return null;
    const text = plainTypes.has(headers['content-type']) ? readAuthorization({ headers }) : null;
    const terms = text === null ? null : findTerms(access, text, headers);
    if (text === null || terms === null) return null;
    const startedAt = performance.now();
    const requestId = chooseRequestId(headers['x-request-id']);
    const store = async (bytes: Buffer) => {
      // During a slow upload the token may have ended.
      if (performance.now() - startedAt > accessIntervalMs) await admitToken(access, route.access, text);
      const sent = { bytes, contentEncoding: headers['content-encoding'], holder: terms.project };
      return await storeBatch(deps, terms, decodeLogBody(sent));
    };
    const respond = async (bytes: Buffer) => {
      const answer = await store(bytes).then(
        () => ({
          ...stored,
          headers: { 'x-request-id': requestId, 'content-length': storedLength },
        }),
        error => refuse(error, { id: requestId, project: terms.project }),
      );
      const { status } = answer;
      metrics.requests.note({ method, route: route.path, status }, performance.now() - startedAt);
      return answer;
    };
    const { tracer } = deps;
    if (tracer === null) return { holder: terms.project, take: respond };
    const span = tracer.begin({ name: method, kind: 'server', headers });
    const take = async (bytes: Buffer) => {
      const answer = await tracer.runIn(span, () => respond(bytes));
      const { status } = answer;
      span.end(describeResponse({ method, route: route.path, status, requestId, project: terms.project }));
      return answer;
    };
    return { holder: terms.project, take };
  };
}

/** Returns null for a request to refuse. The route then refuses it in its own words. */
function findTerms(access: AccessDirectory, text: string, headers: IncomingHttpHeaders): BatchRequest | null {
  try {
    const token = recallToken(access, route.access, text);
    if (token === null) return null;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) requireKnownEncoding(encoding);
    const target = readLogTarget({ query: noQuery, headers }, token);
    return { ...target, idempotencyKey: readIdempotencyKey({ headers }, token, 'logs') };
  } catch {
    return null;
  }
}
