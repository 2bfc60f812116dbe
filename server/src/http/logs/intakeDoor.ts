/**
 * The short ways in for log entries: a plain `POST /api/v3/logs` with a token that is known is stored before the router, or
 * even Node.js's server, sees it, by the functions that the router's handler calls. Whatever is not as plain, or is to be
 * refused before its body is read, goes on to the router, which answers the same, only slower.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Connections, PlainDoor } from '@tapedeck/fast-http';
import { limitBodyIdle, readWhole, requireKnownEncoding } from '@tapedeck/request-bodies';
import type { Logger } from 'pino';
import { ingestLogs as route } from '../../contract/logs.ts';
import type { AccessDirectory } from '../../domain/access.ts';
import { type IngestDeps, type IngestRequest, ingestLogs } from '../../domain/logs/intake/ingest.ts';
import type { LogTarget } from '../../domain/ports/logs.ts';
import { requireToken, type TokenPrincipal } from '../../domain/principals.ts';
import { limits } from '../../vocabulary.ts';
import { accessIntervalMs } from '../accessWatch.ts';
import { jsonType } from '../answerHeaders.ts';
import { readAuthorization } from '../callers.ts';
import { type BareAnswer, composeRefusal, listHeaders, spellAnswer } from '../connection/bareAnswers.ts';
import { namesOneHost } from '../connection/hostHeader.ts';
import { lingerAtEnd } from '../connection/lingering.ts';
import { rewriteDomainUrl } from '../domains.ts';
import type { Metrics } from '../metrics.ts';
import { ok } from '../registry.ts';
import { chooseRequestId } from '../requestIds.ts';
import { decodeLogBody } from './logBodies.ts';
import { readIdempotencyKey, readLogTarget } from './logTargets.ts';

export type IntakeDoorDeps = IngestDeps & {
  access: AccessDirectory;
  metrics: Metrics;
  log: Logger;
  isRateLimited: boolean;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** Returns whether it took the request. */
export type IntakeDoor = (exchange: Exchange, connections: Connections, bodyIdleMsMax: number) => boolean;

const plainTypes: ReadonlySet<string | undefined> = new Set([jsonType, 'application/json; charset=utf-8']);
/** A request with one of these headers goes to the router. */
const lessPlainHeaders = ['transfer-encoding', 'expect'];
const noQuery = {};

const storedText = JSON.stringify(ok);
const stored: BareAnswer = { status: 200, headers: [], body: Buffer.from(storedText) };

/** For requests on connections that Node.js's server reads. */
export function openIntakeDoor(deps: IntakeDoorDeps): IntakeDoor {
  return ({ request, response }, connections, bodyIdleMsMax) => {
    if (request.httpVersion !== '1.1' || !namesOneHost(request)) return false;
    const admitted = admit(deps, request);
    if (admitted === null) return false;
    const startedAt = performance.now();
    const requestId = chooseRequestId(request);
    const send = (answer: BareAnswer) => {
      if (response.headersSent) return;
      const head = listHeaders(answer, requestId);
      // A body that was not read to its end cannot be followed by another request.
      if (!request.complete) lingerAtEnd(request.socket);
      if (!request.complete || connections.closesAfter(request.socket)) head.push('Connection', 'close');
      response.writeHead(answer.status, head);
      response.end(answer.body);
      note(deps, answer.status, startedAt);
    };
    const refuse = (error: unknown) =>
      send(composeRefusal(deps.log, error, { requestId, route: route.path }));
    limitBodyIdle(request, bodyIdleMsMax, refuse);
    readWhole(request, limits.logBatchBytesMax, admitted.project)
      .then(sent => ingest(deps, admitted, sent))
      .then(
        () => send(stored),
        error => {
          // Nobody waits for an answer when the connection went in the middle of the body.
          if (!request.destroyed || request.complete) refuse(error);
        },
      );
    return true;
  };
}

/** For requests on plain connections, which are known to be HTTP/1.1 and to name one host. */
export function openPlainIntakeDoor(deps: IntakeDoorDeps): PlainDoor['admit'] {
  return request => {
    const admitted = admit(deps, request);
    if (admitted === null) return null;
    const startedAt = performance.now();
    const requestId = chooseRequestId(request);
    const take = async (sent: Buffer) => {
      const failure = await ingest(deps, admitted, sent).then(
        () => null,
        error => composeRefusal(deps.log, error, { requestId, route: route.path }),
      );
      const answer = spellAnswer(failure ?? stored, requestId);
      note(deps, answer.status, startedAt);
      return failure === null ? { ...answer, body: storedText } : answer;
    };
    return { holder: admitted.project, take };
  };
}

async function ingest(deps: IntakeDoorDeps, admitted: Admitted, sent: Buffer): Promise<void> {
  // The body was long on its way: its token may have ended since.
  if (performance.now() - admitted.at > accessIntervalMs)
    requireToken(await deps.access.authenticate(admitted.tokenText), route.access.kinds, route.access.action);
  using body = await decodeLogBody({
    bytes: sent,
    contentEncoding: admitted.contentEncoding,
    holder: admitted.project,
  });
  const { project, dataset, idempotencyKey } = admitted;
  await ingestLogs(deps, { project, dataset, idempotencyKey, body: body.bytes });
}

/** Reads target, encoding and key from the headers; null when the router must take the request. */
function admit(deps: IntakeDoorDeps, request: IntakeRequest): Admitted | null {
  const { method, url, headers } = request;
  if (method !== 'POST' || url !== route.path || deps.isRateLimited) return null;
  if (!isPlain(request) || rewriteDomainUrl(deps.access, request) !== route.path) return null;
  const text = readAuthorization({ headers });
  if (text === null) return null;
  const token = deps.access.recall(text);
  const target = token && findTarget(token, headers);
  if (token === null || target === null) return null;
  const idempotencyKey = readIdempotencyKey({ headers }, token, 'logs');
  const contentEncoding = headers['content-encoding'];
  return { ...target, contentEncoding, idempotencyKey, tokenText: text, at: performance.now() };
}

type Admitted = Omit<IngestRequest, 'body'> & {
  contentEncoding: string | undefined;
  tokenText: string;
  at: number;
};

type IntakeRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Whether the request has a JSON body of an announced, allowed length, and no unusual header. */
function isPlain({ headers }: IntakeRequest): boolean {
  const length = Number(headers['content-length']);
  if (!(length > 0 && length <= limits.logBatchBytesMax)) return false;
  if (!plainTypes.has(headers['content-type'])) return false;
  for (const name of lessPlainHeaders) if (headers[name] !== undefined) return false;
  return true;
}

/** null when the request is to be refused; the router then refuses it in its own words. */
function findTarget(token: TokenPrincipal, headers: IncomingHttpHeaders): LogTarget | null {
  try {
    requireToken(token, route.access.kinds, route.access.action);
    requireKnownEncoding(headers['content-encoding']);
    return readLogTarget({ query: noQuery, headers }, token);
  } catch {
    return null;
  }
}

function note({ metrics }: IntakeDoorDeps, status: number, startedAt: number): void {
  metrics.note({ method: 'POST', route: route.path, status }, performance.now() - startedAt);
}
