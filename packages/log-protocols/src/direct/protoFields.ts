/** Fields of Protocol Buffers where they lie in bytes. -1, or false, stands for what is not plain, whether it is wrong or rare. */
import { isUtf8 } from 'node:buffer';
import type { Slice } from '@tapedeck/log-entries';
import type { Reading } from '@tapedeck/log-entries/direct';
import { WireType } from '../protobuf.ts';

const groupBits = 7;
const groupMask = 0x7f;
const more = 0x80;
const groupsMax = 7; // 49 bits, which a number holds

/** A number in groups of seven bits. */
export function readVarint(reading: Reading, end: number): number {
  const { bytes } = reading;
  const first = reading.at < end ? bytes[reading.at++]! : more;
  if (first < more) return first;
  let value = first & groupMask;
  for (let group = 1; group < groupsMax && reading.at < end; group++) {
    const byte = bytes[reading.at++]!;
    value += (byte & groupMask) * 2 ** (groupBits * group);
    if (byte < more) return value;
  }
  return -1;
}

/** Where that ends which stands here behind its length. */
export function readSpan(reading: Reading, end: number): number {
  const length = readVarint(reading, end);
  const spanEnd = reading.at + length;
  return length < 0 || spanEnd > end ? -1 : spanEnd;
}

/** Reads a text behind its length. */
export function readProtoText(reading: Reading, end: number, into: Slice): boolean {
  const textEnd = readSpan(reading, end);
  if (textEnd < 0) return false;
  into.bytes = reading.bytes;
  into.start = reading.at;
  into.end = textEnd;
  reading.at = textEnd;
  return isText(into);
}

function isText({ bytes, start, end }: Slice): boolean {
  let bits = 0;
  for (let at = start; at < end; at++) bits |= bytes[at]!;
  return bits < more || isUtf8(bytes.subarray(start, end));
}

/** Passes over the rest of a field that is known to be of no use. */
export function passField(reading: Reading, end: number, wire: WireType): boolean {
  if (wire === WireType.Varint) return readVarint(reading, end) >= 0;
  const fieldEnd = wire === WireType.LengthDelimited ? readSpan(reading, end) : -1;
  if (fieldEnd >= 0) reading.at = fieldEnd;
  return fieldEnd >= 0;
}

const scratch = Buffer.alloc(64); // the longest number takes 25 bytes, and an id of a trace 32

/** A number as ECMAScript prints it, until the next one is written out. */
export function printNumber(number: number, into: Slice): void {
  const text = String(number);
  for (let index = 0; index < text.length; index++) scratch[index] = text.charCodeAt(index);
  into.bytes = scratch;
  into.start = 0;
  into.end = text.length;
}

const digits = Buffer.from('0123456789abcdef');

/** Bytes behind their length as hexadecimal digits, until the next ones are written out. */
export function readHex(reading: Reading, end: number, into: Slice): boolean {
  const bytesEnd = readSpan(reading, end);
  if (bytesEnd < 0 || 2 * (bytesEnd - reading.at) > scratch.length) return false;
  let to = 0;
  for (; reading.at < bytesEnd; reading.at++) {
    const byte = reading.bytes[reading.at]!;
    scratch[to++] = digits[byte >>> 4]!;
    scratch[to++] = digits[byte & 15]!;
  }
  into.bytes = scratch;
  into.start = 0;
  into.end = to;
  return true;
}
