/** Captures the values of the fields that a reader asks for while it walks an object, until it uses them or writes them as metadata. */
import { entryLimits, type LogLevel, type Slice } from '@tapedeck/log-entries';
import {
  createSlice,
  mark,
  type PlainLeaves,
  peek,
  type Reading,
  readKey,
  readLiteral,
  readNumber,
  readString,
  recordKey,
  take,
  writePlainValue,
} from '@tapedeck/log-entries/direct';
import { readLevelNumber } from '../reading/levelNumbers.ts';
import { type LevelWords, readLevelWord } from './levelWords.ts';
import { readTimeSlice } from './timeSlices.ts';
import {
  copySlice,
  type DirectName,
  type DirectWriter,
  nameDirectly,
  noTime,
  readSlice,
  writeNamed,
} from './writer.ts';

export const fieldKind = { none: 0, text: 1, number: 2, word: 3, null: 4, container: 5 } as const;

export type CapturedValue = { kind: number; readonly slice: Slice };

/** The captured fields of one body. */
export type CapturedFields = { readonly names: CapturedNames; readonly values: readonly CapturedValue[] };

/** The names that a reader asks for, each with its place. */
type CapturedNames = {
  readonly all: readonly string[];
  readonly known: readonly DirectName[];
  /** Maps the last bits of a name's hash, which are unique, to the name's place; -1: none. */
  readonly places: Int16Array;
};

/** Returns null for names with ambiguous bytes, or names that JavaScript would sort before others. */
export function listCapturedNames(asked: readonly string[]): CapturedNames | null {
  const all = [...new Set(asked)];
  const known = all.map(nameDirectly);
  const isOdd = all.some(
    name => /^\d/.test(name) || Buffer.byteLength(name) > entryLimits.metadataKeyBytesMax,
  );
  const places = isOdd || all.length > namesMax ? null : spreadPlaces(known);
  return places && { all, known, places };
}

const namesMax = 64; // no reader asks for more
const slotsMin = 64;
const slotsMax = 4096;

/** Returns null if the names' hashes are too similar. */
function spreadPlaces(known: readonly DirectName[]): Int16Array | null {
  for (let slots = slotsMin; slots <= slotsMax; slots *= 2) {
    const places = new Int16Array(slots).fill(-1);
    for (const [place, { hash }] of known.entries()) places[hash & (slots - 1)] = place;
    if (known.every(({ hash }, place) => places[hash & (slots - 1)] === place)) return places;
  }
  return null;
}

/** Returns whether a text or a number is still unused. */
export function isCaptured({ values }: CapturedFields, place: number): boolean {
  const { kind } = values[place]!;
  return kind === fieldKind.text || kind === fieldKind.number;
}

/** Finds the places of some of a reader's names. */
export function listPlaces(all: readonly string[], some: readonly string[]): number[] {
  return some.map(name => all.indexOf(name));
}

export function openCapturedFields(names: CapturedNames, body: Buffer): CapturedFields {
  return { names, values: names.all.map(() => ({ kind: fieldKind.none, slice: createSlice(body) })) };
}

export function clearCaptured({ values }: CapturedFields): void {
  for (const value of values) value.kind = fieldKind.none;
}

/** Returns the place of the last key, or -1 if the reader does not ask for it. */
export function findPlace({ names }: CapturedFields, { keys, path }: PlainLeaves): number {
  const place = names.places[keys.hash & (names.places.length - 1)]!;
  if (place === -1) return -1;
  const { bytes } = names.known[place]!.slice;
  if (path.end !== bytes.length) return -1;
  for (let at = 0; at < bytes.length; at++) if (path.bytes[at] !== bytes[at]) return -1;
  return place;
}

/** Reads a container in a field that the reader asks for. Returns false if it is not plain. */
type ReadContainer = (place: number) => boolean;

