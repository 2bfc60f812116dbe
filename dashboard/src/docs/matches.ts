/** Finds the pages and operations that a search means, best first. */

export type Entry = { title: string; url: string; text: string };

const shownMax = 12; // fits on a screen

/** Requires all words. Titles with all of them come first, then those with most. */
export function findMatches(entries: readonly Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map(entry => ({ entry, score: scoreEntry(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, shownMax)
    .map(({ entry }) => entry);
}

function scoreEntry({ title, text }: Entry, words: readonly string[]): number {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  const scores = words.map(word => {
    if (new RegExp(`\\b${word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')}`, 'u').test(inTitle)) return 3;
    return inTitle.includes(word) ? 2 : inText.includes(word) ? 1 : 0;
  });
  if (scores.includes(0)) return 0;
  const sum = scores.reduce<number>((total, score) => total + score, 0);
  return scores.includes(1) ? sum : sum + 3 * scores.length;
}
