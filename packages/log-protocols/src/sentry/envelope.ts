/** Reads Sentry's envelopes: a header line, then items, each with a header line and a payload of any bytes. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { parseObject } from '../reading/bodySplitting.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';

type EnvelopeItem = { headers: JsonObject; payload: Buffer };
export type Envelope = { headers: JsonObject; items: readonly EnvelopeItem[] };

const itemsMax = 1000; // clients send a handful; Sentry itself accepts a hundred attachments
export const headersBytesMax = 256 * 1024; // for all items; the main thread reads them, and clients send a few hundred bytes each
export const newline = 0x0a;

export function readEnvelope(body: Buffer): Envelope {
  let headersLeft = headersBytesMax;
  const readHeaders = (at: number) => {
    const line = readLine(body, at, headersLeft);
    if (line === null) throw longHeadersError();
    headersLeft -= line.next - at;
    return line;
  };
  const first = readHeaders(0);
  const headers = parseObject(first.text);
  if (headers === null) throw refuse('The envelope must begin with a header line, a JSON object.');
  const items: EnvelopeItem[] = [];
  for (let at = first.next; at < body.length; ) {
    if (body[at] === newline) {
      at++;
      continue;
    }
    const line = readHeaders(at);
    at = line.next;
    if (line.text.trim() === '') continue;
    const item = parseItemHeaders(line.text, items.length);
    const end = findEnd(body, at, item);
    if (end === null) throw shortItemError(items.length);
    items.push({ headers: item, payload: body.subarray(at, end) });
    at = body[end] === newline ? end + 1 : end;
  }
  return { headers, items };
}

export function parseItemHeaders(text: string, position: number): JsonObject {
  const item = parseObject(text);
  if (item === null) throw refuse(`Item ${position} must begin with a header line, a JSON object.`);
  if (position === itemsMax) throw refuse(`An envelope may hold at most ${itemsMax} items.`);
  return item;
}

/** Returns null if the payload ends with its line. */
export function readLength({ length }: JsonObject): number | null {
  return typeof length === 'number' && Number.isSafeInteger(length) && length >= 0 ? length : null;
}

/** Returns null if the line is longer. */
function readLine(body: Buffer, start: number, bytesMax: number): { text: string; next: number } | null {
  const found = body.indexOf(newline, start);
  const end = found === -1 ? body.length : found;
  if (end - start > bytesMax) return null;
  return { text: body.toString('utf8', start, end), next: end + 1 };
}

/** Uses the item's length, or the end of the line if it has none. Returns null if that exceeds the body. */
function findEnd(body: Buffer, start: number, item: JsonObject): number | null {
  const length = readLength(item);
  if (length !== null) return start + length <= body.length ? start + length : null;
  const found = body.indexOf(newline, start);
  return found === -1 ? body.length : found;
}

export function parsePayload({ payload }: EnvelopeItem, position: number): JsonObject {
  const value = parseObject(payload.toString('utf8'));
  if (value !== null && isObject(value)) return value;
  throw refuse(`Item ${position} must hold a JSON object.`);
}

export function longHeadersError(): ProtocolFailure {
  return refuse(`All header lines together may hold at most ${headersBytesMax} bytes.`);
}

export function shortItemError(position: number): ProtocolFailure {
  return refuse(`Item ${position} is shorter than its length says.`);
}

function refuse(sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', sentence);
}
