/** Decides whether a word or a run of digits varies between entries, where it ends, and which placeholder replaces it. */
import { is, kinds, mark, wordBits } from './bytes.ts';
import {
  byteAt,
  findColonAddress,
  kindAt,
  type Range,
  skipDate,
  skipDigits,
  skipIpV4,
  skipTime,
  skipUuid,
} from './scanning.ts';

export const placeholders = {
  number: Buffer.from('<n>'),
  hex: Buffer.from('<hex>'),
  uuid: Buffer.from('<uuid>'),
  address: Buffer.from('<ip>'),
  hardware: Buffer.from('<mac>'),
  time: Buffer.from('<time>'),
  id: Buffer.from('<id>'),
};

export type Verdict = {
  /** null: the word stays. */
  placeholder: Uint8Array | null;
  end: number;
  /** The start of a number's unit, which stays after the placeholder, up to `end`. */
  unitStart: number;
};

const hexLengthMin = 8; // CONTRACT.md, 9.3
const groupLengthMax = 4; // in an IPv6 address

/** Units that may directly follow numbers. */
const units: ReadonlySet<number> = new Set(
  [
    'ns',
    'us',
    'ms',
    's',
    'm',
    'h',
    'd',
    'min',
    'b',
    'k',
    'g',
    't',
    'kb',
    'mb',
    'gb',
    'tb',
    'kib',
    'mib',
    'gib',
    'tib',
  ]
    .concat(['x', 'px', 'hz', 'khz', 'mhz', 'ghz', 'fps', 'st', 'nd', 'rd', 'th'])
    .map(unit => [...Buffer.from(unit)].reduce((packed, byte) => packed * 256 + byte, 0)),
);
const unitLengthMax = 3;

/** Judges a word that starts with a letter and has a digit, or that has only hexadecimal digits. */
export function classifyWord(range: Range, start: number, verdict: Verdict): void {
  const end = skipWord(range, start);
  const isHex = skipHex(range, start) === end;
  if (isHex && classifyGroups(range, { start, end }, verdict)) return;
  if (isHex && end - start >= hexLengthMin) setVerdict(verdict, placeholders.hex, end);
  else setVerdict(verdict, hasDigit(range, { start, end }) ? placeholders.id : null, end);
}

/** Judges a number, date, time or address that starts with a digit. */
export function classifyDigits(range: Range, start: number, verdict: Verdict): void {
  const digits = skipDigits(range, start);
  if (!(kindAt(range, digits) & (wordBits | is.joint)))
    return void setVerdict(verdict, placeholders.number, digits);
  const end = skipWord(range, digits);
  if (skipHex(range, start) === end) {
    if (classifyGroups(range, { start, end }, verdict)) return;
    if (end > digits && end - start >= hexLengthMin) return void setVerdict(verdict, placeholders.hex, end);
  }
  if (end === digits) {
    const time = skipDate(range, start) || (isBehindColon(range, start) ? 0 : skipTime(range, start));
    if (time > 0) return void setVerdict(verdict, placeholders.time, time);
    const address = skipIpV4(range, start);
    if (address > 0) return void setVerdict(verdict, placeholders.address, address);
  }
  classifyNumber(range, start, verdict);
}

/** Judges UUIDs and addresses with colons, which begin with a group of hexadecimal digits. */
function classifyGroups(
  range: Range,
  { start, end }: { start: number; end: number },
  verdict: Verdict,
): boolean {
  const next = byteAt(range, end);
  if (next === mark.minus && end - start === hexLengthMin) {
    const uuid = skipUuid(range, start);
    if (uuid > 0) setVerdict(verdict, placeholders.uuid, uuid);
    return uuid > 0;
  }
  if (next !== mark.colon || end - start > groupLengthMax) return false;
  const address = findColonAddress(range, start);
  if (address === null) return false;
  setVerdict(verdict, address.isHardware ? placeholders.hardware : placeholders.address, address.end);
  return true;
}

function classifyNumber(range: Range, start: number, verdict: Verdict): void {
  const digits = skipDigits(range, start);
  let number = digits;
  while (isSeparator(byteAt(range, number)) && kindAt(range, number + 1) & is.digit) {
    number = skipDigits(range, number + 1);
  }
  const end = skipWord(range, number);
  if (end === number) return void setVerdict(verdict, placeholders.number, end);
  if (number === digits && spellsHex(range, start, end))
    return void setVerdict(verdict, placeholders.hex, end);
  const exponent = skipExponent(range, number, end);
  if (exponent > 0) return void setVerdict(verdict, placeholders.number, exponent);
  if (!isUnit(range, number, end)) return void setVerdict(verdict, placeholders.id, end);
  setVerdict(verdict, placeholders.number, end);
  verdict.unitStart = number;
}

/** Whether the word is written like `0x1f`. */
function spellsHex(range: Range, start: number, end: number): boolean {
  const isMarked = byteAt(range, start) === 0x30 && (byteAt(range, start + 1) | 0x20) === 0x78;
  return isMarked && end > start + 2 && skipHex(range, start + 2) === end;
}

/** Skips an exponent: `e5` or `e-5`. */
function skipExponent(range: Range, start: number, end: number): number {
  if ((byteAt(range, start) | 0x20) !== 0x65) return 0;
  const digits = skipDigits(range, start + 1);
  if (digits > start + 1) return digits === end ? end : 0;
  const sign = byteAt(range, start + 1);
  if (end > start + 1 || (sign !== mark.minus && sign !== mark.plus)) return 0;
  const behind = skipDigits(range, start + 2);
  return behind > start + 2 && !(kindAt(range, behind) & wordBits) ? behind : 0;
}

function isUnit(range: Range, start: number, end: number): boolean {
  if (end - start > unitLengthMax) return false;
  let packed = 0;
  for (let position = start; position < end; position++)
    packed = packed * 256 + (byteAt(range, position) | 0x20);
  return units.has(packed);
}

function isSeparator(byte: number): boolean {
  return byte === mark.dot || byte === mark.comma;
}

function isBehindColon({ bytes, start }: Range, position: number): boolean {
  return position > start && bytes[position - 1] === mark.colon;
}

function skipWord({ bytes, end }: Range, start: number): number {
  let position = start;
  while (position < end && kinds[bytes[position]!]! & wordBits) position++;
  return position;
}

function skipHex({ bytes, end }: Range, start: number): number {
  let position = start;
  while (position < end && kinds[bytes[position]!]! & is.hex) position++;
  return position;
}

function hasDigit({ bytes }: Range, { start, end }: { start: number; end: number }): boolean {
  for (let position = start; position < end; position++) if (kinds[bytes[position]!]! & is.digit) return true;
  return false;
}

function setVerdict(verdict: Verdict, placeholder: Uint8Array | null, end: number): void {
  verdict.placeholder = placeholder;
  verdict.end = end;
  verdict.unitStart = end;
}
