/** Decides which metadata values are names to look for in a body. Runs for every entry with metadata, so it allocates nothing. */
import { is, kinds, mark } from './bytes.ts';

/** A single byte is a letter more often than a name. */
const nameBytesMin = 2;
/** The maximal length of a path (CONTRACT.md, 4.1). */
const nameBytesMax = 256;

const [yes, no, nothing] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const [error, exception, stack, short] = ['error', 'exception', 'stack', 'err'].map(word =>
  Buffer.from(word),
);

/** Expects a value without surrounding blanks. Numbers become `<n>` wherever they stand. */
export function isName(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < nameBytesMin || length > nameBytesMax) return false;
  const first = bytes[start]!;
  if (first === mark.minus || kinds[first]! & is.digit) return !isNumber(bytes, start, end);
  if (length === 4) return !begins(bytes, start, yes) && !begins(bytes, start, nothing);
  return length !== 5 || !begins(bytes, start, no);
}

/**
 * Whether values under this path say what went wrong rather than with whom: with a placeholder for them, all errors of a place
 * would be one pattern.
 */
export function isErrorPath(paths: Uint8Array, start: number, end: number): boolean {
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

/** As JSON writes numbers. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const whole = bytes[start] === mark.minus ? start + 1 : start;
  let at = passDigits(bytes, whole, end);
  if (at === whole) return false;
  if (at < end && bytes[at] === mark.dot) {
    const fraction = at + 1;
    at = passDigits(bytes, fraction, end);
    if (at === fraction) return false;
  }
  if (at < end && (bytes[at]! | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    const exponent = sign === mark.minus || sign === mark.plus ? at + 2 : at + 1;
    at = passDigits(bytes, exponent, end);
    if (at === exponent) return false;
  }
  return at === end;
}

function passDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && kinds[bytes[at]!]! & is.digit) at++;
  return at;
}

/** Letters count whatever their case. */
function begins(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++)
    if ((bytes[at + index]! | 0x20) !== word[index]) return false;
  return true;
}
