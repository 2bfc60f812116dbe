/** Judges conditional requests by RFC 9110, section 13: whether the file is to be sent at all. */
import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from './httpDate.ts';

export type Representation = {
  /** Strong, with its quotes. */
  etag: string;
  /** Unix milliseconds; HTTP sees whole seconds of it. */
  lastModifiedAt: number;
  sizeBytes: number;
};

/** In the order of section 13.2.2: If-Match or else If-Unmodified-Since, If-None-Match or else If-Modified-Since. */
export function checkConditions(
  headers: IncomingHttpHeaders,
  file: Representation,
  now: number,
): 'send' | 'not modified' | 'failed' {
  const modifiedAt = Math.floor(file.lastModifiedAt / 1000) * 1000;
  const since = (date: string | undefined) => (date === undefined ? null : parseHttpDate(date, now));

  const ifMatch = headers['if-match'];
  const unmodifiedSince = since(headers['if-unmodified-since']);
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, tag => tag === file.etag)) return 'failed';
  } else if (unmodifiedSince !== null && modifiedAt > unmodifiedSince) return 'failed';

  const ifNoneMatch = headers['if-none-match'];
  const modifiedSince = since(headers['if-modified-since']);
  if (ifNoneMatch !== undefined) {
    // A weak comparison: for reading, an equivalent file is good enough.
    if (matches(ifNoneMatch, tag => tag.replace(/^W\//, '') === file.etag)) return 'not modified';
  } else if (modifiedSince !== null && modifiedAt <= modifiedSince) return 'not modified';
  return 'send';
}

/** Whether Range applies: without If-Range always, with it only when the file has not changed. */
export function checkIfRange(ifRange: string | undefined, file: Representation, now: number): boolean {
  if (ifRange === undefined) return true;
  const condition = ifRange.trim();
  if (condition.includes('"')) return condition === file.etag;
  return parseHttpDate(condition, now) === Math.floor(file.lastModifiedAt / 1000) * 1000;
}

function matches(list: string, isMatch: (tag: string) => boolean): boolean {
  if (list.trim() === '*') return true;
  return (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isMatch);
}
