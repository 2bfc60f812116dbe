/**
 * Finds metadata values of an entry in its body. They are names that vary from entry to entry, and their path says what they
 * are. README.md has the rules.
 */
import { is, kinds, mark } from './bytes.ts';
import { isBounded, isLineEnd, isWholeLine } from './nameBounds.ts';
import { chooseMatches, type NameMatch } from './nameMatches.ts';
import type { Range } from './scanning.ts';

/**
 * The metadata of one entry as bytes, as stores write columns: paths and values in the same order. The length of each text
 * precedes it as a varint: seven bits per byte, lowest first.
 */
export type Leaves = {
  paths: Uint8Array;
  pathsStart: number;
  values: Uint8Array;
  valuesStart: number;
  valuesEnd: number;
};

const searchedBytesMax = 2048; // per line, because a template has at most 512
const namesMax = 255; // a byte numbers names from 1; metadata has at most 256 values (CONTRACT.md, 4.1)
const matchesMax = 64; // a template of 512 bytes hardly has more
const comparedBytesMax = 8192; // per entry, about 10 µs: a request has up to ten thousand
const lineEndHead = 256; // marks line ends in `#heads`, which otherwise holds numbers of names
const none: readonly NameMatch[] = [];

export class EntryNames {
  /** By byte: the last name that begins with this byte. */
  readonly #heads = new Int16Array(256);
  /** By name: the previous name that begins with the same byte; 0: none. */
  readonly #before = new Uint8Array(namesMax + 1);
  readonly #starts = new Int32Array(namesMax + 1);
  readonly #ends = new Int32Array(namesMax + 1);
  /** By name: the index of its leaf. */
  readonly #leaves = new Uint8Array(namesMax + 1);
  readonly #cursor = new TextCursor();
  /** The name to compare, and its possible position in the body. */
  readonly #place = { at: 0, name: 0 };
  #count = 0;

  constructor() {
    for (const [byte, kind] of kinds.entries()) if (kind & is.lineEnd) this.#heads[byte] = lineEndHead;
  }

  /** Finds names from these leaves, in the order of the body. If several overlap, the longest wins. */
  find(body: Range, leaves: Leaves): readonly NameMatch[] {
    this.#load(leaves);
    if (this.#count === 0) return none;
    const found = this.#findAll(body, leaves);
    this.#forget(leaves.values);
    return found.length > 1 ? chooseMatches(found, leaves.paths) : found;
  }

  #load({ values, valuesStart, valuesEnd }: Leaves): void {
    const cursor = this.#cursor;
    let at = valuesStart;
    for (let leaf = 0; at < valuesEnd && leaf < namesMax; leaf++) {
      cursor.read(values, at);
      let { start, end } = cursor;
      at = end;
      while (start < end && kinds[values[start]!]! & is.blank) start++;
      while (end > start && kinds[values[end - 1]!]! & is.blank) end--;
      if (isName(values, start, end)) this.#add(values[start]!, { start, end, leaf });
    }
  }

  #add(first: number, { start, end, leaf }: { start: number; end: number; leaf: number }): void {
    const head = this.#heads[first]!;
    if (head === lineEndHead) return;
    const name = ++this.#count;
    this.#starts[name] = start;
    this.#ends[name] = end;
    this.#leaves[name] = leaf;
    this.#before[name] = head;
    this.#heads[first] = name;
  }

  #forget(values: Uint8Array): void {
    for (let name = this.#count; name > 0; name--) this.#heads[values[this.#starts[name]!]!] = 0;
    this.#count = 0;
  }

  #findAll(body: Range, leaves: Leaves): readonly NameMatch[] {
    const { bytes, start, end } = body;
    const heads = this.#heads;
    const place = this.#place;
    const last = Math.min(end, start + searchedBytesMax);
    let found: NameMatch[] | null = null;
    let compared = 0;
    for (let at = start; at < last; at++) {
      const head = heads[bytes[at]!]!;
      if (head === 0) continue;
      if (head === lineEndHead) {
        if (isLineEnd(body, at)) break;
        continue;
      }
      for (let name = head; name > 0; name = this.#before[name]!) {
        place.at = at;
        place.name = name;
        const same = this.#countSame(body, leaves.values);
        compared += same + 1;
        if (compared > comparedBytesMax || found?.length === matchesMax) return found ?? none;
        if (same < this.#ends[name]! - this.#starts[name]!) continue;
        const match = this.#judge(body, leaves);
        if (match === null) continue;
        found ??= [];
        found.push(match);
      }
    }
    return found ?? none;
  }

  /** Checks a possible match; null if the letters are not a name here. */
  #judge(body: Range, { paths, pathsStart }: Leaves): NameMatch | null {
    const { at, name } = this.#place;
    const match = { start: at, end: at + this.#ends[name]! - this.#starts[name]!, pathStart: 0, pathEnd: 0 };
    if (!isBounded(body, match) || isWholeLine(body, match)) return null;
    const cursor = this.#cursor;
    cursor.readNth(paths, pathsStart, this.#leaves[name]!);
    if (isErrorPath(paths, cursor.start, cursor.end)) return null;
    match.pathStart = cursor.start;
    match.pathEnd = cursor.end;
    return match;
  }

  /** Counts the name's bytes that the body has here. Stops at the end of the line. */
  #countSame({ bytes, end }: Range, values: Uint8Array): number {
    const { at, name } = this.#place;
    const start = this.#starts[name]!;
    const most = Math.min(this.#ends[name]! - start, end - at);
    let same = 0;
    while (same < most) {
      const byte = bytes[at + same]!;
      if (byte !== values[start + same] || kinds[byte]! & is.lineEnd) break;
      same++;
    }
    return same;
  }
}