/** Reads an object. Captures the fields that the reader asks for and writes the rest as metadata at once. */
export function readCapturedObject(
  writer: DirectWriter,
  fields: CapturedFields,
  readContainer: ReadContainer,
): boolean {
  const { reading, leaves } = writer;
  if (!take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  do {
    if (!readKey(leaves, 0) || !take(reading, mark.colon)) return false;
    const place = findPlace(fields, leaves);
    if (place === -1) {
      if (!recordKey(leaves.keys, true, 0) || !writePlainValue(leaves, 1)) return false;
    } else if (!captureValue(writer, fields.values[place]!, { place, readContainer })) return false;
  } while (take(reading, mark.comma));
  return take(reading, mark.objectEnd);
}

function captureValue(
  writer: DirectWriter,
  value: CapturedValue,
  { place, readContainer }: { place: number; readContainer: ReadContainer },
): boolean {
  const { reading, leaves } = writer;
  if (value.kind !== fieldKind.none) return false; // in JSON the last one counts
  const first = peek(reading);
  if (first !== mark.objectBegin && first !== mark.arrayBegin) return captureScalar(reading, value);
  value.kind = fieldKind.container;
  return recordKey(leaves.keys, true, 0) && readContainer(place);
}

/** Holds the next value, which is not a container. */
export function captureScalar(reading: Reading, value: CapturedValue): boolean {
  const first = peek(reading);
  if (first === mark.quote) {
    value.kind = fieldKind.text;
    return readString(reading, value.slice);
  }
  if (first <= mark.nine) {
    value.kind = fieldKind.number;
    return readNumber(reading, value.slice);
  }
  value.kind = first === mark.null ? fieldKind.null : fieldKind.word;
  return readLiteral(reading, value.slice);
}

/** Writes the value as metadata, under the last key. */
export function writeContainer({ leaves }: DirectWriter): boolean {
  return writePlainValue(leaves, 1);
}

/** Writes unused fields as metadata. */
export function writeLeftOver(writer: DirectWriter, { names, values }: CapturedFields): boolean {
  for (let place = 0; place < values.length; place++) {
    const { kind, slice } = values[place]!;
    if (kind === fieldKind.none || kind === fieldKind.container) continue;
    if (!writeNamed(writer, names.known[place]!.slice, slice)) return false;
  }
  return true;
}

/** Takes the first non-empty text at these places. */
export function takeCapturedText(
  { values }: CapturedFields,
  places: readonly number[],
  into: Slice,
): boolean {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== fieldKind.text || value.slice.end === value.slice.start) continue;
    value.kind = fieldKind.none;
    copySlice(into, value.slice);
    return true;
  }
  return false;
}

/** Takes the first value at these places as text; takes nothing for null. */
export function takeCapturedWords(
  { values }: CapturedFields,
  places: readonly number[],
  into: Slice,
): boolean {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind === fieldKind.none || value.kind === fieldKind.container) continue;
    if (value.kind !== fieldKind.null) copySlice(into, value.slice);
    value.kind = fieldKind.none;
    return true;
  }
  return false;
}

export function takeCapturedLevel(
  { values }: CapturedFields,
  places: readonly number[],
  words: LevelWords,
): LogLevel | null {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== fieldKind.text) continue;
    const level = readLevelWord(words, value.slice);
    if (level === null) continue;
    value.kind = fieldKind.none;
    return level;
  }
  return null;
}

export function takeCapturedLevelNumber(
  { values }: CapturedFields,
  places: readonly number[],
): LogLevel | null {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== fieldKind.text && value.kind !== fieldKind.number) continue;
    const text = readSlice(value.slice);
    const level = readLevelNumber(value.kind === fieldKind.number ? Number(text) : text);
    if (level === null) continue;
    value.kind = fieldKind.none;
    return level;
  }
  return null;
}

/** Returns Unix milliseconds, or `noTime` if none of these places holds a time. */
export function takeCapturedTime({ values }: CapturedFields, places: readonly number[]): number {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== fieldKind.text && value.kind !== fieldKind.number) continue;
    const millis = readTimeSlice(value.slice, value.kind === fieldKind.number);
    if (millis === null) continue;
    value.kind = fieldKind.none;
    return millis;
  }
  return noTime;
}
