/**
 * Finds strings and numbers in JSON bytes without creating values. It handles what clients usually write. It reports
 * anything rare or wrong; the caller then passes the whole text to JSON.parse, which handles every case and error.
 */
import { type Written, writeEscaped } from './jsonEscapes.ts';
import type { Slice } from './rows.ts';

/** A position in bytes that are known to be UTF-8. */
export type Reading = {
  readonly bytes: Buffer;
  at: number;
  /** Holds texts that the bytes do not hold literally, one after the other. Allocated for the first one. */
  written: Written | null;
};

export const mark = {
  space: 0x20, // strings must escape bytes below it
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  arrayBegin: 0x5b,
  backslash: 0x5c,
  arrayEnd: 0x5d,
  null: 0x6e,
  objectBegin: 0x7b,
  objectEnd: 0x7d,
} as const;

const otherBlanks: readonly number[] = [0x0a, 0x09, 0x0d];
const exponents: readonly number[] = [0x65, 0x45];
const exactDigitsMax = 15; // ECMAScript prints a decimal of up to 15 digits with the same digits
const literals = ['true', 'false', 'null'].map(word => Buffer.from(word));

export function startReading(bytes: Buffer): Reading {
  return { bytes, at: 0, written: null };
}

export function createSlice(bytes: Buffer): Slice {
  return { bytes, start: 0, end: 0 };
}

/** Skips blanks and returns the next byte without taking it; 0 at the end. */
export function peek(reading: Reading): number {
  const { bytes, at } = reading;
  if (at >= bytes.length) return 0;
  const byte = bytes[at]!;
  return byte > mark.space ? byte : peekBehindBlanks(reading);
}

/** A compressed body may consist of megabytes of blanks, so each costs one comparison. */
function peekBehindBlanks(reading: Reading): number {
  const { bytes } = reading;
  const { length } = bytes;
  let { at } = reading;
  let byte = bytes[at]!; // the caller has read it
  while (byte === mark.space || otherBlanks.includes(byte)) {
    do at++;
    while (at < length && bytes[at] === mark.space);
    if (at >= length) break;
    byte = bytes[at]!;
  }
  reading.at = at;
  return at < length ? byte : 0;
}

/** Takes the byte if it comes next. */
export function take(reading: Reading, byte: number): boolean {
  if (reading.bytes[reading.at] !== byte && peek(reading) !== byte) return false;
  reading.at++;
  return true;
}

/** Reads the string that begins here. */
export function readString(reading: Reading, into: Slice): boolean {
  const { bytes } = reading;
  const { length } = bytes;
  reading.at++;
  for (let at = reading.at; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === mark.quote) {
      readUntil(reading, into, at);
      reading.at++;
      return true;
    }
    if (byte === mark.backslash) return readEscaped(reading, into);
    if (byte < mark.space) return false;
  }
  return false;
}

/** Reads the rest of a string that has escapes. */
function readEscaped(reading: Reading, into: Slice): boolean {
  const { bytes } = reading;
  const written = requireWritten(reading);
  const start = written.length;
  let { at } = reading;
  while (at < bytes.length) {
    at = writePlain(written, bytes, at);
    if (bytes[at] === mark.quote) {
      reading.at = at + 1;
      takeWritten(written, into, start);
      return true;
    }
    if (bytes[at] !== mark.backslash) return false;
    at = writeEscaped(written, bytes, at);
    if (at === 0) return false;
  }
  return false;
}

/** Copies bytes up to the next quote, escape or control character. Returns where they end. */
function writePlain(written: Written, bytes: Buffer, from: number): number {
  const { length } = bytes;
  const target = written.bytes;
  let to = written.length;
  let at = from;
  while (at < length) {
    const byte = bytes[at]!;
    if (byte === mark.quote || byte === mark.backslash || byte < mark.space) break;
    target[to++] = byte;
    at++;
  }
  written.length = to;
  return at;
}

/** Reads the number that begins here, as ECMAScript prints it. */
export function readNumber(reading: Reading, into: Slice): boolean {
  const { bytes, at: start } = reading;
  const whole = bytes[start] === mark.minus ? start + 1 : start;
  const point = skipDigits(bytes, whole);
  if (point === whole || (bytes[whole] === mark.zero && point > whole + 1)) return false;
  const hasFraction = bytes[point] === mark.point;
  const end = hasFraction ? skipDigits(bytes, point + 1) : point;
  if ((hasFraction && end === point + 1) || exponents.includes(bytes[end] ?? 0)) return false;
  readUntil(reading, into, hasFraction ? cutZeros(bytes, end) : end);
  reading.at = end;
  if (!isPrintedSo(into, point)) {
    const written = requireWritten(reading);
    const from = written.length;
    const text = String(Number(bytes.toString('latin1', start, end)));
    // The text fits: it is at most one byte longer, and the separator to the next value is not copied.
    written.length += written.bytes.write(text, from);
    takeWritten(written, into, from);
  }
  return true;
}

/** Cuts what ECMAScript does not print: zeros at the end of a fraction, and the point after a whole number. */
function cutZeros(bytes: Buffer, end: number): number {
  let at = end;
  while (bytes[at - 1] === mark.zero) at--;
  return bytes[at - 1] === mark.point ? at - 1 : at;
}

/** Whether ECMAScript prints a decimal exactly as written; false if in doubt. */
function isPrintedSo({ bytes, start, end }: Slice, point: number): boolean {
  const whole = bytes[start] === mark.minus ? start + 1 : start;
  const hasFraction = end > point;
  if (end - whole - (hasFraction ? 1 : 0) > exactDigitsMax) return false;
  if (bytes[whole] !== mark.zero) return true;
  // ECMAScript prints zero without a sign, and tiny numbers with an exponent.
  return hasFraction ? bytes[point + 1] !== mark.zero : whole === start;
}

/** Reads `true`, `false` or `null`. */
export function readLiteral(reading: Reading, into: Slice): boolean {
  const { bytes, at } = reading;
  for (const literal of literals) {
    if (bytes[at] === literal[0]) {
      readUntil(reading, into, Math.min(at + literal.length, bytes.length));
      return spells(into, literal);
    }
  }
  return false;
}

/** Whether the slice holds exactly these bytes. */
export function spells({ bytes, start, end }: Slice, word: Buffer): boolean {
  if (end - start !== word.length) return false;
  for (let index = 0; index < word.length; index++) if (bytes[start + index] !== word[index]) return false;
  return true;
}

function readUntil(reading: Reading, into: Slice, end: number): void {
  // Writing a pointer is expensive. Before the first decoded text, every slice already points to these bytes.
  if (reading.written !== null) into.bytes = reading.bytes;
  into.start = reading.at;
  into.end = end;
  reading.at = end;
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! >= mark.zero && bytes[at]! <= mark.nine) at++;
  return at;
}

function requireWritten(reading: Reading): Written {
  reading.written ??= { bytes: Buffer.allocUnsafe(reading.bytes.length), length: 0 };
  return reading.written;
}

/** Points the slice to the text written since `start`. */
function takeWritten({ bytes, length }: Written, into: Slice, start: number): void {
  into.bytes = bytes;
  into.start = start;
  into.end = length;
}
