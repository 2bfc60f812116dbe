/** How texts are compared with parts of texts in a statement: letter case is folded, on both sides. */
import { foldCase } from '@tapedeck/case-folding';
import { foldColumn } from '../schema/schema.ts';
import type { Binder } from './binder.ts';

/** Parts with anything between one and the next. Empty ones at the ends let anything stand there, too. */
type Wildcard = readonly string[];

const lettersPattern = /^[a-z]+$/;

/** Whether the text in the column is one of these. The column is folded already. */
export function formatWildcards(column: string, wildcards: readonly Wildcard[], binder: Binder): string {
  const [only, ...others] = wildcards;
  if (only !== undefined && others.length === 0) return `${column} LIKE ${bindLike(only, binder)}`;
  const patterns = wildcards.map(parts => parts.map(part => escapePattern(foldCase(part))).join('.*'));
  return `match(${column}, ${binder.bind('String', `(?s)^(?:${patterns.join('|')})$`)})`;
}

/** Whether the term occurs in the column, which is folded already. */
function formatContained(column: string, term: string, binder: Binder): string {
  return `${column} LIKE ${bindLike(['', term, ''], binder)}`;
}

/** Whether the parts occur in the body. What the letters alone tell is read from an index. */
export function formatInBody(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const term = foldCase(only);
  if (others.length > 0) return formatWildcards('folded', [surround(parts)], binder);
  return formatContained(lettersPattern.test(term) ? 'letters' : 'folded', term, binder);
}

const hintLettersMin = 3; // shorter runs occur nearly everywhere
const hintsMax = 2; // the longest narrow down most

/** What bodies hold that hold the parts. Terms of letters alone are answered by the index alone, without that. */
export function formatBodyHints(parts: readonly string[], binder: Binder): string[] {
  const folded = parts.map(foldCase);
  if (folded.length === 1 && lettersPattern.test(folded[0] ?? '')) return [];
  const runs = folded
    .flatMap(part => part.match(/[a-z]+/g) ?? [])
    .filter(run => run.length >= hintLettersMin);
  const hints = runs.sort((one, other) => other.length - one.length).slice(0, hintsMax);
  return hints.map(run => formatContained('letters', run, binder));
}

/** Whether the parts occur in one of the metadata values. */
export function formatInValues(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  // The values are looked at joined by NUL: what holds one is looked for in each by itself, and so are parts of one value.
  if (others.length === 0 && !only.includes('\0')) {
    return formatContained('foldedValues', foldCase(only), binder);
  }
  const isMatch = formatWildcards(foldColumn('value'), [surround(parts)], binder);
  return `arrayExists(value -> ${isMatch}, mapValues(metadata))`;
}

const gramCharacters = 4; // of the index on values; shorter parts are not in it

/** What the joined values hold where one of them is matched; none when the index does not know it. */
export function formatValueHints(wildcard: Wildcard, binder: Binder): string[] {
  const folded = wildcard.map(foldCase).filter(part => part.length >= gramCharacters && !part.includes('\0'));
  const [longest] = folded.sort((one, other) => other.length - one.length);
  return longest === undefined ? [] : [formatContained('foldedValues', longest, binder)];
}

export function surround(parts: readonly string[]): Wildcard {
  return ['', ...parts, ''];
}

function bindLike(wildcard: Wildcard, binder: Binder): string {
  const escaped = wildcard.map(part => foldCase(part).replaceAll(/[\\%_]/g, '\\$&'));
  return binder.bind('String', escaped.join('%'));
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
