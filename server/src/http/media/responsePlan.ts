/** Plans the response to a file request: conditions first, then ranges, as RFC 9110 orders them (sections 13 and 14). */
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '@tapedeck/domain/ports/blobs';
import { describeRange, parseHttpDate, parseRange } from '@tapedeck/web/ranges';
import type { ResponseHeaders } from '../responseHeaders.ts';

export type Representation = {
  /** A strong tag with its quotes. */
  etag: string;
  /** Unix milliseconds, of which HTTP shows whole seconds. */
  lastModifiedAt: number;
  sizeBytes: number;
};

type ReadingPlan =
  | { status: 200 | 304 | 412 | 416 }
  /** A single range is sent as it is, several are framed. */
  | { status: 206; ranges: readonly [ByteRange, ...ByteRange[]] };

export function planReading(
  request: { method: string; headers: IncomingHttpHeaders },
  file: Representation,
  now: number,
): ReadingPlan {
  const verdict = checkConditions(request.headers, file, now);
  if (verdict === 'failed') return { status: 412 };
  if (verdict === 'not modified') return { status: 304 };
  const { range, 'if-range': ifRange } = request.headers;
  // Ranges are defined only for GET (section 14.2).
  if (request.method !== 'GET' || range === undefined) return { status: 200 };
  if (!checkIfRange(headerText(ifRange), file, now)) return { status: 200 };
  const ranges = parseRange(range, file.sizeBytes);
  if (ranges === null) return { status: 200 };
  const [first, ...others] = ranges;
  return first === undefined ? { status: 416 } : { status: 206, ranges: [first, ...others] };
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Describes a response with all bytes, or with one range. */
export function describePart(
  { mimeType, sizeBytes }: { mimeType: string; sizeBytes: number },
  range: ByteRange | null,
): ResponseHeaders {
  if (range === null) return { 'content-type': mimeType, 'content-length': String(sizeBytes) };
  return {
    'content-type': mimeType,
    'content-length': String(range.end - range.start),
    'content-range': describeRange(range, sizeBytes),
  };
}

/** Checks conditions in the order of section 13.2.2: If-Match or else If-Unmodified-Since, If-None-Match or else If-Modified-Since. */
function checkConditions(
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
    // A weak comparison, because for reading an equivalent file is good enough.
    if (matches(ifNoneMatch, tag => tag.replace(/^W\//, '') === file.etag)) return 'not modified';
  } else if (modifiedSince !== null && modifiedAt <= modifiedSince) return 'not modified';
  return 'send';
}

/** Returns whether Range applies: always without If-Range, otherwise only if the file is unchanged. */
function checkIfRange(ifRange: string | undefined, file: Representation, now: number): boolean {
  if (ifRange === undefined) return true;
  const condition = ifRange.trim();
  if (condition.includes('"')) return condition === file.etag;
  return parseHttpDate(condition, now) === Math.floor(file.lastModifiedAt / 1000) * 1000;
}

function matches(list: string, isMatch: (tag: string) => boolean): boolean {
  if (list.trim() === '*') return true;
  return (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isMatch);
}
