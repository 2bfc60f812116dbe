/** Formats conditions on texts: comparisons that fold letter case on both sides, and searches with hints for the indexes. */

import { composeTraceId, parseTraceId } from '@tapedeck/log-entries';
import { type Condition, findTraceId } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { type Binder, bindMicros } from '../writer/engine/statements.ts';
import { foldColumn } from '../writer/schema/folding.ts';
import { bodyFolded, indexedTexts, joinedValues, valuesFolded } from '../writer/schema/schema.ts';
import { formatExactly, formatMatch, formatPieces } from './exactMatching.ts';
import { findLiterals } from './expressionLiterals.ts';
import { findNeedle } from './indexPruning.ts';

/** Parts with anything between them. An empty part at an end allows anything there, too. */
type Wildcard = readonly string[];

/** Formats whether the text in the column matches one of the wildcards. The column must be folded. */
export function formatWildcards(column: string, wildcards: readonly Wildcard[], binder: Binder): string {
  const [only, ...others] = wildcards;
  if (only !== undefined && others.length === 0) return `${column} LIKE ${bindLike(only, binder)}`;
  const patterns = wildcards.map(parts => parts.map(part => escapePattern(foldCase(part))).join('.*'));
  return `match(${column}, ${binder.bind('String', `(?s)^(?:${patterns.join('|')})$`)})`;
}

/** Formats whether the column contains the term. The column must be folded. */
export function formatContained(column: string, term: string, binder: Binder): string {
  return `${column} LIKE ${bindLike(['', term, ''], binder)}`;
}

const kelvin = '\u212a';
const longS = '\u017f';

/**
 * Folds an expression enough for comparing it with ASCII texts (see `foldCase`): it folds ASCII, and the only two other
 * characters that fold to ASCII, the Kelvin sign and the long s.
 */
export function foldToAscii(expression: string): string {
  return `replaceAll(replaceAll(lower(${expression}), '${kelvin}', 'k'), '${longS}', 's')`;
}

/** Whether the term is pure ASCII, so that `foldToAscii` is enough for comparing it. */
function isAscii(term: string): boolean {
  return /^[\x01-\x7f]+$/.test(term);
}

const foldedValue = foldColumn('value');

/** Formats whether the column contains an ASCII text. Copies long texts only if they hold the two special characters. */
function formatPlain(column: string, term: string, binder: Binder): string | null {
  if (!isAscii(term)) return null;
  const lowered = binder.bind('String', foldCase(term));
  const isIn = `positionCaseInsensitive(${column}, ${lowered}) > 0`;
  if (!/[ks]/i.test(term)) return isIn;
  return `(${isIn} OR NOT isValidASCII(${column}) AND position(${foldToAscii(column)}, ${lowered}) > 0)`;
}

function formatInBody(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('body', only, binder) : null;
  if (plain !== null) return plain;
  return formatWildcards(bodyFolded, [surround(parts)], binder);
}

/** Formats whether the parts occur in one metadata value. */
function formatInValues(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  // Searches all values joined by NUL. Texts with a NUL, and several parts of one value, need a search in each value.
  if (others.length === 0 && !only.includes('\0')) {
    return formatPlain(joinedValues, only, binder) ?? formatContained(valuesFolded, foldCase(only), binder);
  }
  const isMatch = formatWildcards(foldedValue, [surround(parts)], binder);
  return `arrayExists(value -> ${isMatch}, mapValues(metadata))`;
}

function formatInResource(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('resource', only, binder) : null;
  return plain ?? formatWildcards(foldColumn('resource'), [surround(parts)], binder);
}

/** Formats whether the parentId equals the text. */
function formatParent(text: string, binder: Binder): string {
  const folded = isAscii(text) ? foldToAscii('parentId') : foldColumn('parentId');
  return `${folded} = ${binder.bind('String', foldCase(text))}`;
}

const names = Object.entries(indexedTexts).map(([name, expression]) => ({
  pattern: new RegExp(`\\b${name}\\b`),
  definition: `(${expression} AS ${name})`,
}));

/**
 * Writes out each indexed text where the clause has its name for the first time. Otherwise the engine would plan the expression once for each name,
 * which takes 2 ms for `tokens`.
 */
