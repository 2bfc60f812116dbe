/**
 * The short way in for log entries: a plain `POST /api/v3/logs` with a token that is known is stored before the router
 * sees it, by the functions that the router's handler calls. Whatever is not as plain, or is to be refused before its body
 * is read, goes on to the router, which answers the same, only slower.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { ingestLogs as route } from '../contract/logs.ts';
import type { AccessDirectory } from '../domain/access.ts';
import { type IngestDeps, ingestLogs } from '../domain/logs/ingest.ts';
import type { LogTarget } from '../domain/ports/logs.ts';
import { requireToken } from '../domain/principals.ts';
import { limits } from '../vocabulary.ts';
import { usualHeaders } from './answerHeaders.ts';
import { limitBodyIdle } from './bodyIdle.ts';
import { readAuthorization } from './callers.ts';
import type { Connections } from './connections.ts';
import { otherSitesHeaders } from './cors.ts';
import { rewriteDomainUrl } from './domains.ts';
import { describeFailure } from './failures.ts';
import { namesOneHost } from './hostHeader.ts';
import { readLogTarget } from './logTargets.ts';
import type { Metrics } from './metrics.ts';
import { ok } from './registry.ts';
import { chooseRequestId } from './requestIds.ts';
import { collect } from './wholeBodies.ts';

export type IntakeDoorDeps = IngestDeps & {
  access: AccessDirectory;
  metrics: Metrics;
  log: Logger;
  isRateLimited: boolean;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** Whether it took the request on. */
export type IntakeDoor = (exchange: Exchange, connections: Connections, bodyIdleMsMax: number) => boolean;

type Answer = { status: number; headers: readonly string[]; body: Buffer };

const contentType = 'application/json; charset=utf-8';
const plainTypes: ReadonlySet<string | undefined> = new Set(['application/json', contentType]);
/** What makes a request less plain than those that come by the thousand. */
const specialHeaders = ['transfer-encoding', 'content-encoding', 'idempotency-key', 'expect'];
const noQuery = {};

const usualLines = Object.entries({
  ...usualHeaders,
  ...otherSitesHeaders,
  'cache-control': 'no-store',
  'content-type': contentType,
}).flat();

const stored: Answer = { status: 200, headers: [], body: Buffer.from(JSON.stringify(ok)) };

export function openIntakeDoor(deps: IntakeDoorDeps): IntakeDoor {
  return ({ request, response }, connections, bodyIdleMsMax) => {
    if (request.method !== 'POST' || request.url !== route.path || deps.isRateLimited) return false;
    if (!isPlain(request) || rewriteDomainUrl(deps.access, request) !== route.path) return false;
    const target = admit(deps.access, request.headers);
    if (target === null) return false;
    const startedAt = performance.now();
    const requestId = chooseRequestId(request);
    const send = ({ status, headers, body }: Answer) => {
      if (response.headersSent) return;
      const head = [
        ...usualLines,
        ...headers,
        'x-request-id',
        requestId,
        'content-length',
        String(body.length),
      ];
      if (!request.complete || connections.closesAfter(request.socket)) head.push('connection', 'close');
      response.writeHead(status, head);
      response.end(body);
      deps.metrics.note({ method: 'POST', route: route.path, status }, performance.now() - startedAt);
    };
    const refuse = (error: unknown) => send(composeRefusal(deps.log, error, requestId));
    limitBodyIdle(request, bodyIdleMsMax, refuse);
    store(deps, target, request).then(
      () => send(stored),
      error => {
        // Nobody waits for an answer when the connection went in the middle of the body.
        if (!request.destroyed || request.complete) refuse(error);
      },
    );
    return true;
  };
}

async function store(deps: IngestDeps, target: LogTarget, request: IncomingMessage): Promise<void> {
  const body = await collect(request, limits.logBatchBytesMax);
  await ingestLogs(deps, { ...target, body, contentEncoding: undefined, idempotencyKey: null });
}

/** HTTP/1.1 with one Host, a body of JSON whose length is told and allowed, and nothing special. */
function isPlain(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  const length = Number(headers['content-length']);
  if (httpVersion !== '1.1' || !(length > 0 && length <= limits.logBatchBytesMax)) return false;
  if (!plainTypes.has(headers['content-type'])) return false;
  for (const name of specialHeaders) if (headers[name] !== undefined) return false;
  return namesOneHost(request);
}

/** null when there is a reason to refuse, for which the router has the words. */
function admit(access: AccessDirectory, headers: IncomingHttpHeaders): LogTarget | null {
  const text = readAuthorization({ headers });
  const token = text === null ? null : access.recall(text);
  if (token === null) return null;
  try {
    requireToken(token, route.access.kinds, route.access.action);
    return readLogTarget({ query: noQuery, headers }, token);
  } catch {
    return null;
  }
}

function composeRefusal(log: Logger, error: unknown, requestId: string): Answer {
  const { status, headers, body } = describeFailure(log, error, { requestId, route: route.path });
  return { status, headers: Object.entries(headers).flat(), body: Buffer.from(JSON.stringify(body)) };
}
