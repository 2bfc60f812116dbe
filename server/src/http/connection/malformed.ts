/** Answers what is no HTTP, or comes too slowly, before there is a request: the error shape, then the end. */
import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../../domain/ids.ts';
import { type ErrorCode, errorStatuses, limits } from '../../vocabulary.ts';
import { linger, throwAwayInput } from './lingering.ts';

export type MalformedDeps = { answersOn(socket: Socket): readonly ServerResponse[]; headersMsMax: number };

/** What came before it on the same connection is answered first. */
export async function answerMalformed(
  deps: MalformedDeps,
  error: Error & { code?: string },
  socket: Socket,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  throwAwayInput(socket);
  for (const answer of [...deps.answersOn(socket)]) {
    if (answer.closed) continue; // while those before it were waited for
    // A request that came whole is answered; the one in which the error stands waits for bytes that will not come.
    if (answer.req.complete) await once(answer, 'close');
    // Another answer in the middle of one that is under way would garble both.
    else if (answer.headersSent) socket.destroy();
  }
  if (!socket.writable) return;
  const [code, sentence] = describeError(error, deps.headersMsMax);
  writeAnswer(socket, { code, sentence, headers: {} });
}

/** No proxy stands here: the connection could be of no use to the client. */
export function answerConnect(socket: Socket): void {
  const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
  writeAnswer(socket, {
    code: 'method_not_allowed',
    sentence: 'CONNECT is not possible here; this is no proxy.',
    headers: { Allow: allow },
  });
}

type BareAnswer = { code: ErrorCode; sentence: string; headers: Readonly<Record<string, string>> };

function writeAnswer(socket: Socket, { code, sentence, headers }: BareAnswer): void {
  const status = errorStatuses[code];
  const body = JSON.stringify({ error: sentence, code });
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': newId(),
    ...headers,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  linger(socket);
}

function describeError({ code }: { code?: string }, headersMsMax: number): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return ['headers_too_large', `Headers may hold at most ${limits.headersBytesMax} bytes in all.`];
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['request_timeout', `Headers must arrive within ${headersMsMax / 1000} seconds.`];
  }
  return ['bad_request', 'This is not well-formed HTTP.'];
}
