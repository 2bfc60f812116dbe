/** Reads bodies for Splunk's HTTP Event Collector: consecutive JSON events, or raw lines. */

import { EntryFailure } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue, listJsonValues, listLines, printJson } from '../reading/bodySplitting.ts';
import { Fields } from '../reading/fields.ts';
import { journalNames } from '../reading/journalNames.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';

/** The collector's codes and texts for invalid events. */
const replies = {
  noData: [5, 'No data'],
  invalidData: [6, 'Invalid data format'],
  missingEvent: [12, 'Event field is required'],
  blankEvent: [13, 'Event field cannot be blank'],
} as const;

/** Returns the collector's code for a failure, or null if it has none. */
export function findSplunkCode(sentence: string): number | null {
  return Object.values(replies).find(([, words]) => words === sentence)?.[0] ?? null;
}

function refuse(reply: keyof typeof replies, index?: number): ProtocolFailure {
  return new ProtocolFailure('bad_request', replies[reply][1], { index });
}

const messageNames = ['message', 'msg', ...journalNames.message];
const levelNames = ['severity', 'level', 'log_level', 'level_name', ...journalNames.level];
const resourceNames = ['resource', 'service', ...journalNames.resource];
export const splunkNames = {
  all: [...messageNames, ...levelNames, ...resourceNames],
  message: messageNames,
  level: levelNames,
  resource: resourceNames,
};
/** Envelope fields that are not metadata. */
const placed: ReadonlySet<string> = new Set(['time', 'event', 'index', 'fields']);

export function readSplunkEvents(body: Buffer, wording: Wording): SentEntry[] {
  const values = readValues(body);
  if (values.length === 0) throw refuse('noData');
  const makeEntry = openMaker(wording);
  return values.map((value, index) => {
    if (!isObject(value)) throw refuse('invalidData', index);
    return makeEntry(value, index);
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

/** `defaults` come from the address and apply to all lines. */
export function readSplunkRaw(
  body: Buffer,
  defaults: Readonly<Record<string, string>>,
  wording: Wording,
): SentEntry[] {
  const lines = Array.from(listLines(body));
  if (lines.length === 0) throw refuse('noData');
  const makeEntry = openMaker(wording);
  return lines.map((line, index) => makeEntry({ ...defaults, event: line }, index));
}

type MakeEntry = (sent: JsonObject, index: number) => SentEntry;

function openMaker(wording: Wording): MakeEntry {
  const fields = new Fields(splunkNames.all);
  return (sent, index) => {
    const { time, event, index: dataset, fields: indexed } = sent;
    if (event === undefined || event === null) throw refuse('missingEvent', index);
    if (event === '') throw refuse('blankEvent', index);
    fields.begin();
    if (isObject(event)) fields.setAll(event);
    // Without a text, the whole event becomes the message.
    const message = isObject(event)
      ? (fields.takeText(messageNames) ?? takeInnerText(fields) ?? printJson(event))
      : describeValue(event);
    for (const name in sent) if (!placed.has(name)) fields.add(name, 'hec.', sent[name]);
    if (isObject(indexed)) for (const name in indexed) fields.add(name, 'fields.', indexed[name]);
    else keep(fields, 'fields', indexed);
    const timestamp = readSeconds(time);
    if (timestamp === null) keep(fields, 'time', time);
    const hasDataset = typeof dataset === 'string' && dataset !== '';
    if (!hasDataset) keep(fields, 'index', dataset);
    return {
      dataset: hasDataset ? dataset : null,
      level: fields.takeLevel(levelNames, wording) ?? fields.takeAs(levelNames, readLevelNumber) ?? 'info',
      message,
      resource: fields.takeText(resourceNames) ?? '',
      timestamp: timestamp ?? undefined,
      metadata: fields.toMetadata(),
    };
  };
}

/** Takes the text from a message object, as Node.js loggers nest it. The object's other fields stay. */
function takeInnerText(fields: Fields): string | null {
  const outer = fields.read('message');
  if (!isObject(outer)) return null;
  const name = messageNames.find(each => typeof outer[each] === 'string' && outer[each] !== '');
  if (name === undefined) return null;
  fields.take('message');
  for (const other in outer) if (other !== name) fields.add(other, 'message.', outer[other]);
  return describeValue(outer[name]);
}

function keep(fields: Fields, name: string, value: unknown): void {
  if (value !== undefined && value !== null && value !== '') fields.add(name, 'hec.', value);
}

/** Reads seconds with a fraction, as a number or a text. */
export function readSeconds(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? readAnyTime(number) : readAnyTime(value);
}
