/** Finds the terms of a search in a matching text. */

/** Words, and "phrases in quotes", as the service reads them. */
const termPattern = /"([^"]*)(?:"|$)|([^\s"]\S*)/gu;

/** If the first match is further back than this, the line omits its beginning. */
const leadCharactersMax = 60;

type Piece = { text: string; isMatch: boolean };

export function readTerms(words: string): string[] {
  const terms = [...words.matchAll(termPattern)].map(([, phrase, word]) => phrase ?? word ?? '');
  return terms.filter(term => term !== '');
}

/** Splits the text into pieces; every other piece is a match. */
export function markTerms(text: string, terms: readonly string[]): Piece[] {
  const pattern = composePattern(terms);
  const texts = pattern === null ? [text] : text.split(pattern);
  return texts.map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }));
}

/** Cuts a text to fit a line, starting so that the first match is visible. */
export function cutLine(text: string, terms: readonly string[], charactersMax: number): string {
  const at = composePattern(terms)?.exec(text)?.index ?? 0;
  if (at <= leadCharactersMax) return sliceWhole(text, 0, charactersMax);
  const start = at - leadCharactersMax / 2;
  return `…${sliceWhole(text, start, start + charactersMax)}`;
}

/** Drops half surrogate pairs at both ends. */
function sliceWhole(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}

/** Puts the longest terms first, so that of two with the same start the longer one matches. */
function composePattern(terms: readonly string[]): RegExp | null {
  if (terms.length === 0) return null;
  const longestFirst = terms.toSorted((one, other) => other.length - one.length);
  return new RegExp(`(${longestFirst.map(escapePattern).join('|')})`, 'iu');
}

function escapePattern(term: string): string {
  return term.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
