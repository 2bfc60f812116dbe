/** Finds the pages and operations that a search means, best first. */

export type Entry = { title: string; url: string; text: string };

const shownMax = 12; // fits on a screen
const excerptCharactersMax = 90;

/** Entries with all words come first; if there are none, those with most. Among equals, titles come before texts. */
export function findMatches(entries: readonly Entry[], typed: string): Entry[] {
  const words = splitWords(typed);
  if (words.length === 0) return [];
  const scored = entries.map(entry => ({ entry, ...scoreEntry(entry, words) }));
  const most = Math.max(1, ...scored.map(({ found }) => found));
  return scored
    .filter(({ found }) => found === most)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, shownMax)
    .map(({ entry }) => entry);
}

function splitWords(typed: string): string[] {
  return typed
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(Boolean);
}

function scoreEntry({ title, text }: Entry, words: readonly string[]): { found: number; score: number } {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  const score = (word: string): number => {
    if (beginsIn(inTitle, word) >= 0) return 3;
    return inTitle.includes(word) ? 2 : beginsIn(inText, word) >= 0 ? 1 : 0;
  };
  const scores = words.map(word => Math.max(score(word), score(findStem(word)) - 0.5));
  const sum = scores.reduce((total, each) => total + Math.max(0, each), 0);
  const isTitled = scores.every(each => each > 1);
  return { found: scores.filter(each => each > 0).length, score: isTitled ? sum + 3 * scores.length : sum };
}

/** Returns the place of the first word that begins so, or -1. */
function beginsIn(text: string, beginning: string): number {
  return text.search(
    new RegExp(`(?<![\\p{L}\\p{N}])${beginning.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`, 'u'),
  );
}

/** `alerts` finds `alert`, and `invite` finds `invitation`. */
function findStem(word: string): string {
  const singular = word.length > 4 ? word.replace(/s$/, '') : word;
  return singular.length > 5 ? singular.replace(/(?:ation|ion|ing|ed|e)$/, '') : singular;
}

/** The line below a title: an operation's method and path, or the words of a guide around the match. */
export function describeMatch({ title, text, url }: Entry, typed: string): string {
  const [operation] = /^[A-Z]+ \S+/.exec(text) ?? [];
  if (url.startsWith('/docs/api/') && operation !== undefined) return operation;
  const lower = text.toLowerCase();
  const places = splitWords(typed)
    .filter(word => beginsIn(title.toLowerCase(), word) < 0)
    .flatMap(word => [beginsIn(lower, word), beginsIn(lower, findStem(word))])
    .filter(place => place >= 0);
  const start = Math.max(0, text.lastIndexOf(' ', Math.min(...places, text.length) - 20));
  const excerpt = text
    .slice(places.length === 0 ? 0 : start)
    .trim()
    .slice(0, excerptCharactersMax);
  return excerpt === '' ? url : excerpt;
}
