/**
 * Finds where strings and numbers lie in the bytes of JSON, without making values of them. It reads what clients write day by
 * day. What is rare or wrong it does not read, and says so: the caller then leaves the whole to JSON.parse, which knows every
 * case and every error.
 */
import type { Slice } from '../../ports/logs.ts';

/** A place in bytes that are known to be UTF-8. */
export type Reading = {
  readonly bytes: Buffer;
  at: number;
  /** What does not stand in the bytes as it is meant is written out here, one behind the other. */
  written: Buffer | null;
  writtenLength: number;
};

export const mark = {
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

const space = 0x20; // no string holds a byte below it unescaped
const otherBlanks: readonly number[] = [0x0a, 0x09, 0x0d];
const exponents: readonly number[] = [0x65, 0x45];
const exactLengthMax = 15; // of a decimal that is sure to become itself again
const escapes = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)],
  ),
);
const unicodeLetter = 0x75;
const unicodeEscape = /^(?:\\u[0-9A-Fa-f]{4})+$/;
const unicodeEscapeLength = 6;
const literals = ['true', 'false', 'null'].map(word => Buffer.from(word));

export function startReading(bytes: Buffer): Reading {
  return { bytes, at: 0, written: null, writtenLength: 0 };
}

/** Of no bytes yet. */
export function createSlice(bytes: Buffer): Slice {
  return { bytes, start: 0, end: 0 };
}

/** The next byte that is not blank; the reading stands there. 0 at the end. */
export function peek(reading: Reading): number {
  const { bytes, at } = reading;
  if (at >= bytes.length) return 0;
  const byte = bytes[at]!;
  return byte > space ? byte : peekBehindBlanks(reading);
}

function peekBehindBlanks(reading: Reading): number {
  const { bytes } = reading;
  while (reading.at < bytes.length) {
    const byte = bytes[reading.at]!;
    if (byte !== space && !otherBlanks.includes(byte)) return byte;
    reading.at++;
  }
  return 0;
}

/** Reads the byte when it comes next. */
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
    if (byte < space) return false;
  }
  return false;
}

/** Reads the number that begins here, as ECMAScript prints it. */
export function readNumber(reading: Reading, into: Slice): boolean {
  const { bytes, at: start } = reading;
  const whole = bytes[start] === mark.minus ? start + 1 : start;
  const wholeEnd = passDigits(bytes, whole);
  const startsWithZero = bytes[whole] === mark.zero;
  if (wholeEnd === whole || (startsWithZero && wholeEnd > whole + 1)) return false;
  const hasFraction = bytes[wholeEnd] === mark.point;
  const end = hasFraction ? passDigits(bytes, wholeEnd + 1) : wholeEnd;
  if (hasFraction && end === wholeEnd + 1) return false;
  if (exponents.includes(bytes[end] ?? 0)) return false;
  // Zeros at the end of a fraction are not printed, the sign of zero neither, and tiny numbers have an exponent.
  const isPrintedSo = hasFraction
    ? bytes[end - 1] !== mark.zero && !(startsWithZero && bytes[wholeEnd + 1] === mark.zero)
    : !startsWithZero || whole === start;
  readUntil(reading, into, end);
  if (!isPrintedSo || end - start > exactLengthMax) {
    writeOut(reading, into, String(Number(bytes.toString('latin1', start, end))));
  }
  return true;
}

/** Reads the word that begins here. */
export function readLiteral(reading: Reading, into: Slice): boolean {
  const { bytes, at } = reading;
  for (const literal of literals) {
    if (bytes[at] === literal[0]) {
      readUntil(reading, into, at + literal.length);
      return spells(into, literal);
    }
  }
  return false;
}

/** Whether the slice holds exactly these bytes. */
export function spells(slice: Slice, word: Buffer): boolean {
  const { bytes, start, end } = slice;
  if (end - start !== word.length || end > bytes.length) return false;
  for (let index = 0; index < word.length; index++) if (bytes[start + index] !== word[index]) return false;
  return true;
}

function readUntil(reading: Reading, into: Slice, end: number): void {
  if (reading.written !== null) into.bytes = reading.bytes; // until then no slice lies elsewhere
  into.start = reading.at;
  into.end = end;
  reading.at = end;
}

function passDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! >= mark.zero && bytes[at]! <= mark.nine) at++;
  return at;
}

/** What is written out never takes more room than it took in the bytes. */
function requireWritten(reading: Reading): Buffer {
  reading.written ??= Buffer.allocUnsafe(reading.bytes.length);
  return reading.written;
}

function writeOut(reading: Reading, into: Slice, text: string): void {
  const end = reading.writtenLength + requireWritten(reading).write(text, reading.writtenLength);
  takeWritten(reading, into, end);
}

/** What was written out last ends here. */
function takeWritten(reading: Reading, into: Slice, end: number): void {
  into.bytes = requireWritten(reading);
  into.start = reading.writtenLength;
  into.end = end;
  reading.writtenLength = end;
}

/** Reads the rest of a string that has escapes. */
function readEscaped(reading: Reading, into: Slice): boolean {
  const { bytes } = reading;
  const written = requireWritten(reading);
  let to = reading.writtenLength;
  let { at } = reading;
  while (at < bytes.length) {
    const byte = bytes[at++]!;
    if (byte === mark.quote) {
      takeWritten(reading, into, to);
      reading.at = at;
      return true;
    }
    if (byte < space) return false;
    if (byte !== mark.backslash) {
      written[to++] = byte;
      continue;
    }
    const letter = bytes[at++] ?? 0;
    const meaning = escapes.get(letter);
    if (meaning !== undefined) written[to++] = meaning;
    else {
      const end = passUnicodeEscapes(bytes, at - 2);
      const text = readUnicode(bytes.toString('latin1', at - 2, end));
      if (text === null) return false;
      to += written.write(text, to);
      at = end;
    }
  }
  return false;
}

function passUnicodeEscapes(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === mark.backslash && bytes[at + 1] === unicodeLetter) at += unicodeEscapeLength;
  return at;
}

/** null when the escapes are wrong, or leave half a character. */
function readUnicode(escaped: string): string | null {
  if (!unicodeEscape.test(escaped)) return null;
  const text = JSON.parse(`"${escaped}"`) as string; // the JSON of a string
  return text.isWellFormed() ? text : null;
}
