/** Splunk's HTTP Event Collector: events as objects of JSON one behind the other, or raw lines. */
import { isObject, type JsonObject } from '@tapedeck/json-values';
import { EntryFailure, type LogLevel } from '@tapedeck/log-entries';
import { readLevelNumber } from './levelNumbers.ts';
import { Fields, ProtocolFailure, type SentEntry, type Wording } from './sentEntry.ts';
import { describeValue, listJsonValues, listLines } from './texts.ts';
import { readAnyTime } from './times.ts';

/** The collector's own numbers for what is wrong with events, and its words. */
const replies = {
  noData: [5, 'No data'],
  invalidData: [6, 'Invalid data format'],
  missingEvent: [12, 'Event field is required'],
  blankEvent: [13, 'Event field cannot be blank'],
} as const;

/** The number for a sentence of a failure; null for one that the collector does not have. */
export function findSplunkCode(sentence: string): number | null {
  return Object.values(replies).find(([, words]) => words === sentence)?.[0] ?? null;
}

function refuse(reply: keyof typeof replies, index?: number): ProtocolFailure {
  return new ProtocolFailure('bad_request', replies[reply][1], { index });
}

const levelNames = ['severity', 'level'];

export function readSplunkEvents(body: Buffer, wording: Wording): SentEntry[] {
  const values = readValues(body);
  if (values.length === 0) throw refuse('noData');
  return values.map((value, index) => {
    if (!isObject(value)) throw refuse('invalidData', index);
    return makeEntry(value, index, wording);
  });
}

function readValues(body: Buffer): unknown[] {
  try {
    return listJsonValues(body);
  } catch (error) {
    if (error instanceof EntryFailure) throw refuse('invalidData', 0);
    throw error;
  }
}

/** `defaults` is what the address says of all lines. */
export function readSplunkRaw(
  body: Buffer,
  defaults: Readonly<Record<string, string>>,
  wording: Wording,
): SentEntry[] {
  const lines = Array.from(listLines(body));
  if (lines.length === 0) throw refuse('noData');
  return lines.map((line, index) => makeEntry({ ...defaults, event: line }, index, wording));
}

function makeEntry(sent: JsonObject, index: number, wording: Wording): SentEntry {
  const { time, event, index: dataset, fields: indexed, ...rest } = sent;
  if (event === undefined || event === null) throw refuse('missingEvent', index);
  if (event === '') throw refuse('blankEvent', index);
  const fields = new Fields(isObject(event) ? Object.entries(event) : []);
  const message = isObject(event) ? takeMessage(fields, event) : describeValue(event);
  for (const [name, value] of Object.entries(rest)) fields.add([name, `hec.${name}`], value);
  if (isObject(indexed))
    for (const [name, value] of Object.entries(indexed)) fields.add([name, `fields.${name}`], value);
  const timestamp = readSeconds(time);
  if (timestamp === null && time !== undefined && time !== null) fields.add(['time', 'hec.time'], time);
  return {
    dataset: typeof dataset === 'string' && dataset !== '' ? dataset : null,
    level: takeLevel(fields, wording) ?? 'info',
    message,
    resource: fields.takeText(['resource', 'service']) ?? '',
    ...(timestamp !== null && { timestamp }),
    metadata: fields.toMetadata(),
  };
}

/** What the event says in words; all of it where it says nothing. */
function takeMessage(fields: Fields, event: JsonObject): string {
  return fields.takeText(['message', 'msg']) ?? JSON.stringify(event);
}

function takeLevel(fields: Fields, wording: Wording): LogLevel | null {
  const level = fields.takeLevel(levelNames, wording);
  if (level !== null) return level;
  for (const name of levelNames) {
    const numbered = readLevelNumber(fields.read(name));
    if (numbered === null) continue;
    fields.take(name);
    return numbered;
  }
  return null;
}

/** Seconds with a fraction, as a number or a text. */
function readSeconds(value: unknown): number | string | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? readAnyTime(number) : readAnyTime(value);
}
