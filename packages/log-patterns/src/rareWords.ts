/**
 * Merges lines with the same signs and the same number of words. A word that is rare in its place is a name or a value. This is the
 * last resort of `merging.ts`, for lines with several such words side by side.
 */
import { wordsPlaceholder } from './templates.ts';
import type { Token } from './tokens.ts';

const linesMin = 12; // to merge into one
const keptMin = 2; // words, and a quarter of all words; fewer do not prove that the lines are alike
const keptShare = 1 / 4;

/** Maps indexes of lines to their merged texts. */
export function findRare(lines: readonly (readonly Token[])[]): Map<number, string> {
  const shapes = new Map<string, number[]>();
  for (const [index, tokens] of lines.entries()) {
    const key = tokens.map(each => (each.isGapWord && !each.isDecisive ? '\u0001' : each.text)).join('');
    const known = shapes.get(key);
    if (known === undefined) shapes.set(key, [index]);
    else known.push(index);
  }
  const found = new Map<number, string>();
  for (const indexes of shapes.values()) {
    if (indexes.length < linesMin) continue;
    for (const [text, alike] of fill(lines, indexes))
      if (alike.length >= linesMin) for (const index of alike) found.set(index, text);
  }
  return found;
}

/** Groups lines of one shape by their merged text. */
function fill(lines: readonly (readonly Token[])[], indexes: readonly number[]): Map<string, number[]> {
  const counts = new Map<string, number>();
  const at = (place: number, word: string) => `${place} ${word}`;
  for (const index of indexes)
    for (const [place, { text }] of lines[index]!.entries())
      counts.set(at(place, text), (counts.get(at(place, text)) ?? 0) + 1);
  const filled = new Map<string, number[]>();
  for (const index of indexes) {
    let [kept, words, text] = [0, 0, ''];
    for (const [place, each] of lines[index]!.entries()) {
      const isRare = each.isGapWord && counts.get(at(place, each.text))! < linesMin;
      if (each.isGapWord) words++;
      if (each.isWord && !isRare) kept++;
      text += isRare ? wordsPlaceholder : each.text;
    }
    if (kept < keptMin || kept < words * keptShare) continue;
    const known = filled.get(text);
    if (known === undefined) filled.set(text, [index]);
    else known.push(index);
  }
  return filled;
}