export function defineTexts(clause: string): string {
  return names.reduce((sql, { pattern, definition }) => sql.replace(pattern, () => definition), clause);
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

export function joinAny(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives.join() : `(${alternatives.join(' OR ')})`;
}

/** Joins conditions with AND. An empty list holds. */
export function joinAll(conditions: readonly string[]): string {
  return conditions.length === 0
    ? '1'
    : conditions.length === 1
      ? conditions.join()
      : `(${conditions.join(' AND ')})`;
}

export function formatEquals(column: string, texts: readonly string[], binder: Binder): string {
  const [only, ...others] = texts;
  return only !== undefined && others.length === 0
    ? `${column} = ${binder.bind('String', only)}`
    : `${column} IN ${binder.bindTexts(texts)}`;
}

/** Matches no entry. */
const nowhere = '0';

/** Compares the traceId through its time and identity, so that the engine uses the key. */
export function formatTraceId(text: string, binder: Binder): string {
  const halves = parseTraceId(text);
  if (halves === null || composeTraceId(halves.timestampMicros, halves.identity) !== text) return nowhere;
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `(timestamp = ${bindMicros(halves.timestampMicros, binder)} AND identity = ${identity})`;
}

export type Search = {
  parts: readonly string[];
  /** The texts to search: only the body, or also values and resource. */
  reach: 'body' | 'all';
  exact: string;
  /** Other ways to match: the text equals the parentId or the traceId. */
  besides: { parentId: string | null; traceId: string | null };
  /** Whether the term only requires that a text in reach contains the text. */
  isPlain: boolean;
};

const nothingBesides = { besides: { parentId: null, traceId: null } };

/** Reads a search term; null for terms of other kinds. */
export function readSearch(term: Condition, binder: Binder): Search | null {
  switch (term.kind) {
    case 'text':
      return readText(term.text, binder);
    case 'textParts':
      return { ...readAnywhere(term.parts, binder), isPlain: false };
    case 'content': {
      const exact = joinAny([formatInBody([term.text], binder), formatInValues([term.text], binder)]);
      return {
        parts: [term.text],
        reach: 'all',
        exact,
        ...nothingBesides,
        isPlain: false,
      };
    }
    case 'bodyExactly':
      return readBody([term.text], formatExactly(term.text, binder));
    case 'bodyPattern': {
      const texts = term.pieces.filter(piece => piece !== null);
      return readBody(texts, formatPieces(term.pieces, binder));
    }
    case 'matches':
      if (term.field.kind !== 'body') return null;
      return readBody(findLiterals(term.expression), formatMatch('body', term.expression, binder));
    case 'body': {
      const [value, ...others] = term.values;
      if (value?.kind !== 'holds' || others.length > 0) return null;
      const { parts } = value;
      const exact = formatInBody(parts, binder);
      return {
        parts,
        reach: 'body',
        exact,
        ...nothingBesides,
        isPlain: parts.length === 1,
      };
    }
    default:
      return null;
  }
}

/** Reads a case-sensitive search. Indexes fold case, so they lead to some additional entries. */
function readBody(parts: readonly string[], exact: string): Search {
  return { parts, reach: 'body', exact, ...nothingBesides, isPlain: false };
}

function readText(text: string, binder: Binder): Search {
  const found = readAnywhere([text], binder);
  const traceId = findTraceId(text);
  const byKey = traceId === null ? nowhere : formatTraceId(traceId, binder);
  const besides = {
    parentId: formatParent(text, binder),
    traceId: byKey === nowhere ? null : byKey,
  };
  const exact = joinAny([found.exact, ...listBesides(besides)]);
  return { ...found, exact, besides, isPlain: true };
}

/** Reads a search for parts in the body, a value or the resource. */
function readAnywhere(parts: readonly string[], binder: Binder): Omit<Search, 'isPlain'> {
  const exact = joinAny([
    formatInBody(parts, binder),
    formatInValues(parts, binder),
    formatInResource(parts, binder),
  ]);
  return { parts, reach: 'all', exact, ...nothingBesides };
}

function listBesides({ parentId, traceId }: Search['besides']): string[] {
  return [parentId, traceId].filter(condition => condition !== null);
}

/** Formats a search for one statement: the exact condition and, if allowed, hints. null for terms of other kinds. */
export function formatSearch(
  term: Condition,
  { binder, mayHint }: { binder: Binder; mayHint: boolean },
): string[] | null {
  const search = readSearch(term, binder);
  if (search === null) return null;
  // No index contains the entry's own traceId; the tokens contain folded parentIds.
  const isCovered = search.besides.traceId === null;
  return [search.exact, ...(mayHint && isCovered ? formatHints(search, binder) : [])];
}

/** Formats hints for entries with a metadata value that has these parts. */
export function formatValueHints(parts: readonly string[], binder: Binder): string[] {
  return formatHints({ parts, reach: 'all' }, binder);
}

/**
 * Formats conditions that hold for every entry with the parts. In one statement, no index excludes entries that have neither a word
 * nor an identifier with these letters, or no such word in the body or elsewhere: that takes several statements.
 */
function formatHints({ parts, reach }: Pick<Search, 'parts' | 'reach'>, binder: Binder): string[] {
  const needle = findNeedle(parts);
  if (needle.kind === 'filter') return [formatContained(needle.column, needle.text, binder)];
  if (needle.kind === 'word' && reach === 'body')
    return [formatContained('bodyWords', needle.letters, binder)];
  return [];
}
