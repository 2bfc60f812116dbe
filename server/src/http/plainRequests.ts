/**
 * Recognises the requests that come by the million: one whole head in printable ASCII, no header twice, no body. Whatever is
 * anything else is not judged here but left to Node.js's parser, so this one may be strict where that one must be lenient.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { limits } from '../vocabulary.ts';

/** Named as in Node.js's requests, so that the same functions read both. */
export type PlainRequest = { method: string; url: string; headers: IncomingHttpHeaders };

const requestLine = /(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n/y;
const headerLine = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t -~]*)\r\n/y;

/** With any of these a request asks for more than an answer, or has a body. */
const specialHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
]);

/** null when the bytes are not exactly one such request. */
export function readPlainRequest(bytes: Buffer): PlainRequest | null {
  if (bytes.length > limits.headersBytesMax) return null;
  const text = bytes.toString('latin1');
  requestLine.lastIndex = 0;
  const [, method, url] = requestLine.exec(text) ?? [];
  if (method === undefined || url === undefined) return null;
  const headers = readHeaders(text, requestLine.lastIndex);
  if (headers?.host === undefined) return null;
  return { method, url, headers };
}

/** null when they do not end where the text ends, or one of them is not as plain as the others. */
function readHeaders(text: string, start: number): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {};
  let at = start;
  while (at < text.length - 2) {
    headerLine.lastIndex = at;
    const [, spelled, value] = headerLine.exec(text) ?? [];
    if (spelled === undefined || value === undefined) return null;
    const name = spelled.toLowerCase();
    if (name in headers || specialHeaders.has(name)) return null;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return null;
    headers[name] = value.trimEnd();
    at = headerLine.lastIndex;
  }
  return text.endsWith('\r\n') && at === text.length - 2 ? headers : null;
}
