/** Lines of programs, from bytes: objects of JSON on a line each or in a list, and plain lines. */
import { mark, peek, take, writePlainMembers } from '@tapedeck/log-entries/direct';
import { listInnerNames } from '../innerNames.ts';
import { isList, type LineOptions, listAsked } from '../lines.ts';
import {
  forgetHeld,
  type HeldFields,
  type HeldNames,
  listHeldNames,
  listPlaces,
  openHeldFields,
  readHeldObject,
  takeHeldLevel,
  takeHeldLevelNumber,
  takeHeldText,
  takeHeldTime,
  takeHeldWords,
  writeContainer,
  writeLeftOver,
} from './heldFields.ts';
import { type LevelWords, listLevelWords } from './levelWords.ts';
import { endsLine, findLineEnd, readItems } from './valueSequences.ts';
import {
  beginRow,
  completeRow,
  type DirectTask,
  type DirectWriter,
  noTime,
  requireSimpleDataset,
  writeDirectText,
} from './writer.ts';

/** What entries call their metadata; what it holds stands beside whatever else they say. */
const metadataName = 'metadata';

type LineReading = {
  fields: HeldFields;
  words: LevelWords;
  places: Readonly<Record<'message' | 'level' | 'time' | 'resource', readonly number[]>>;
  metadata: number;
  /** Of objects inside of which others are looked for. */
  outer: readonly number[];
};

export function writeLines(task: DirectTask, body: Buffer, options: LineOptions): string | null {
  const { message, level, time, resource } = options.names;
  const asked = listAsked(options.names);
  const names = findNames(asked);
  if (names === null) return null;
  const placesOf = (some: readonly string[]) => listPlaces(names.all, some);
  const reading: LineReading = {
    fields: openHeldFields(names, body),
    words: listLevelWords(options.levels),
    places: {
      ...{ message: placesOf(message), level: placesOf(level) },
      ...{ time: placesOf(time), resource: placesOf(resource) },
    },
    metadata: names.all.indexOf(metadataName),
    outer: listOuter(names.all),
  };
  return writeDirectText(task, body, writer => {
    if (!requireSimpleDataset(writer, null)) return false;
    return isList(body) ? writeList(writer, reading) : writeAllLines(writer, reading);
  });
}

const knownNames = new Map<string, HeldNames | null>();
const knownMax = 32; // most ask for the usual ones

function findNames(asked: readonly string[]): HeldNames | null {
  const key = asked.join('\n');
  const found = knownNames.get(key);
  if (found !== undefined) return found;
  const outer = listInnerNames(asked).map(({ path: [first = ''] }) => first);
  const names = asked.includes(metadataName) ? null : listHeldNames([...asked, ...outer, metadataName]);
  if (knownNames.size === knownMax) knownNames.clear();
  knownNames.set(key, names);
  return names;
}

function listOuter(all: readonly string[]): number[] {
  return listInnerNames(all).map(({ path: [first = ''] }) => all.indexOf(first));
}

function writeList(writer: DirectWriter, reading: LineReading): boolean {
  const { reading: body } = writer;
  peek(body);
  if (!readItems(writer, () => writeEntry(writer, reading))) return false;
  return peek(body) === 0 && body.at === body.bytes.length;
}

function writeAllLines(writer: DirectWriter, reading: LineReading): boolean {
  const { reading: body, row } = writer;
  const { bytes } = body;
  while (body.at < bytes.length) {
    const start = body.at;
    const lineEnd = findLineEnd(bytes, start);
    const end = lineEnd > start && bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
    const first = findFirst(bytes, start, end);
    if (first === otherBlank) return false;
    if (first === mark.objectBegin) {
      if (!writeEntry(writer, reading) || !endsLine(body, lineEnd)) return false;
    } else if (first !== 0) {
      beginRow(writer);
      Object.assign(row.message, { bytes, start, end });
      if (!completeRow(writer, noTime)) return false;
    }
    body.at = lineEnd + 1;
  }
  return true;
}

const carriageReturn = 0x0d;
const tabulator = 0x09;
const firstBeyondAscii = 0x80;
/** Of blanks beyond ASCII, and of other characters: no-break spaces, those of typesetters, the ideographic one, byte order marks. */
const blankBeginnings: ReadonlySet<number> = new Set([0xc2, 0xe1, 0xe2, 0xe3, 0xef]);
const ideographic = 0xe3;
const otherBlank = -1;

/** The first byte of a line that is not blank; 0 when there is none, `otherBlank` where it may be one of the rarer blanks. */
function findFirst(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === mark.space || byte === tabulator) continue;
    const mayBeBlank = byte < mark.space || blankBeginnings.has(byte);
    return mayBeBlank && !(byte === ideographic && bytes[at + 1] !== firstBeyondAscii) ? otherBlank : byte;
  }
  return 0;
}

function writeEntry(writer: DirectWriter, reading: LineReading): boolean {
  const { row } = writer;
  const { fields, places, words } = reading;
  beginRow(writer);
  forgetHeld(fields);
  if (!readHeldObject(writer, fields, place => readContainer(writer, reading, place))) return false;
  takeHeldWords(fields, places.message, row.message);
  const millis = takeHeldTime(fields, places.time);
  row.level =
    takeHeldLevel(fields, places.level, words) ?? takeHeldLevelNumber(fields, places.level) ?? 'info';
  takeHeldText(fields, places.resource, row.resource);
  return writeLeftOver(writer, fields) && completeRow(writer, millis);
}

function readContainer(writer: DirectWriter, lines: LineReading, place: number): boolean {
  const { reading, leaves } = writer;
  const { places, metadata, outer } = lines;
  if (peek(reading) === mark.objectBegin && outer.includes(place)) return false;
  if (peek(reading) === mark.objectBegin)
    return place === metadata ? writePlainMembers(leaves, 0, 1) : writeContainer(writer);
  if (place === metadata && takeEmptyList(writer)) return true;
  // A list of words is the text.
  return !places.message.includes(place) && writeContainer(writer);
}

/** Some languages make one of nothing. */
function takeEmptyList({ reading }: DirectWriter): boolean {
  const { at } = reading;
  if (take(reading, mark.arrayBegin) && take(reading, mark.arrayEnd)) return true;
  reading.at = at;
  return false;
}
