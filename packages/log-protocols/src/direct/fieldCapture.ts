/** Holds the values of the fields that a reader asks for while it walks an object, until it uses them or writes them as metadata. */
import { entryLimits, type LogLevel, type Slice } from '@tapedeck/log-entries';
import {
  createSlice,
  mark,
  noteKey,
  type PlainLeaves,
  peek,
  type Reading,
  readKey,
  readLiteral,
  readNumber,
  readString,
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

export const held = { none: 0, text: 1, number: 2, word: 3, null: 4, container: 5 } as const;

export type HeldValue = { kind: number; readonly slice: Slice };

/** The held fields of one body. */
export type HeldFields = { readonly names: HeldNames; readonly values: readonly HeldValue[] };

/** The names that a reader asks for, each with its place. */
type HeldNames = {
  readonly all: readonly string[];
  readonly known: readonly DirectName[];
  /** Maps the last bits of a name's hash, which are unique, to the name's place; -1: none. */
  readonly places: Int16Array;
};

/** Returns null for names with ambiguous bytes, or names that JavaScript would sort before others. */
export function listHeldNames(asked: readonly string[]): HeldNames | null {
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
export function isHeld({ values }: HeldFields, place: number): boolean {
  const { kind } = values[place]!;
  return kind === held.text || kind === held.number;
}

/** Finds the places of some of a reader's names. */
export function listPlaces(all: readonly string[], some: readonly string[]): number[] {
  return some.map(name => all.indexOf(name));
}

export function openHeldFields(names: HeldNames, body: Buffer): HeldFields {
  return { names, values: names.all.map(() => ({ kind: held.none, slice: createSlice(body) })) };
}

export function forgetHeld({ values }: HeldFields): void {
  for (const value of values) value.kind = held.none;
}

/** Returns the place of the last key, or -1 if the reader does not ask for it. */
export function findPlace({ names }: HeldFields, { keys, path }: PlainLeaves): number {
  const place = names.places[keys.hash & (names.places.length - 1)]!;
  if (place === -1) return -1;
  const { bytes } = names.known[place]!.slice;
  if (path.end !== bytes.length) return -1;
  for (let at = 0; at < bytes.length; at++) if (path.bytes[at] !== bytes[at]) return -1;
  return place;
}

/** Reads a container in a field that the reader asks for. Returns false if it is not plain. */
type ReadContainer = (place: number) => boolean;

/** Reads an object. Holds the fields that the reader asks for and writes the rest as metadata at once. */
export function readHeldObject(
  writer: DirectWriter,
  fields: HeldFields,
  readContainer: ReadContainer,
): boolean {
  const { reading, leaves } = writer;
  if (!take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  do {
    if (!readKey(leaves, 0) || !take(reading, mark.colon)) return false;
    const place = findPlace(fields, leaves);
    if (place === -1) {
      if (!noteKey(leaves.keys, true, 0) || !writePlainValue(leaves, 1)) return false;
    } else if (!holdValue(writer, fields.values[place]!, { place, readContainer })) return false;
  } while (take(reading, mark.comma));
  return take(reading, mark.objectEnd);
}

function holdValue(
  writer: DirectWriter,
  value: HeldValue,
  { place, readContainer }: { place: number; readContainer: ReadContainer },
): boolean {
  const { reading, leaves } = writer;
  if (value.kind !== held.none) return false; // in JSON the last one counts
  const first = peek(reading);
  if (first !== mark.objectBegin && first !== mark.arrayBegin) return holdScalar(reading, value);
  value.kind = held.container;
  return noteKey(leaves.keys, true, 0) && readContainer(place);
}

/** Holds the next value, which is not a container. */
export function holdScalar(reading: Reading, value: HeldValue): boolean {
  const first = peek(reading);
  if (first === mark.quote) {
    value.kind = held.text;
    return readString(reading, value.slice);
  }
  if (first <= mark.nine) {
    value.kind = held.number;
    return readNumber(reading, value.slice);
  }
  value.kind = first === mark.null ? held.null : held.word;
  return readLiteral(reading, value.slice);
}

/** Writes the value as metadata, under the last key. */
export function writeContainer({ leaves }: DirectWriter): boolean {
  return writePlainValue(leaves, 1);
}

/** Writes unused fields as metadata. */
export function writeLeftOver(writer: DirectWriter, { names, values }: HeldFields): boolean {
  for (let place = 0; place < values.length; place++) {
    const { kind, slice } = values[place]!;
    if (kind === held.none || kind === held.container) continue;
    if (!writeNamed(writer, names.known[place]!.slice, slice)) return false;
  }
  return true;
}

/** Takes the first non-empty text at these places. */
export function takeHeldText({ values }: HeldFields, places: readonly number[], into: Slice): boolean {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== held.text || value.slice.end === value.slice.start) continue;
    value.kind = held.none;
    copySlice(into, value.slice);
    return true;
  }
  return false;
}

/** Takes the first value at these places as text; takes nothing for null. */
export function takeHeldWords({ values }: HeldFields, places: readonly number[], into: Slice): boolean {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind === held.none || value.kind === held.container) continue;
    if (value.kind !== held.null) copySlice(into, value.slice);
    value.kind = held.none;
    return true;
  }
  return false;
}

export function takeHeldLevel(
  { values }: HeldFields,
  places: readonly number[],
  words: LevelWords,
): LogLevel | null {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== held.text) continue;
    const level = readLevelWord(words, value.slice);
    if (level === null) continue;
    value.kind = held.none;
    return level;
  }
  return null;
}

export function takeHeldLevelNumber({ values }: HeldFields, places: readonly number[]): LogLevel | null {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== held.text && value.kind !== held.number) continue;
    const text = readSlice(value.slice);
    const level = readLevelNumber(value.kind === held.number ? Number(text) : text);
    if (level === null) continue;
    value.kind = held.none;
    return level;
  }
  return null;
}

/** Returns Unix milliseconds, or `noTime` if none of these places holds a time. */
export function takeHeldTime({ values }: HeldFields, places: readonly number[]): number {
  for (const place of places) {
    const value = values[place]!;
    if (value.kind !== held.text && value.kind !== held.number) continue;
    const millis = readTimeSlice(value.slice, value.kind === held.number);
    if (millis === null) continue;
    value.kind = held.none;
    return millis;
  }
  return noTime;
}
