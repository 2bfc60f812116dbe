/** Repairs entries of old clients and loggers instead of refusing them, without losing data. */

import {
  addFitted,
  cutToFit,
  FittedMetadata,
  type LevelSynonyms,
  type LogItem,
  type LogLevel,
  readLevelSynonym,
  type TimeRange,
  toText,
} from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { readLoggedTime } from './loggedTimes.ts';
import { SentFields } from './sentFields.ts';

type MendingRules = {
  range: TimeRange;
  levelSynonyms: LevelSynonyms;
  /** Fields beside the list of entries, which apply to each entry. */
  shared: JsonObject | FittedMetadata;
};

/** The first non-empty field is the message. The contract's names come first, then those of some loggers. */
const messageNames = [
  'message',
  'msg',
  'log',
  'text',
  'body',
  'event',
  'short_message',
  'RenderedMessage',
  'MessageTemplate',
  '@m',
  '@mt',
];
const timeNames = ['timestamp', 'time', 'date', '@timestamp', '@t'];
/** They tell the level if there is no `level`, or none that can be read, and stay in the metadata. */
const levelHints = ['levelname', 'level_name', 'severity', 'lvl', 'loglevel', '@l'];
/** The level numbers of pino and similar loggers. */
const levelNumbers: ReadonlyMap<number, LogLevel> = new Map([
  [10, 'debug'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'error'],
]);
/** Terminal colour codes around a word. */
const terminalColours = /\p{Cc}\[[\d;]*m/gu;

/** Repair one item at a time: a repaired item is far larger than its two bytes in the body may be. */
export function repairItem(sent: JsonObject, { range, levelSynonyms, shared }: MendingRules): LogItem {
  const fields = new SentFields(sent);
  const metadata = new FittedMetadata();
  const message = takeMessage(fields);
  const level = takeLevel(fields, levelSynonyms, metadata);
  const timestamp = takeTime(fields, range);
  const resource = repairText(fields.take('resource'));
  const parentId = repairText(fields.take('parentId'));
  const given = fields.take('metadata') ?? '';
  addApart(metadata, typeof given === 'object' || given === '' ? given : { metadata: given }, 'metadata.');
  addApart(metadata, fields.rest(), 'entry.');
  addApart(metadata, shared, 'batch.');
  return {
    level,
    ...cutToFit({ message, resource, parentId }, metadata),
    ...(timestamp !== null && { timestamp }),
  };
}

function takeMessage(fields: SentFields): string {
  dropEmpty(fields, 'message');
  const name = messageNames.find(candidate => toText(fields.peek(candidate)) !== '');
  if (name !== undefined) return repairText(fields.take(name));
  // log4js sends the arguments of a call as a list, and the level as an object.
  const words = isObject(fields.peek('level')) ? fields.peek('data') : null;
  if (!Array.isArray(words)) return '';
  fields.take('data');
  return repairText(words.map(toText).join(' '));
}

/** Keeps an invalid level as `level` in the metadata. */
function takeLevel(fields: SentFields, synonyms: LevelSynonyms, metadata: FittedMetadata): LogLevel {
  const given = fields.peek('level');
  const text = toText(given);
  if (isObject(given) && typeof given.levelStr === 'string')
    return readLevel(given.levelStr, synonyms) ?? 'info';
  fields.take('level');
  const level = readLevel(given, synonyms);
  if (level !== null) return level;
  if (text !== '') addFitted(metadata, 'level', text.toWellFormed());
  const hinted = levelHints.map(name => readLevel(fields.peek(name), synonyms));
  return hinted.find(hint => hint !== null) ?? 'info';
}

function readLevel(value: unknown, synonyms: LevelSynonyms): LogLevel | null {
  if (typeof value === 'number') return levelNumbers.get(value) ?? null;
  if (typeof value !== 'string') return null;
  const word = value.replaceAll(terminalColours, '');
  return readLevelSynonym(synonyms, word) ?? levelNumbers.get(Number(word)) ?? null;
}

/** Leaves a time in the metadata if it does not parse or cannot be stored. */
function takeTime(fields: SentFields, range: TimeRange): string | null {
  for (const name of timeNames) {
    const time = readLoggedTime(fields.peek(name), range);
    if (time === null) continue;
    fields.take(name);
    return time;
  }
  dropEmpty(fields, 'timestamp');
  return null;
}

function dropEmpty(fields: SentFields, name: string): void {
  if (toText(fields.peek(name)) === '') fields.take(name);
}

function repairText(value: unknown): string {
  return toText(value).toWellFormed();
}

/** Adds the leaves of an object. The prefix keeps them apart if another value has the same path. */
function addApart(metadata: FittedMetadata, value: unknown, prefix: string): void {
  const leaves = value instanceof FittedMetadata ? value : readLeaves(value);
  metadata.addAll(leaves, (sentPath, sentText) => {
    const [path, text] = [sentPath.toWellFormed(), sentText.toWellFormed()];
    const taken = metadata.get(path);
    if (taken === text) return null;
    return [taken === undefined ? path : prefix + path, text];
  });
}

function readLeaves(value: unknown): FittedMetadata {
  const leaves = new FittedMetadata();
  if (value !== '') addFitted(leaves, '', value);
  return leaves;
}
