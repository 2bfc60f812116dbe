/** Loki's push, from bytes: streams as JSON or as protobuf, each with its labels before its lines. */

import type { LevelSynonyms, Slice } from '@tapedeck/log-entries';
import {
  mark,
  noteKey,
  peek,
  readLiteral,
  readString,
  setKey,
  take,
  writeLeaf,
  writePlainMembers,
} from '@tapedeck/log-entries/direct';
import { Failure } from '@tapedeck/values/failure';
import { parseLabels } from '../loki/labels.ts';
import { type LokiLabels, openStreams, readLabelObject, type SortedLabels } from '../loki/loki.ts';
import { tagOf, WireType } from '../protobuf.ts';
import type { Wording } from '../sentEntry.ts';
import { passField, readProtoText, readSpan, readVarint } from './protoFields.ts';
import { type DirectAttributes, joinDirect, KnownAttributes, writeOut } from './sharedAttributes.ts';
import { readNanosSlice } from './timeSlices.ts';
import { passObject, readItems, takeName } from './valueSequences.ts';
import {
  beginRow,
  completeRow,
  copySlice,
  type DirectName,
  type DirectTask,
  type DirectWriter,
  nameDirectly,
  requireSimpleDataset,
  writeDirectly,
  writeDirectText,
} from './writer.ts';

type Sorted = SortedLabels & { name: DirectName };
type Around = DirectAttributes<Sorted>;

/** Levels are sorted out by the words for them. */
const tables = new WeakMap<LevelSynonyms, KnownAttributes<Sorted>>();

function findKnown({ levels }: Wording): KnownAttributes<Sorted> {
  const known = tables.get(levels) ?? new KnownAttributes<Sorted>();
  tables.set(levels, known);
  return known;
}

