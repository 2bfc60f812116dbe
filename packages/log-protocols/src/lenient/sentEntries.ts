/** Finds the entries in the body of a lenient log request: one entry, a list, a wrapped list, JSON lines, or a form. */

import { parseJsonText, readRepairedText } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { requireCount } from '../reading/sentEntry.ts';

type LenientEntries = {
  entries: readonly JsonObject[];
  /** The fields beside the list. */
  shared: JsonObject;
};

/** Field names of entries. A list under one of these names is part of an entry, not a list of entries. */
const entryFields: ReadonlySet<string> = new Set([
  'level',
  'message',
  'msg',
  'log',
  'text',
  'body',
  'event',
  'metadata',
  'resource',
  'parentId',
  'time',
  'timestamp',
  'date',
  '@timestamp',
]);
const wrapping = 'logs';
/** Names under which shippers send lists of entries. They count only if no other field makes the object an entry. */
const otherWrappings = ['events', 'records', 'entries'];
const nothingShared: JsonObject = {};
const noEntries: LenientEntries = { entries: [], shared: nothingShared };

export type LenientPlace = {
  /** The body is declared as a URL-encoded form. */
  isForm: boolean;
  /** The route takes lists. An empty object then counts as an empty list, because some languages cannot tell them apart. */
  isList: boolean;
};

/** Throws `invalid_json` if the body has none of the forms. Replaces bytes that are not UTF-8, as Node.js does. */
export function findLenientEntries(body: Buffer, { isForm, isList }: LenientPlace): LenientEntries {
  const text = readRepairedText(body);
  if (isForm && text.includes('=') && !/^\s*[[{"]/.test(text)) return readForm(text);
  const whole = tryParse(text);
  const value = whole === undefined ? readLines(text) : whole;
  if (!isObject(value)) return requireFew({ entries: keepEntries(value), shared: nothingShared });
  return isList && isEmpty(value) ? noEntries : requireFew(unwrap(value));
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

function unwrap(value: JsonObject): LenientEntries {
  const { [wrapping]: logs, ...shared } = value;
  if (Array.isArray(logs)) return { entries: keepEntries(logs), shared };
  const other = otherWrappings.find(candidate => isListOfObjects(value[candidate]));
  if (other !== undefined && !Object.keys(value).some(name => entryFields.has(name))) {
    const { [other]: list, ...beside } = value;
    return { entries: keepEntries(list), shared: beside };
  }
  const [name, ...more] = Object.keys(value);
  if (name === undefined || more.length > 0 || entryFields.has(name))
    return { entries: [value], shared: nothingShared };
  const only = value[name];
  if (name === wrapping && isObject(only) && isEmpty(only)) return noEntries;
  return { entries: isListOfObjects(only) ? only : [value], shared: nothingShared };
}

function isListOfObjects(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** Keeps objects and texts of a list. A text is the message of an entry. */
function keepEntries(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map(each => (typeof each === 'string' ? { message: each } : each)).filter(isObject);
}

/** Refuses too many entries, because memory could not hold the results. */
function requireFew(sent: LenientEntries): LenientEntries {
  requireCount(sent.entries.length);
  return sent;
}

function readForm(text: string): LenientEntries {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (typeof before === 'string') fields.set(name, [before, value]);
    else before.push(value);
  }
  return { entries: [Object.fromEntries(fields)], shared: nothingShared };
}

/** Reads JSON lines, with one or more values on a line. A list counts as its entries. */
function readLines(text: string): unknown[] {
  const values: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = tryParse(line);
    for (const one of value === undefined ? readAdjoining(line) : [value]) {
      if (Array.isArray(one)) for (const inner of one) values.push(inner);
      else values.push(one);
    }
  }
  // A blank text is not valid JSON either.
  if (values.length === 0) parseJsonText(text);
  return values;
}

/** Reads objects that directly follow each other. */
function readAdjoining(line: string): unknown[] {
  const values: unknown[] = [];
  let depth = 0;
  let begin = 0;
  let isInString = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) {
      values.push(parseJsonText(line.slice(begin, at + 1)));
      begin = at + 1;
    }
  }
  if (line.slice(begin).trim() !== '' || values.length === 0) parseJsonText(line); // throws
  return values;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
