/** Finds the end of varying parts: addresses, dates, times, numbers. Each function returns the position after the part, or 0. */
import { is, kinds, mark, wordBits } from './bytes.ts';

/** A range of bytes. Readers ignore everything outside it. */
export type Range = { bytes: Uint8Array; start: number; end: number };

export function byteAt({ bytes, end }: Range, position: number): number {
  return position < end ? bytes[position]! : 0;
}

export function kindAt({ bytes, end }: Range, position: number): number {
  return position < end ? kinds[bytes[position]!]! : 0;
}

function isDigit(range: Range, position: number): boolean {
  return (kindAt(range, position) & is.digit) !== 0;
}

function isWordAt(range: Range, position: number): boolean {
  return (kindAt(range, position) & wordBits) !== 0;
}

export function skipDigits(range: Range, position: number): number {
  let next = position;
  while (isDigit(range, next)) next++;
  return next;
}

/** Skips an allowed number of digits; 0 if there are fewer or more. */
function skipSome(range: Range, position: number, counts: { min: number; max: number }): number {
  const next = skipDigits(range, position);
  const count = next - position;
  return count >= counts.min && count <= counts.max ? next : 0;
}

const oneOrTwo = { min: 1, max: 2 };
const two = { min: 2, max: 2 };
const four = { min: 4, max: 4 };
const uuidLength = 36;

export function skipUuid(range: Range, start: number): number {
  for (let index = 0; index < uuidLength; index++) {
    const isDash = index === 8 || index === 13 || index === 18 || index === 23;
    if (isDash ? byteAt(range, start + index) !== mark.minus : !(kindAt(range, start + index) & is.hex))
      return 0;
  }
  return isWordAt(range, start + uuidLength) ? 0 : start + uuidLength;
}

/** Skips an IPv4 address: `10.0.0.1`. */
export function skipIpV4(range: Range, start: number): number {
  let position = start;
  for (let group = 0; group < 4; group++) {
    if (group > 0 && byteAt(range, position++) !== mark.dot) return 0;
    const first = position;
    let value = 0;
    while (isDigit(range, position) && position - first < 4)
      value = value * 10 + byteAt(range, position++) - 0x30;
    if (position === first || position - first > 3 || value > 255) return 0;
  }
  const goesOn = byteAt(range, position) === mark.dot && isDigit(range, position + 1);
  return goesOn || isWordAt(range, position) ? 0 : position;
}

type ColonAddress = { end: number; isHardware: boolean };

/** Finds `fe80::1`, `::ffff:10.0.0.1`, eight groups, or six of two digits. With `::`, it requires a digit, unlike `a::b` in code. */
export function findColonAddress(range: Range, start: number): ColonAddress | null {
  let position = start;
  let groups = 0;
  let hasGap = false;
  let hasDigit = false;
  let isPairs = true;
  if (byteAt(range, position) === mark.colon) {
    hasGap = true;
    position += 2;
  }
  while (groups < 9 && kindAt(range, position) & is.hex) {
    const mapped = isDigit(range, position) ? skipIpV4(range, position) : 0;
    const first = position;
    for (; kindAt(range, position) & is.hex; position++) if (isDigit(range, position)) hasDigit = true;
    if (mapped > 0) {
      position = mapped;
      groups += 2;
      isPairs = false;
      break;
    }
    if (position - first > 4) return null;
    if (position - first !== 2) isPairs = false;
    groups++;
    if (byteAt(range, position) !== mark.colon) break;
    if (byteAt(range, position + 1) === mark.colon) {
      if (hasGap) return null;
      hasGap = true;
      position += 2;
    } else if (kindAt(range, position + 1) & is.hex) position++;
    else break;
  }
  if (isWordAt(range, position)) return null;
  if (hasGap) return hasDigit && groups > 0 && groups < 8 ? { end: position, isHardware: false } : null;
  if (groups === 6 && isPairs) return { end: position, isHardware: true };
  return groups === 8 ? { end: position, isHardware: false } : null;
}

