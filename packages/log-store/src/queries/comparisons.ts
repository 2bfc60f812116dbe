/** Formats comparisons with texts, parts of texts and traceIds, and joins them. They fold letter case on both sides. */

import { composeTraceId, parseTraceId } from '@tapedeck/log-entries';
import { foldCase } from '@tapedeck/values/case-folding';
import { type Binder, bindMicros } from '../writer/engine/statements.ts';
import { foldColumn } from '../writer/schema/folding.ts';
import { joinedValues } from '../writer/schema/schema.ts';

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

export function formatInBody(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('body', only, binder) : null;
  if (plain !== null) return plain;
  return formatWildcards('bodyFolded', [surround(parts)], binder);
}

/** Formats whether the parts occur in one metadata value. */
export function formatInValues(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  // Searches all values joined by NUL. Texts with a NUL, and several parts of one value, need a search in each value.
  if (others.length === 0 && !only.includes('\0')) {
    return formatPlain(joinedValues, only, binder) ?? formatContained('valuesFolded', foldCase(only), binder);
  }
  const isMatch = formatWildcards(foldedValue, [surround(parts)], binder);
  return `arrayExists(value -> ${isMatch}, mapValues(metadata))`;
}

export function formatInResource(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('resource', only, binder) : null;
  return plain ?? formatWildcards(foldColumn('resource'), [surround(parts)], binder);
}

/** Formats whether the parentId equals the text. */
export function formatParent(text: string, binder: Binder): string {
  const folded = isAscii(text) ? foldToAscii('parentId') : foldColumn('parentId');
  return `${folded} = ${binder.bind('String', foldCase(text))}`;
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
export const nowhere = '0';

/** Compares the traceId through its time and identity, so that the engine uses the key. */
export function formatTraceId(text: string, binder: Binder): string {
  const halves = parseTraceId(text);
  if (halves === null || composeTraceId(halves.timestampMicros, halves.identity) !== text) return nowhere;
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `(timestamp = ${bindMicros(halves.timestampMicros, binder)} AND identity = ${identity})`;
}
