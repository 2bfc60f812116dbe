/** Writes texts of others into messages: shortened at whole characters, and escaped so that they stay plain text. */
import { removeColours } from '@tapedeck/values/colour-codes';

/** Returns a character's spelling, given the one before it. */
export type Spelling = (character: string, before: string) => string;

export const asItIs: Spelling = character => character;

const ellipsis = '…';

/** Writes at most `lengthMax` UTF-16 units, including the ellipsis: no service counts a text as longer. */
export function write(text: string, lengthMax: number, spell: Spelling = asItIs): string {
  const parts: string[] = [];
  let [length, before] = [0, ''];
  // Escaping never shortens a text, so later characters could not fit.
  for (const character of clean(text.slice(0, lengthMax + 1_000))) {
    const part = spell(character, before);
    parts.push(part);
    length += part.length;
    before = character;
    if (length > lengthMax) return cut(parts, length, lengthMax);
  }
  return parts.join('');
}

export function writeLine(text: string, lengthMax: number, spell: Spelling = asItIs): string {
  return write(
    text
      .slice(0, lengthMax + 1_000)
      .replace(/\s+/gu, ' ')
      .trim(),
    lengthMax,
    spell,
  );
}

function cut(parts: string[], length: number, lengthMax: number): string {
  let rest = length;
  while (rest > lengthMax - ellipsis.length && parts.length > 0) rest -= parts.pop()!.length;
  return lengthMax > 0 ? parts.join('') + ellipsis : '';
}

/** Removes colour codes, control characters other than line ends and tabs, and characters that change the writing direction. */
function clean(text: string): string {
  return removeColours(text)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '');
}
