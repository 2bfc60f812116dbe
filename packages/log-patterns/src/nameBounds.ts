/** Decides where a name can begin and end in a body: at word bounds, and never as the whole line. */
import { is, kinds, wordBits } from './bytes.ts';
import type { NameMatch } from './nameMatches.ts';
import { kindAt, type Range, skipColour } from './scanning.ts';

const colourBytesMax = 12; // `ESC [ 38;5;208 m`

export function isBounded(range: Range, { start, end }: NameMatch): boolean {
  return (isBound(range, start) || isBehindColour(range, start)) && isBound(range, end);
}

/** Whether the line contains nothing but the match. */
export function isWholeLine(range: Range, { start, end }: NameMatch): boolean {
  if (skipNothing(range, range.start, is.blank | is.lineEnd) < start) return false;
  const behind = skipNothing(range, end, is.blank);
  return behind >= range.end || (kindAt(range, behind) & is.lineEnd) !== 0;
}

/** Whether the line has text before this position. */
export function isLineEnd(range: Range, position: number): boolean {
  return skipNothing(range, range.start, is.blank | is.lineEnd) < position;
}

function isBound({ bytes, start, end }: Range, position: number): boolean {
  if (position <= start || position >= end) return true;
  if (!(kinds[bytes[position - 1]!]! & wordBits) || !(kinds[bytes[position]!]! & wordBits)) return true;
  return isUnspaced(bytes[position]!) || isUnspaced(leadOf(bytes, position - 1));
}

/** Whether the byte begins U+3000 to U+DFFF: these scripts have no blanks between words, or append endings to names. */
function isUnspaced(lead: number): boolean {
  return lead >= 0xe3 && lead <= 0xed;
}

/** Returns the first byte of the character at this position. */
function leadOf(bytes: Uint8Array, position: number): number {
  let at = position;
  while (at > 0 && position - at < 3 && (bytes[at]! & 0xc0) === 0x80) at--;
  return bytes[at]!;
}

function isBehindColour(range: Range, position: number): boolean {
  const first = Math.max(range.start, position - colourBytesMax);
  for (let at = position - 2; at >= first; at--) if (skipColour(range, at) === position) return true;
  return false;
}

/** Skips colour codes and bytes of these kinds. */
function skipNothing(range: Range, start: number, kindBits: number): number {
  let position = start;
  while (position < range.end) {
    const next = kindAt(range, position) & kindBits ? position + 1 : skipColour(range, position);
    if (next === 0) break;
    position = next;
  }
  return position;
}
