/** Reusable byte buffers that grow at their end, filled the way columns of the Native format are. */
import type { Slice } from '@tapedeck/log-entries';

export type ByteColumn = { bytes: Buffer; length: number };

/** Fixed-width values as pairs of 32-bit words, low word first, like 64-bit little-endian integers. */
export type WordColumn = { words: Uint32Array; length: number };

const utf8BytesPerUnitMax = 3; // a UTF-16 unit becomes at most three bytes, a pair of them four
const shortTextUnitsMax = 10; // below it, a loop is faster than a call into the runtime
const shortSliceBytesMax = 32; // below it, a loop is faster for copying, too
const varintBytesMax = 5; // lengths stay below 2^32
const columnBytesAtFirst = 64 * 1024; // grows to what the load needs
const columnBytesKept = 8 * 1024 * 1024; // larger ones, left by a rare huge group, are freed

export function createBytes(bytesAtFirst = columnBytesAtFirst): ByteColumn {
  return { bytes: Buffer.allocUnsafeSlow(bytesAtFirst), length: 0 };
}

export function createWords(bytesAtFirst = columnBytesAtFirst): WordColumn {
  return { words: new Uint32Array(bytesAtFirst / 4), length: 0 };
}

export function viewBytes(column: ByteColumn): Buffer {
  return column.bytes.subarray(0, column.length);
}

export function viewWords(column: WordColumn): Buffer {
  return Buffer.from(column.words.buffer, 0, column.length * 4);
}

export function appendWords(column: WordColumn, low: number, high: number): void {
  if (column.length + 2 > column.words.length) {
    const grown = new Uint32Array(column.words.length * 2);
    grown.set(column.words);
    column.words = grown;
  }
  column.words[column.length++] = low;
  column.words[column.length++] = high;
}

/**
 * Appends a text and returns where it begins, after its length. Lone surrogates become U+FFFD, because UTF-8 has no form for
 * them; the intake refuses or repairs them earlier.
 */
export function appendText(column: ByteColumn, text: string): number {
  const room = text.length * utf8BytesPerUnitMax;
  reserve(column, varintBytesMax + room);
  const { bytes, length } = column;
  if (text.length <= shortTextUnitsMax && writeShortText(bytes, length, text)) {
    column.length = length + 1 + text.length;
    return length + 1;
  }
  // The length precedes the text and is known only after it; that of pure ASCII is right most of the time.
  const expected = countVarintBytes(text.length);
  const written = room === 0 ? 0 : bytes.write(text, length + expected, room);
  const needed = countVarintBytes(written);
  if (needed !== expected) bytes.copyWithin(length + needed, length + expected, length + expected + written);
  writeVarint(bytes, length, written);
  column.length = length + needed + written;
  return length + needed;
}

export function appendSlice(column: ByteColumn, { bytes: from, start, end }: Slice): void {
  const length = end - start;
  reserve(column, varintBytesMax + length);
  const { bytes } = column;
  let to = writeVarint(bytes, column.length, length);
  if (length > shortSliceBytesMax) to += from.copy(bytes, to, start, end);
  else for (let at = start; at < end; at++) bytes[to++] = from[at]!;
  column.length = to;
}

/** Returns false if the text is not pure ASCII. */
function writeShortText(bytes: Buffer, position: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[position + 1 + index] = unit;
  }
  bytes[position] = text.length;
  return true;
}

export function appendRepeated(column: ByteColumn, pattern: Buffer, count: number): void {
  reserve(column, pattern.length * count);
  const end = column.length + pattern.length * count;
  column.bytes.fill(pattern, column.length, end);
  column.length = end;
}

function reserve(column: ByteColumn, count: number): void {
  const needed = column.length + count;
  if (needed <= column.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, column.bytes.length * 2));
  column.bytes.copy(grown, 0, 0, column.length);
  column.bytes = grown;
}

export function appendBytes(column: ByteColumn, bytes: Uint8Array): void {
  reserve(column, bytes.length);
  column.bytes.set(bytes, column.length);
  column.length += bytes.length;
}

export function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([encodeVarint(bytes.length), bytes]);
}

export function encodeVarint(value: number): Buffer {
  const bytes = Buffer.alloc(countVarintBytes(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

function countVarintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/** Returns where the next byte goes. */
function writeVarint(bytes: Buffer, position: number, value: number): number {
  let rest = value;
  let at = position;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** Empties a column. One that grew for a rare huge group gives that memory back. */
export function resetColumn(column: ByteColumn | WordColumn): void {
  column.length = 0;
  if ('bytes' in column) {
    if (column.bytes.length > columnBytesKept) column.bytes = createBytes().bytes;
  } else if (column.words.byteLength > columnBytesKept) column.words = createWords().words;
}

export function appendByte(column: ByteColumn, byte: number): void {
  reserve(column, 1);
  column.bytes[column.length++] = byte;
}
