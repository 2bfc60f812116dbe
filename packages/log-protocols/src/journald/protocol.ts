/** Defines systemd's journal as `systemd-journal-upload` sends it: the export format, with blank lines between entries. */

import { entryLimits } from '@tapedeck/log-entries';
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  textType,
  unpacksLittle,
  writeNothing,
} from '../protocol.ts';
import { aheadMsMax, fitEntry } from '../reading/entryLimiting.ts';
import { journalNames } from '../reading/journalNames.ts';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { ProtocolFailure, requireCount, type SentEntry } from '../reading/sentEntry.ts';
import { JournalPieces } from './journalPieces.ts';

const newline = 0x0a;
const equals = 0x3d;
const sizeBytes = 8;
const fieldsMax = entryLimits.metadataLeavesMax + 4; // an entry may hold no more, besides its message, level, time and resource
const timeName = '__REALTIME_TIMESTAMP';
const resourceNames = journalNames.resource;

export const journald: Protocol = {
  name: 'journald',
  entryRoutes: [
    defineEntryRoute({
      id: 'journald',
      path: '/upload',
      summary: 'Entries of a journal, as systemd-journal-upload sends them.',
      usesDatasetOfToken: true,
      // The uploader sends everything in one request, and sends it all again after a refusal.
      openPieces: pieceBytesMax => new JournalPieces(pieceBytesMax),
      readOptions: () => ({}),
      // The uploader logs the answer.
      answer: ({ shown }) => ({ status: 202, type: textType, body: describeRefused(Number(shown)) }),
    }),
  ],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read: body => {
    let refused = 0;
    // The uploader stops for good at a refusal, so one entry that is too old must not block the others.
    const refusals = { refuse: () => void refused++, show: () => refused };
    return { entries: readJournal(body), refusals };
  },
  write: writeNothing,
  refuse: ({ status, code, sentence }) => answerJson(status, { error: sentence, code }),
};

function describeRefused(refused: number): string {
  if (refused === 0) return 'OK.\n';
  return `OK, but ${refused} of the entries were not stored: they are older than the retention of their dataset, or exceed its limits.\n`;
}

/** Collects the fields of an entry, up to its limit. */
class JournalFields extends Map<string, string | string[]> {
  leftOut = 0;
}

export function readJournal(body: Buffer): SentEntry[] {
  const entries: SentEntry[] = [];
  let fields = new JournalFields();
  const complete = () => {
    if (fields.size > 0) requireCount(entries.push(makeEntry(fields)));
    fields = new JournalFields();
  };
  for (let at = 0; at < body.length; ) {
    if (body[at] === newline) {
      complete();
      at++;
      continue;
    }
    const field = readField(body, at, entries.length);
    addField(fields, field);
    at = field.next;
  }
  complete();
  return entries;
}

type Field = { name: string; value: string; next: number };

/** Reads `NAME=VALUE` on a line, or the name on a line, then the length in eight bytes and the value. */
function readField(body: Buffer, start: number, position: number): Field {
  const found = body.indexOf(newline, start);
  const lineEnd = found === -1 ? body.length : found;
  const sign = body.subarray(start, lineEnd).indexOf(equals);
  if (sign === 0) throw refuse(position, 'has a field without a name');
  if (sign > 0) {
    const name = body.toString('latin1', start, start + sign);
    return {
      name: requireName(name, position),
      value: body.toString('utf8', start + sign + 1, lineEnd),
      next: lineEnd + 1,
    };
  }
  const name = requireName(body.toString('latin1', start, lineEnd), position);
  const valueStart = lineEnd + 1 + sizeBytes;
  if (valueStart > body.length) throw refuse(position, 'is cut off');
  const size = Number(body.readBigUInt64LE(lineEnd + 1));
  const end = valueStart + size;
  if (end > body.length || (end < body.length && body[end] !== newline)) throw refuse(position, 'is cut off');
  return { name, value: body.toString('utf8', valueStart, end), next: end + 1 };
}

function requireName(name: string, position: number): string {
  if (/^[A-Z0-9_]{1,64}$/.test(name)) return name;
  throw refuse(position, 'has a field whose name is not made of capitals, digits and underscores');
}

function addField(fields: JournalFields, { name, value }: Field): void {
  const before = fields.get(name);
  if (before === undefined && fields.size < fieldsMax) fields.set(name, value);
  else if (typeof before === 'string') fields.set(name, [before, value]);
  else if (Array.isArray(before) && before.length < fieldsMax) before.push(value);
  else fields.leftOut++;
}

function makeEntry(fields: JournalFields): SentEntry {
  const take = (name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return value;
  };
  const message = take('MESSAGE') ?? '';
  const level = readLevelNumber(take('PRIORITY')) ?? 'info';
  const micros = fields.get(timeName);
  const time = typeof micros === 'string' && /^\d{1,16}$/.test(micros) ? Number(micros) / 1000 : undefined;
  const isUsable = time !== undefined && time <= Date.now() + aheadMsMax;
  if (isUsable) take(timeName);
  const named = resourceNames.find(name => typeof fields.get(name) === 'string') ?? '';
  const resource = String(take(named) ?? '');
  return {
    dataset: null,
    level,
    timestamp: isUsable ? time : undefined,
    ...fitEntry({
      message: [message].flat().join('\n'),
      resource,
      metadata: Object.fromEntries(fields),
      leftOut: fields.leftOut,
    }),
  };
}

function refuse(position: number, sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', `Entry ${position} ${sentence}.`, { index: position });
}