/** Reads consecutive texts. It creates no objects, because it runs for every entry with metadata. */
class TextCursor {
  /** Bounds of the last text. */
  start = 0;
  end = 0;

  /** Reads the text whose length is at this position. */
  read(bytes: Uint8Array, position: number): void {
    let at = position;
    let byte = bytes[at++]!;
    let length = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      length |= (byte & 0x7f) << shift;
    }
    this.start = at;
    this.end = at + length;
  }

  /** Reads the text with this index, from zero. */
  readNth(bytes: Uint8Array, position: number, index: number): void {
    this.end = position;
    for (let read = 0; read <= index; read++) this.read(bytes, this.end);
  }
}

/** A single byte is usually just a letter, not a name. */
const nameBytesMin = 2;
/** The maximal length of a path (CONTRACT.md, 4.1). */
const nameBytesMax = 256;

const [yes, no, nothing] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const [error, exception, stack, short] = ['error', 'exception', 'stack', 'err'].map(word =>
  Buffer.from(word),
);

/** Whether the value can be a name. Expects no surrounding blanks. Numbers are no names: they always become `<n>`. */
function isName(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < nameBytesMin || length > nameBytesMax) return false;
  const first = bytes[start]!;
  if (first === mark.minus || kinds[first]! & is.digit) return !isNumber(bytes, start, end);
  if (length === 4) return !begins(bytes, start, yes) && !begins(bytes, start, nothing);
  return length !== 5 || !begins(bytes, start, no);
}

/**
 * Whether values at this path are errors rather than names. With a placeholder for them, all errors of a log statement would share
 * one pattern.
 */
function isErrorPath(paths: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + short!.length <= end; at++) {
    const letter = paths[at]! | 0x20;
    if (letter === 0x73 && at + stack!.length <= end && begins(paths, at, stack!)) return true;
    if (letter !== 0x65) continue;
    if (at + error!.length <= end && begins(paths, at, error!)) return true;
    if (at + exception!.length <= end && begins(paths, at, exception!)) return true;
    const isApart = (at === start || isSign(paths[at - 1]!)) && (at + 3 === end || isSign(paths[at + 3]!));
    if (isApart && begins(paths, at, short!)) return true;
  }
  return false;
}

function isSign(byte: number): boolean {
  return byte === mark.dot || byte === mark.minus || byte === mark.underscore;
}

/** Whether the bytes are a number as in JSON. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const whole = bytes[start] === mark.minus ? start + 1 : start;
  let at = skipDigits(bytes, whole, end);
  if (at === whole) return false;
  if (at < end && bytes[at] === mark.dot) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction, end);
    if (at === fraction) return false;
  }
  if (at < end && (bytes[at]! | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    const exponent = sign === mark.minus || sign === mark.plus ? at + 2 : at + 1;
    at = skipDigits(bytes, exponent, end);
    if (at === exponent) return false;
  }
  return at === end;
}

function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && kinds[bytes[at]!]! & is.digit) at++;
  return at;
}

/** Whether the bytes begin with the word, ignoring case. */
function begins(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++)
    if ((bytes[at + index]! | 0x20) !== word[index]) return false;
  return true;
}
