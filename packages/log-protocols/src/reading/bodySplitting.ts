/** Splits text bodies into lines or consecutive JSON values. */

import { parseJsonText, readJsonText, readRepairedText } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { requireCount, tooDeepError } from './sentEntry.ts';

/** Skips blank lines. Replaces bytes that are not UTF-8: one such line of a program's log must not block the others. */
export function* listLines(body: Buffer): Generator<string> {
  const text = readRepairedText(body);
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
    start = end + 1;
    if (line.trim() === '') continue;
    requireCount(++count);
    yield line;
  }
}

/** Lists the values of a text, with or without blanks between them. A list counts as its items. */
export function listJsonValues(body: Buffer): unknown[] {
  const text = readJsonText(body);
  const values: unknown[] = [];
  for (const part of splitJson(text)) {
    const value = parseJsonText(part);
    for (const each of Array.isArray(value) ? value : [value]) {
      values.push(each);
      requireCount(values.length);
    }
  }
  return values;
}

/** Ends a part where its outermost bracket closes. The parser rejects anything else. */
function* splitJson(text: string): Generator<string> {
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const sign = text.charAt(index);
    if (sign === '"') index = findStringEnd(text, index);
    else if (sign === '{' || sign === '[') depth++;
    else if ((sign === '}' || sign === ']') && --depth <= 0) {
      yield text.slice(start, index + 1);
      start = index + 1;
      depth = 0;
    }
  }
  if (text.slice(start).trim() !== '') yield text.slice(start);
}

/** Finds a string's closing quote, or the end of the text. */
function findStringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const sign = text.charAt(index);
    if (sign === '"') return index;
    if (sign === '\\') index++;
  }
  return text.length;
}

/** Returns null if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Turns a value into the text of an entry. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? printJson(value) : String(value);
}

export function printJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The serializer recurses as deep as the value is nested.
    if (error instanceof RangeError) throw tooDeepError(error);
    throw error;
  }
}
