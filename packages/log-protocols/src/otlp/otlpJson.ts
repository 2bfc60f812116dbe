/** Reads `ExportLogsServiceRequest` as JSON: names in camel case or as in the schema, long numbers as texts, ids in hexadecimal. */

import { parseBody } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { setOwn } from '../reading/fields.ts';
import { ProtocolFailure, requireCount, requireDepth } from '../reading/sentEntry.ts';
import { readNanos } from '../reading/times.ts';
import { type Attributes, type LogRecord, readAttributeValue, readWhole, type ScopeLogs } from './record.ts';

export function readOtlpJson(body: Buffer): ScopeLogs[] {
  const request = parseBody(body);
  if (!isObject(request)) throw malformed('The body must be a JSON object with resourceLogs.');
  let count = 0;
  const readRecords = (scopeLogs: JsonObject) => {
    const records = list(scopeLogs, 'logRecords');
    count += records.length;
    requireCount(count);
    return records.map(readRecord);
  };
  return list(request, 'resourceLogs').flatMap(logs => readResourceLogs(logs, readRecords));
}

function readResourceLogs(
  logs: JsonObject,
  readRecords: (scopeLogs: JsonObject) => LogRecord[],
): ScopeLogs[] {
  const given = inner(logs, 'resource');
  const resource = { attributes: readAttributes(given), schemaUrl: text(logs, 'schemaUrl') };
  return list(logs, 'scopeLogs').map(scopeLogs => {
    const scope = inner(scopeLogs, 'scope');
    return {
      resource,
      scope: {
        name: text(scope, 'name'),
        version: text(scope, 'version'),
        attributes: readAttributes(scope),
        schemaUrl: text(scopeLogs, 'schemaUrl'),
      },
      records: readRecords(scopeLogs),
    };
  });
}

function readRecord(record: JsonObject): LogRecord {
  return {
    timestamp: readTime(record, 'timeUnixNano'),
    observedTimestamp: readTime(record, 'observedTimeUnixNano'),
    severityNumber: readSeverityNumber(find(record, 'severityNumber')),
    severityText: text(record, 'severityText'),
    body: readValue(find(record, 'body')),
    attributes: readAttributes(record),
    droppedAttributesCount: Number(find(record, 'droppedAttributesCount') ?? 0) || 0,
    flags: Number(find(record, 'flags') ?? 0) || 0,
    traceId: text(record, 'traceId').toLowerCase(), // lower case, as others write and search for ids
    spanId: text(record, 'spanId').toLowerCase(),
    eventName: text(record, 'eventName'),
  };
}

/** Reads a number, or its name in the schema. */
export function readSeverityNumber(value: unknown): number {
  if (typeof value !== 'string') return typeof value === 'number' ? value : 0;
  const [, word = '', place = '1'] = /^SEVERITY_NUMBER_([A-Z]+?)([2-4])?$/.exec(value) ?? [];
  const level = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].indexOf(word);
  return level === -1 ? Number(value) || 0 : level * 4 + Number(place);
}

function readTime(record: JsonObject, name: string): number {
  const value = find(record, name) ?? 0;
  const millis =
    typeof value === 'string' || typeof value === 'number' ? readNanos(writeInteger(value)) : null;
  if (millis === null) throw malformed(`${name} must be a string of decimal digits.`);
  return millis;
}

function writeInteger(value: string | number): string {
  return typeof value === 'number' && Number.isSafeInteger(Math.floor(value / 1000))
    ? BigInt(Math.floor(value)).toString()
    : String(value);
}

function readAttributes(holder: JsonObject): Attributes {
  return readPairs(list(holder, 'attributes'), 0);
}

function readPairs(pairs: readonly JsonObject[], depth: number): Attributes {
  const attributes: Attributes = {};
  for (const pair of pairs) {
    const value = readValue(pair.value, depth);
    setOwn(attributes, text(pair, 'key'), depth === 0 ? readAttributeValue(value) : (value ?? null));
  }
  return attributes;
}

const otherScalars = ['boolValue', 'bytesValue', 'stringValue', 'doubleValue'];

/** Reads an `AnyValue` in JSON. Keeps other values unchanged. */
function readValue(value: unknown, depth = 0): unknown {
  if (!isObject(value)) return value ?? undefined;
  requireDepth(depth);
  const usual = value.stringValue ?? value.doubleValue;
  if (usual !== undefined && usual !== null) return usual;
  const whole = find(value, 'intValue');
  if (whole !== undefined) return typeof whole === 'string' ? readWhole(whole) : whole;
  for (const name of otherScalars) {
    const found = find(value, name);
    if (found !== undefined) return found;
  }
  const array = find(value, 'arrayValue');
  if (isObject(array)) return list(array, 'values').map(item => readValue(item, depth + 1) ?? null);
  const map = find(value, 'kvlistValue');
  if (!isObject(map)) return undefined;
  return readPairs(list(map, 'values'), depth + 1);
}

const spellings = new Map<string, string>(); // the code uses only a few dozen names

/** Finds a field by its JSON name or its schema name. */
function find(holder: JsonObject, name: string): unknown {
  const value = holder[name];
  if (value !== undefined) return value;
  let spelling = spellings.get(name);
  if (spelling === undefined) {
    spelling = name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
    spellings.set(name, spelling);
  }
  return holder[spelling];
}

function text(holder: JsonObject, name: string): string {
  const value = find(holder, name) ?? '';
  if (typeof value !== 'string') throw malformed(`${name} must be a string.`);
  return value;
}

function inner(holder: JsonObject, name: string): JsonObject {
  const value = find(holder, name) ?? {};
  if (!isObject(value)) throw malformed(`${name} must be an object.`);
  return value;
}

function list(holder: JsonObject, name: string): JsonObject[] {
  const value = find(holder, name) ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw malformed(`${name} must be a list of objects.`);
  return value;
}

function malformed(sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', sentence);
}
