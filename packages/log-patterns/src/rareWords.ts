/**
 * Merges lines with the same signs and as many words: what hardly any other of them has in the same place is a name or a value. The last
 * resort of `merging.ts`, for lines with several of these side by side.
 */
import { isDecisive } from './decisiveWords.ts';
import { isGapWord, isWord } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';

const linesMin = 12; // that become one
const keptMin = 2; // words, and a quarter of all: else nothing says that the lines are alike
const keptShare = 1 / 4;

/** By the index of a line: what it becomes. */
export function findRare(lines: readonly (readonly string[])[]): Map<number, string> {
  const shapes = new Map<string, number[]>();
  for (const [index, tokens] of lines.entries()) {
    const key = tokens.map(each => (isGapWord(each) && !isDecisive(each) ? '\u0001' : each)).join('');
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

/** By the text that they become, the lines of one shape. */
function fill(lines: readonly (readonly string[])[], indexes: readonly number[]): Map<string, number[]> {
  const counts = new Map<string, number>();
  const at = (place: number, word: string) => `${place} ${word}`;
  for (const index of indexes)
    for (const [place, each] of lines[index]!.entries())
      counts.set(at(place, each), (counts.get(at(place, each)) ?? 0) + 1);
  const filled = new Map<string, number[]>();
  for (const index of indexes) {
    const tokens = lines[index]!.map((each, place) =>
      isGapWord(each) && counts.get(at(place, each))! < linesMin ? wordsPlaceholder : each,
    );
    const kept = tokens.filter(isWord).length;
    if (kept < keptMin || kept < lines[index]!.filter(isGapWord).length * keptShare) continue;
    const text = tokens.join('');
    const known = filled.get(text);
    if (known === undefined) filled.set(text, [index]);
    else known.push(index);
  }
  return filled;
}
