/** Writes an answer, with its head and body in one piece. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Headers, PlainAnswer } from './fastPath.ts';

/** `lastLines` are the connection's headers. */
export function writeAnswer(
  socket: Socket,
  { status, head, headers, body, onSent }: PlainAnswer,
  lastLines: string,
): void {
  const own = headers === undefined ? head : head + spellHeaders(headers);
  const lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${own}Date: ${currentDate()}\r\n${lastLines}\r\n`;
  if (body === null || typeof body === 'string') {
    socket.write(body === null ? lines : lines + body, 'latin1');
    return;
  }
  socket.cork();
  socket.write(lines, 'latin1');
  socket.write(body, onSent);
  socket.uncork();
}

export function spellHeaders(headers: Headers): string {
  let lines = '';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return lines;
}

let writtenSecond = 0;
let written = '';

/** Computed once a second. */
function currentDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== writtenSecond) {
    writtenSecond = second;
    written = new Date(second * 1000).toUTCString();
  }
  return written;
}
