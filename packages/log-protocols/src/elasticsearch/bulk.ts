/** Reads Elasticsearch's bulk requests: pairs of lines with an action and its document. Each document gets its own result. */

import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue, listLines, parseObject } from '../reading/bodySplitting.ts';
import { Fields } from '../reading/fields.ts';
import { journalNames } from '../reading/journalNames.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readAnyTime } from '../reading/times.ts';

const levelNames = ['log.level', 'level'];
/** Level names used by loggers that know no common schema. */
const otherLevelNames = ['severity', 'levelname', 'level_name', ...journalNames.level];
const messageNames = ['message', 'log', 'msg', 'text', 'content', 'event', ...journalNames.message];
const otherTimeNames = ['timestamp', 'time'];
export const bulkNames = {
  all: [
    '@timestamp',
    ...otherTimeNames,
    ...levelNames,
    ...otherLevelNames,
    ...messageNames,
    'service.name',
    'service',
    ...journalNames.resource,
  ],
  level: levelNames,
  otherLevel: otherLevelNames,
  message: messageNames,
  /** Each of these may hold a time in an unusual format. */
  time: ['@timestamp', ...otherTimeNames],
};
const actions = ['create', 'index', 'update', 'delete'] as const;
type Action = (typeof actions)[number];

export type BulkItem = {
  action: Action;
  /** '' if the client names none. */
  index: string;
  id: string | null;
} & ({ entry: SentEntry } | { refusal: ProtocolFailure });

export type BulkOptions = Wording & {
  /** The index in the URL; null: each line names its own. */
  index: string | null;
};

export function readBulk(body: Buffer, options: BulkOptions): BulkItem[] {
  const items: BulkItem[] = [];
  const fields = new Fields(bulkNames.all);
  const lines = listLines(body);
  let lastLine = '';
  let place: BulkPlace | null = null;
  for (const line of lines) {
    // Most shippers repeat the same action before each document.
    if (place === null || line !== lastLine) place = readAction(line, options, items.length);
    lastLine = line;
    if (place.action === 'delete') {
      items.push({ ...place, refusal: refuse('Entries cannot be changed, so delete is not supported.') });
      continue;
    }
    const document = lines.next();
    if (document.done) throw refuse('The last action has no document: the body may have been cut off.');
    items.push(readDocument(document.value, place, { fields, wording: options }));
  }
  return items;
}

export type BulkPlace = { action: Action; index: string; id: string | null };

export function readAction(line: string, { index }: BulkOptions, position: number): BulkPlace {
  const object = parseObject(line);
  // Some clients add a retry count here. Elasticsearch ignores other fields beside an action, too.
  const [known, ...others] = actions.filter(each => object !== null && Object.hasOwn(object, each));
  const details = known && object?.[known];
  if (known === undefined || others.length > 0 || !isObject(details))
    throw refuse(`Action ${position} must be an object with one of create and index, such as {"create":{}}.`);
  const { _index, _id } = details;
  const id = typeof _id === 'string' || typeof _id === 'number' ? String(_id) : null;
  return { action: known, index: typeof _index === 'string' ? _index : (index ?? ''), id };
}

type Reading = { fields: Fields; wording: Wording };

function readDocument(line: string, { action, index, id }: BulkPlace, reading: Reading): BulkItem {
  const place = { action, index, id };
  if (action === 'update')
    return { ...place, refusal: refuse('Entries cannot be changed, so update is not supported.') };
  const document = parseObject(line);
  if (document === null)
    return { ...place, refusal: refuse('The document must be a JSON object on one line.') };
  try {
    return { ...place, entry: makeEntry(document, place, reading) };
  } catch (error) {
    if (error instanceof ProtocolFailure) return { ...place, refusal: error };
    throw error;
  }
}

function makeEntry(document: JsonObject, { index, id }: BulkPlace, { fields, wording }: Reading): SentEntry {
  fields.begin();
  fields.setAll(document);
  const level =
    fields.takeLevel(levelNames, wording) ??
    takeInnerLevel(fields, wording) ??
    fields.takeAs(['level'], readLevelNumber) ??
    fields.takeLevel(otherLevelNames, wording) ??
    fields.takeAs(journalNames.level, readLevelNumber);
  const message = fields.takeAs(messageNames, readMessage) ?? '';
  const resource =
    fields.takeText(['service.name']) ??
    readServiceName(fields.read('service')) ??
    fields.takeText(journalNames.resource) ??
    '';
  if (id !== null) fields.add('_id', 'bulk.', id);
  return {
    dataset: index === '' ? null : index,
    level: level ?? 'info',
    message,
    resource,
    timestamp:
      fields.takeAs(['@timestamp'], readDate) ?? fields.takeAs(otherTimeNames, readOtherTime) ?? undefined,
    metadata: fields.toMetadata(),
  };
}

const withoutZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/;
const offsetWithoutColon = /(T[^TZ]*[+-]\d\d)(\d\d)$/;

/** Reads dates like Elasticsearch: without a zone they are UTC, and an offset may lack its colon. */
function readDate(value: unknown): number | null {
  const time = readAnyTime(value);
  if (time !== null || typeof value !== 'string') return time;
  return readAnyTime(withoutZone.test(value) ? `${value}Z` : value.replace(offsetWithoutColon, '$1:$2'));
}

const otherTimeMsMin = Date.UTC(2000);

/** A field named `time` may also hold a duration. */
function readOtherTime(value: unknown): number | null {
  const time = readDate(value);
  return time !== null && time >= otherTimeMsMin ? time : null;
}

/** Returns null if the value contains no text. */
function readMessage(value: unknown): string | null {
  return isObject(value) ? null : describeValue(value);
}

/** Reads `{"service": {"name": "web"}}`. The other fields of `service` stay. */
function readServiceName(service: unknown): string | null {
  return isObject(service) && typeof service.name === 'string' && service.name !== '' ? service.name : null;
}

/** `{"log": {"level": "error"}}` */
function takeInnerLevel(fields: Fields, wording: Wording): LogLevel | null {
  const log = fields.read('log');
  if (!isObject(log)) return null;
  const { level: word, ...others } = log;
  const level = readLevelSynonym(wording.levels, word);
  if (level === null) return null;
  fields.take('log');
  if (Object.keys(others).length > 0) fields.set('log', others);
  return level;
}

function refuse(sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', sentence);
}
