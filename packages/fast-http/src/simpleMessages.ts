/**
 * Recognises the most frequent requests: one complete head in printable ASCII, no repeated header, and for a POST as much of the body as has arrived.
 * Leaves everything else to Node.js's parser, so this one may be strict.
 */
import type { IncomingHttpHeaders } from 'node:http';

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
