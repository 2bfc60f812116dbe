/**
 * Reads the most frequent requests and writes their answers. Recognises one complete head in printable ASCII, no repeated header, and for a POST as
 * much of the body as has arrived. Leaves everything else to Node.js's parser, so this one may be strict.
 */
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Named as in Node.js's requests, so that the same functions read both. */
export type PlainRequest = {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  headBytes: number;
  /** The declared length of the body. */
  bodyBytes: number;
  /** Whether this is the connection's last request. */
  isLast: boolean;
};

const requestLine = /(GET|HEAD|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/y;
// No part can begin where the previous one could continue, so the expression never backtracks.
const headerLine = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~]*)\r\n/y;
const length = /^[1-9]\d{0,11}$/;
const connectionOptions = /^(?:keep-alive|close)$/i;
const headEnd = Buffer.from('\r\n\r\n');
const lineEndBytes = 2;

/** A request with any of these needs more than an answer, or its body is encoded. */
const specialHeaders: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection', // Node.js's parser reads it as `Connection`
]);

/** Returns null unless the bytes are exactly one such request, or the start of one with a body. */
export function readPlainRequest(bytes: Buffer, headersBytesMax: number): PlainRequest | null {
  const end = bytes.indexOf(headEnd);
  const headBytes = end + headEnd.length;
  if (end < 0 || headBytes > headersBytesMax) return null;
  const head = bytes.toString('latin1', 0, end + lineEndBytes);
  requestLine.lastIndex = 0;
  const [, method, url] = requestLine.exec(head) ?? [];
  if (method === undefined || url === undefined) return null;
  const headers = readHeaders(head, requestLine.lastIndex);
  if (headers?.host === undefined) return null;
  const bodyBytes = readLength(method, headers);
  if (bodyBytes === null || bytes.length > headBytes + bodyBytes) return null;
  return {
    method,
    url,
    headers,
    headBytes,
    bodyBytes,
    isLast: headers.connection?.toLowerCase() === 'close',
  };
}

/** Returns null if any header is not plain. */
function readHeaders(head: string, start: number): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {};
  for (let at = start; at < head.length; at = headerLine.lastIndex) {
    headerLine.lastIndex = at;
    const [, spelled, value] = headerLine.exec(head) ?? [];
    if (spelled === undefined || value === undefined) return null;
    const name = spelled.toLowerCase();
    if (name in headers || specialHeaders.has(name)) return null;
    headers[name] = value.trim();
    if (name === 'connection' && !connectionOptions.test(headers[name])) return null;
  }
  return headers;
}

/** Only a POST has a body, and declares its length. */
function readLength(method: string, { 'content-length': declared }: IncomingHttpHeaders): number | null {
  if (method !== 'POST') return declared === undefined ? 0 : null;
  return declared !== undefined && length.test(declared) ? Number(declared) : null;
}

type Headers = Readonly<Record<string, string>>;

export type PlainAnswer = {
  status: number;
  /** Header lines that `writeHeaders` prepares for many responses. Connection headers do not belong here or below. */
  head: string;
  /** Headers of this response only. */
  headers?: Headers;
  /** A string must be ASCII. */
  body: Buffer | string | null;
  /** Called when the body has been sent or abandoned. */
  onSent?: () => void;
};

/** `lastLines` are the connection's headers. */
export function writeAnswer(
  socket: Socket,
  { status, head, headers, body, onSent }: PlainAnswer,
  lastLines: string,
): void {
  const own = headers === undefined ? head : head + writeHeaders(headers);
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

export function writeHeaders(headers: Headers): string {
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