/** null where the labels are not plain. */
function sortOut(read: () => LokiLabels, wording: Wording): Around | null {
  try {
    const around = writeOut(openStreams(wording)(read(), 0));
    return around && { ...around, sorted: { ...around.sorted, name: nameDirectly(around.sorted.resource) } };
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function beginLine(writer: DirectWriter, { sorted }: Around): void {
  beginRow(writer);
  writer.row.level = sorted.level;
  copySlice(writer.row.resource, sorted.name.slice);
}

const quote = (name: string) => Buffer.from(`"${name}"`);
const quoted = { streams: quote('streams'), stream: quote('stream'), values: quote('values') };

export function writeLokiJson(task: DirectTask, body: Buffer, wording: Wording): string | null {
  const known = findKnown(wording);
  return writeDirectText(task, body, writer => {
    const { reading } = writer;
    const isRead =
      take(reading, mark.objectBegin) &&
      takeName(reading, quoted.streams) &&
      readItems(writer, () => readStream(writer, known, wording)) &&
      take(reading, mark.objectEnd);
    return isRead && peek(reading) === 0 && reading.at === body.length;
  });
}

function readStream(writer: DirectWriter, known: KnownAttributes<Sorted>, wording: Wording): boolean {
  const { reading } = writer;
  if (!take(reading, mark.objectBegin) || !takeName(reading, quoted.stream)) return false;
  peek(reading);
  const { bytes, at: start } = reading;
  if (!passObject(writer)) return false;
  const labels = bytes.toString('latin1', start, reading.at);
  const readLabels = () => readLabelObject(Buffer.from(labels, 'latin1'));
  const around = known.find(writer, labels, () => sortOut(readLabels, wording));
  if (around === null || !requireSimpleDataset(writer, around.sorted.dataset)) return false;
  if (!take(reading, mark.comma) || !takeName(reading, quoted.values)) return false;
  return readItems(writer, () => writeLine(writer, around)) && take(reading, mark.objectEnd);
}

function writeLine(writer: DirectWriter, around: Around): boolean {
  const { reading, row, text, leaves } = writer;
  beginLine(writer, around);
  if (!take(reading, mark.arrayBegin) || peek(reading) !== mark.quote || !readString(reading, text))
    return false;
  const millis = readNanosSlice(text);
  if (millis === null || !take(reading, mark.comma)) return false;
  if (peek(reading) !== mark.quote || !readString(reading, text)) return false;
  copySlice(row.message, text);
  if (take(reading, mark.comma)) {
    const isRead = peek(reading) === mark.null ? readLiteral(reading, text) : writePlainMembers(leaves, 0, 1);
    if (!isRead) return false;
  }
  return take(reading, mark.arrayEnd) && joinDirect(writer, around) && completeRow(writer, millis);
}

const { LengthDelimited, Varint } = WireType;
const first = tagOf(1, LengthDelimited);
const second = tagOf(2, LengthDelimited);
const third = tagOf(3, LengthDelimited);

export function writeLokiProtobuf(task: DirectTask, body: Buffer, wording: Wording): string | null {
  const known = findKnown(wording);
  return writeDirectly(task, body, writer => {
    const { reading } = writer;
    while (reading.at < body.length) {
      const end = readVarint(reading, body.length) === first ? readSpan(reading, body.length) : -1;
      if (end < 0 || !readProtoStream(writer, { known, wording }, end)) return false;
    }
    return true;
  });
}

type Known = { known: KnownAttributes<Sorted>; wording: Wording };

function readProtoStream(writer: DirectWriter, { known, wording }: Known, end: number): boolean {
  const { reading, text } = writer;
  if (readVarint(reading, end) !== first || !readProtoText(reading, end, text)) return false;
  const labels = text.bytes.toString('utf8', text.start, text.end);
  const around = known.find(writer, labels, () => sortOut(() => parseLabels(labels), wording));
  if (around === null || !requireSimpleDataset(writer, around.sorted.dataset)) return false;
  while (reading.at < end) {
    const tag = readVarint(reading, end);
    if (tag === second) {
      const lineEnd = readSpan(reading, end);
      if (lineEnd < 0 || !writeProtoLine(writer, around, lineEnd)) return false;
    } else if (tag !== hashTag || !passField(reading, end, Varint)) return false;
  }
  return true;
}

const hashTag = tagOf(3, Varint);

const timeSeen = 1;
const textSeen = 2;

function writeProtoLine(writer: DirectWriter, around: Around, end: number): boolean {
  const { reading, row } = writer;
  beginLine(writer, around);
  let millis = 0;
  let seen = 0;
  while (reading.at < end) {
    const tag = readVarint(reading, end);
    if (tag === third) {
      if (!writePair(writer, end)) return false;
      continue;
    }
    const bit = tag === first ? timeSeen : textSeen;
    if ((seen & bit) !== 0) return false;
    seen |= bit;
    if (tag === first) {
      millis = readTime(writer, end);
      if (millis < 0) return false;
    } else if (tag !== second || !readProtoText(reading, end, row.message)) return false;
  }
  return joinDirect(writer, around) && completeRow(writer, millis);
}

const int32Max = 0x7fffffff;

/** Unix milliseconds; negative where it is not plain. */
function readTime({ reading }: DirectWriter, end: number): number {
  const timeEnd = readSpan(reading, end);
  let seconds = 0;
  let nanos = 0;
  while (reading.at < timeEnd) {
    const tag = readVarint(reading, timeEnd);
    const number = readVarint(reading, timeEnd);
    if (number < 0) return -1;
    if (tag === secondsTag && seconds === 0) seconds = number;
    else if (tag === nanosTag && nanos === 0 && number <= int32Max) nanos = number;
    else return -1;
  }
  return timeEnd < 0 ? -1 : seconds * 1000 + Math.floor(nanos / 1000) / 1000;
}

const secondsTag = tagOf(1, Varint);
const nanosTag = tagOf(2, Varint);
const empty: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };

/** Structured metadata: a name and then its value. */
function writePair({ reading, leaves, text }: DirectWriter, end: number): boolean {
  const pairEnd = readSpan(reading, end);
  if (pairEnd < 0 || readVarint(reading, pairEnd) !== first || !readProtoText(reading, pairEnd, text))
    return false;
  if (!setKey(leaves, text) || !noteKey(leaves.keys, true, 0)) return false;
  if (reading.at === pairEnd) return writeLeaf(leaves, empty);
  const isRead = readVarint(reading, pairEnd) === second && readProtoText(reading, pairEnd, text);
  return isRead && reading.at === pairEnd && writeLeaf(leaves, text);
}
