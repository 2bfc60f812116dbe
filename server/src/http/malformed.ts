/** Answers what is no HTTP, or comes too slowly, before there is a request: the error shape, then the end. */
import type { Socket } from 'node:net';
import { newId } from '../domain/ids.ts';
import { type ErrorCode, errorStatuses, limits } from '../vocabulary.ts';

const reasons: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    `Headers may hold at most ${limits.headersBytesMax} bytes in all.`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    `Headers must arrive within ${limits.headersTimeMsMax / 1000} seconds.`,
  ],
};
const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, sentence] = reasons[error.code ?? ''] ?? ['bad_request', 'This is not well-formed HTTP.'];
  const status = errorStatuses[code];
  const body = JSON.stringify({ error: sentence, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${statusTexts[status] ?? 'Error'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${newId()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
