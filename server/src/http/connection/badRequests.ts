/** Answers bytes that are not HTTP and slow request heads with an error, then closes the connection. */
import { once } from 'node:events';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { limits, ServiceError } from '@tapedeck/domain/vocabulary';
import { linger, slowBodyCode, throwAwayInput, writeHeaders } from '@tapedeck/fast-http';
import { slowBodyError } from '@tapedeck/request-bodies';
import { newId } from '@tapedeck/values/random-ids';
import { composeFailure } from '../failures.ts';
import { jsonType, usualHeaders } from '../responseHeaders.ts';

type MalformedDeps = { answersOn(socket: Socket): readonly ServerResponse[]; headersMsMax: number };

/** Waits until earlier requests on the same connection have been answered. */
export async function respondMalformed(
  deps: MalformedDeps,
  error: Error & { code?: string },
  socket: Socket,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (await comesAfterAll(deps, socket))) return;
  throwAwayInput(socket);
  for (const answer of [...deps.answersOn(socket)]) {
    if (answer.closed) continue; // closed while waiting for earlier ones
    // Waits for answers to complete requests. The broken request waits for bytes that will not come.
    if (answer.req.complete) await once(answer, 'close');
    // A second answer inside a partial one would garble both.
    else if (answer.headersSent) socket.destroy();
  }
  if (!socket.writable) return;
  writeFailure(socket, malformedError(error, deps.headersMsMax));
}

/**
 * Checks whether the head is complete now. After a stall of this process, timers fire before the bytes that already arrived are read. Node.js
 * reports a connection only once, so a client that sends on byte by byte would never be checked again.
 */
async function comesAfterAll({ answersOn }: MalformedDeps, socket: Socket): Promise<boolean> {
  const before = new Set(answersOn(socket));
  const { bytesWritten } = socket;
  for (;;) {
    const { bytesRead } = socket;
    await oneTurn();
    const isAnswered = socket.bytesWritten !== bytesWritten; // answered at once
    if (isAnswered || answersOn(socket).some(answer => !before.has(answer))) return true;
    if (socket.bytesRead === bytesRead) return false;
  }
}

/** Refuses CONNECT: this is no proxy, so the connection is useless to the client. */
export function respondConnect(socket: Socket): void {
  const failure = new ServiceError(
    'method_not_allowed',
    'CONNECT is not possible here; this is not a proxy.',
  );
  writeFailure(socket, failure, { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' });
}

function writeFailure(
  socket: Socket,
  failure: ServiceError,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = composeFailure(failure);
  const text = JSON.stringify(body);
  const lines = writeHeaders({
    ...usualHeaders,
    ...headers,
    ...more,
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': newId(),
    connection: 'close',
  });
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${text}`);
  linger(socket);
}

function malformedError({ code }: { code?: string }, headersMsMax: number): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const sentence = `Headers may hold at most ${limits.headersBytesMax} bytes in all.`;
    return new ServiceError('headers_too_large', sentence);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', `Headers must arrive within ${headersMsMax / 1000} seconds.`);
  }
  if (code === slowBodyCode) return slowBodyError();
  return new ServiceError('bad_request', 'This is not well-formed HTTP.');
}
