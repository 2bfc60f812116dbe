/** Reads times straight from bytes, just as `times.ts` does. */

import type { Slice } from '@tapedeck/log-entries';
import { parseInstantMicros } from '@tapedeck/values/json';
import { readAnyTime, readNanos, scaleToMillis } from '../reading/times.ts';

const zero = 0x30;
const point = 0x2e;
const exactDigitsMax = 15;

/** Reads digits. Returns -1 for anything else, and for more digits than a number holds exactly. */
function readDigits({ bytes }: Slice, start: number, end: number): number {
  const length = end - start;
  if (length < 1 || length > exactDigitsMax) return -1;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - zero;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Reads a time from a number or a text. */
export function readTimeSlice(slice: Slice, isNumber: boolean): number | null {
  const { bytes, start, end } = slice;
  const digits = readDecimal(slice);
  if (digits >= 0) return scaleToMillis(digits);
  if (isNumber) return readAnyTime(Number(bytes.toString('latin1', start, end)));
  return readUtcInstant(slice) ?? readAnyTime(bytes.toString('utf8', start, end));
}

/** Reads digits with a decimal point. Both halves are exact, so the result is as precise as parsing the text. */
function readDecimal(slice: Slice): number {
  const { bytes, start, end } = slice;
  let at = start;
  while (at < end && bytes[at] !== point) at++;
  if (at === end) return readDigits(slice, start, end);
  const places = end - at - 1;
  const high = readDigits(slice, start, at);
  const low = readDigits(slice, at + 1, end);
  if (high < 0 || low < 0 || end - start - 1 > exactDigitsMax) return -1;
  return (high * 10 ** places + low) / 10 ** places;
}

const minuteLength = 'YYYY-MM-DDThh:mm'.length;
const secondLength = ':ss'.length;
const leastLength = minuteLength + secondLength + 1;
const zulu = 0x5a;
const colon = 0x3a;
/** The last minute read: neighbouring entries usually share it. */
const lastMinute = Buffer.alloc(minuteLength);
let lastMinuteMicros = 0;

/** Reads a UTC instant in the form that most loggers write. Returns null for any other text. */
function readUtcInstant(slice: Slice): number | null {
  const { bytes, start, end } = slice;
  if (end - start < leastLength || bytes[end - 1] !== zulu) return null;
  const seconds = start + minuteLength;
  if (bytes[seconds] !== colon || !startsWithMinute(slice)) return null;
  const whole = readDigits(slice, seconds + 1, seconds + secondLength);
  if (whole < 0 || whole > 59) return null;
  const micros = readFraction(slice, seconds + secondLength, end - 1);
  return micros < 0 ? null : (lastMinuteMicros + whole * 1_000_000 + micros) / 1000;
}

/** Returns whether the slice begins with a minute, and remembers it as the last one. */
function startsWithMinute({ bytes, start }: Slice): boolean {
  let at = 0;
  while (at < minuteLength && bytes[start + at] === lastMinute[at]) at++;
  if (at === minuteLength) return true;
  const micros = parseInstantMicros(`${bytes.toString('latin1', start, start + minuteLength)}:00Z`);
  if (micros === null) return false;
  bytes.copy(lastMinute, 0, start, start + minuteLength);
  lastMinuteMicros = micros;
  return true;
}

const fractionDigits = 6;

/** Returns microseconds, or -1 if the fraction is malformed. */
function readFraction(slice: Slice, start: number, end: number): number {
  if (start === end) return 0;
  const length = end - start - 1;
  if (slice.bytes[start] !== point || length < 1 || length > fractionDigits) return -1;
  const digits = readDigits(slice, start + 1, end);
  return digits < 0 ? -1 : digits * 10 ** (fractionDigits - length);
}

const nanosDigitsMin = 7;
const nanosCut = 3;

/** Reads decimal nanoseconds. Returns null for anything else. */
export function readNanosSlice(slice: Slice): number | null {
  const { bytes, start, end } = slice;
  const lastDigits = end - start < nanosDigitsMin ? -1 : readDigits(slice, end - nanosCut, end);
  const micros = lastDigits < 0 ? -1 : readExact(slice, start, end - nanosCut);
  return micros < 0 ? readNanos(bytes.toString('latin1', start, end)) : micros / 1000;
}

/** Like `readDigits`, but accepts one more digit if the number stays exact. */
function readExact(slice: Slice, start: number, end: number): number {
  if (end - start <= exactDigitsMax) return readDigits(slice, start, end);
  if (end - start > exactDigitsMax + 1) return -1;
  const high = readDigits(slice, start, end - 1);
  const low = readDigits(slice, end - 1, end);
  const number = high * 10 + low;
  return high < 0 || low < 0 || number > Number.MAX_SAFE_INTEGER ? -1 : number;
}