/** Skips `2026-11-22`, `22/11/2026`, `22.11.2026` or `22/Nov/2026`, and a time after `T`, a blank or a colon. */
export function skipDate(range: Range, start: number): number {
  const first = skipDigits(range, start);
  const sign = byteAt(range, first);
  if (sign !== mark.minus && sign !== mark.slash && sign !== mark.dot) return 0;
  const isYearFirst = first - start === 4 && sign !== mark.dot;
  if (!isYearFirst && first - start > 2) return 0;
  const middle = skipSome(range, first + 1, oneOrTwo) || (isYearFirst ? 0 : skipMonth(range, first + 1));
  if (middle === 0 || byteAt(range, middle) !== sign) return 0;
  const end = skipSome(range, middle + 1, isYearFirst ? oneOrTwo : four);
  if (end === 0) return 0;
  const next = byteAt(range, end);
  if (next === 0x54 || next === mark.blank || next === mark.colon) {
    const time = skipTime(range, end + 1);
    if (time > 0) return time;
  }
  const goesOn = next === sign && isDigit(range, end + 1);
  return goesOn || isWordAt(range, end) ? 0 : end;
}

/** Skips three letters. */
function skipMonth(range: Range, start: number): number {
  for (let index = 0; index < 3; index++) {
    const kind = kindAt(range, start + index);
    if (!(kind & is.letter) || byteAt(range, start + index) >= 0x80) return 0;
  }
  return start + 3;
}

/** Skips `9:05`, `10:11:12` or `10:11:12.123`, and an offset from UTC. */
export function skipTime(range: Range, start: number): number {
  const hour = skipSome(range, start, oneOrTwo);
  if (hour === 0 || byteAt(range, hour) !== mark.colon) return 0;
  let end = skipSome(range, hour + 1, two);
  if (end === 0) return 0;
  if (byteAt(range, end) === mark.colon && isDigit(range, end + 1)) {
    end = skipSome(range, end + 1, two);
    if (end === 0) return 0;
    const next = byteAt(range, end);
    if ((next === mark.dot || next === mark.comma) && isDigit(range, end + 1))
      end = skipDigits(range, end + 1);
  }
  const offset = skipOffset(range, end);
  if (offset > 0) return offset;
  const goesOn = byteAt(range, end) === mark.colon && isDigit(range, end + 1);
  return goesOn || isWordAt(range, end) ? 0 : end;
}

/** Skips `Z`, `+02:00`, `+0200` or ` +0200`. */
function skipOffset(range: Range, start: number): number {
  if (byteAt(range, start) === 0x5a) return isWordAt(range, start + 1) ? 0 : start + 1;
  const isApart = byteAt(range, start) === mark.blank;
  const position = isApart ? start + 1 : start;
  const sign = byteAt(range, position);
  if (sign !== mark.plus && sign !== mark.minus) return 0;
  let end = skipSome(range, position + 1, four);
  if (end === 0 && !isApart) {
    const hours = skipSome(range, position + 1, two);
    if (hours > 0 && byteAt(range, hours) === mark.colon) end = skipSome(range, hours + 1, two);
  }
  return end === 0 || isWordAt(range, end) ? 0 : end;
}

/** Skips colours and other formatting of terminals (`ESC [ 31 m`), Minecraft (`§a`) and FiveM (`^1`). */
export function skipColour(range: Range, start: number): number {
  const first = byteAt(range, start);
  const next = byteAt(range, start + 1);
  if (first === mark.caret) {
    if (isDigit(range, start + 1) || next === 0x2a || next === 0x3d || next === 0x5f || next === 0x7e)
      return start + 2;
    return next === 0x72 && !isWordAt(range, start + 2) ? start + 2 : 0;
  }
  if (first === 0xc2 && next === 0xa7) return isMinecraftCode(byteAt(range, start + 2)) ? start + 3 : 0;
  if (first !== mark.escape || next !== mark.bracket) return 0;
  let position = start + 2;
  while (byteAt(range, position) >= 0x20 && byteAt(range, position) < 0x40) position++;
  const final = byteAt(range, position);
  return final >= 0x40 && final < 0x7f ? position + 1 : 0;
}

/** Whether the byte is 0 to 9, a to f, k to o, r or x, in any letter case. */
function isMinecraftCode(byte: number): boolean {
  if (kinds[byte]! & is.hex) return true;
  const lower = byte | 0x20;
  return (lower >= 0x6b && lower <= 0x6f) || lower === 0x72 || lower === 0x78;
}
