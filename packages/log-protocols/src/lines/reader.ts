/** Reads logs as programs write them: JSON objects, one per line or in a list, and plain lines. */

import { parseBody, parseJsonText, readJsonText, readRepairedText } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue, listLines, parseObject } from '../reading/bodySplitting.ts';
import { type InnerName, liftInner, listInnerNames } from '../reading/dottedNames.ts';
import { Fields } from '../reading/fields.ts';
import { journalNames } from '../reading/journalNames.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';

/** The names to look for, in this order. */
export type LineNames = {
  message: readonly string[];
  level: readonly string[];
  time: readonly string[];
  resource: readonly string[];
};

/** Field names of common loggers. */
export const usualLineNames: LineNames = {
  message: ['message', 'msg', 'log', 'text', 'body', 'event', ...journalNames.message],
  level: ['level', 'severity', 'levelname', 'level_name', 'lvl', 'log.level', ...journalNames.level],
  time: ['timestamp', 'time', '@timestamp', 'ts', 'date', 'datetime'],
  resource: ['resource', 'service', 'logger', 'name', 'app', 'service.name', ...journalNames.resource],
};

type LineOptions = Wording & { names: LineNames };

export function readLines(body: Buffer, options: LineOptions): SentEntry[] {
  const reading = openReading(options);
  const list = readList(body);
  if (list !== null) return list.map((value, index) => readValue(value, index, reading));
  return Array.from(listLines(body), (line, index) => readLine(line, index, reading));
}

type LineReading = { fields: Fields; inner: readonly InnerName[]; options: LineOptions };

function openReading(options: LineOptions): LineReading {
  const names = listAsked(options.names);
  return { fields: new Fields(names), inner: listInnerNames(names), options };
}

function listAsked({ message, level, time, resource }: LineNames): string[] {
  return [...message, ...level, ...time, ...resource];
}

/** Like `readLines`, for a body that is one object or a list of objects with messages. */
export function readObjects(body: Buffer, options: LineOptions): SentEntry[] {
  const value = parseBody(body);
  const list = Array.isArray(value) ? value : [value];
  requireCount(list.length);
  const names = options.names.message;
  const reading = openReading(options);
  return list.map((each, index) => {
    if (isObject(each) && names.some(name => !isMissing(each[name]))) return makeEntry(each, reading);
    const sentence = `Entry ${index}: must be an object with a ${names[0] ?? 'message'}.`;
    throw new ProtocolFailure('invalid_field', sentence, { index, field: names[0] });
  });
}

/** Turns objects with any content into entries. */
export function makeObjectEntries(objects: readonly JsonObject[], options: LineOptions): SentEntry[] {
  const reading = openReading(options);
  return objects.map(object => makeEntry(object, reading));
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

/** Returns null if the body is not a list. */
function readList(body: Buffer): unknown[] | null {
  if (!isList(body)) return null;
  const list = parseJsonText(readRepairedText(body)) as unknown[]; // it begins like a list
  requireCount(list.length);
  return list;
}

/** Returns whether a body is a JSON list. A plain line may begin with a bracket, too. */
function isList(body: Buffer): boolean {
  return /^\s*\[\s*[{"\]]/.test(readJsonText(body.subarray(0, 64).subarray(0, findAscii(body))));
}

/** Returns how many of the first bytes are ASCII, so that no character is cut in two. */
function findAscii(body: Buffer): number {
  const other = body.subarray(0, 64).findIndex(byte => byte > 127);
  return other === -1 ? Math.min(64, body.length) : other;
}

function readLine(line: string, index: number, reading: LineReading): SentEntry {
  if (!line.trimStart().startsWith('{')) return makePlainEntry(line);
  const value = parseObject(line);
  if (value !== null) return makeEntry(value, reading);
  throw new ProtocolFailure('bad_request', `Line ${index} begins like a JSON object but is not valid JSON.`, {
    index,
  });
}

function readValue(value: unknown, index: number, reading: LineReading): SentEntry {
  if (isObject(value)) return makeEntry(value, reading);
  if (typeof value === 'string') return makePlainEntry(value);
  throw new ProtocolFailure('bad_request', `Entry ${index}: must be an object or a string.`, { index });
}

function makePlainEntry(message: string): SentEntry {
  return { dataset: null, level: 'info', message, resource: '', timestamp: undefined, metadata: {} };
}

function makeEntry(sent: JsonObject, { fields, inner, options }: LineReading): SentEntry {
  const { names } = options;
  fields.begin();
  fields.setAll(liftInner(sent, inner));
  return {
    dataset: null,
    message: fields.takeAs(names.message, readMessage) ?? '',
    timestamp: fields.takeAs(names.time, readAnyTime) ?? undefined,
    level: fields.takeLevel(names.level, options) ?? fields.takeAs(names.level, readLevelNumber) ?? 'info',
    resource: fields.takeText(names.resource) ?? '',
    metadata: liftMetadata(fields.toMetadata()),
  };
}

/** Returns null if the value contains no text. */
function readMessage(value: unknown): string | null {
  return isObject(value) ? null : describeValue(value);
}

/** Moves an entry's own metadata to the top. Some languages send an empty list instead of an empty object. */
function liftMetadata(all: SentEntry['metadata']): SentEntry['metadata'] {
  if (all.metadata === undefined) return all;
  const { metadata: given, ...rest } = all;
  if (isObject(given)) return mergeApart(given, rest);
  return Array.isArray(given) && given.length === 0 ? rest : all;
}

/** Merges inner and outer fields. If names collide, the outer field gets a prefix. */
function mergeApart(inner: JsonObject, outer: JsonObject): JsonObject {
  const apart = Object.entries(outer).map(
    ([name, value]) => [Object.hasOwn(inner, name) ? `entry.${name}` : name, value] as const,
  );
  return apart.length === 0 ? inner : { ...inner, ...Object.fromEntries(apart) };
}
