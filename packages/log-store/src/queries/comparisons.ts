/** Comparisons in statements, with texts, parts of texts and traceIds, and how they are joined. Letter case is folded on both sides. */

import { composeTraceId, parseTraceId } from '@tapedeck/log-entries';
import { foldCase } from '@tapedeck/values/case-folding';
import { type Binder, bindMicros } from '../writer/engine/statements.ts';
import { foldColumn } from '../writer/schema/folding.ts';
import { joinedValues } from '../writer/schema/schema.ts';

/** Parts with anything between one and the next. Empty ones at the ends let anything stand there, too. */
type Wildcard = readonly string[];

/** Whether the text in the column is one of these. The column is folded already. */
export function formatWildcards(column: string, wildcards: readonly Wildcard[], binder: Binder): string {
  const [only, ...others] = wildcards;
  if (only !== undefined && others.length === 0) return `${column} LIKE ${bindLike(only, binder)}`;
  const patterns = wildcards.map(parts => parts.map(part => escapePattern(foldCase(part))).join('.*'));
  return `match(${column}, ${binder.bind('String', `(?s)^(?:${patterns.join('|')})$`)})`;
}

/** Whether the term occurs in the column, which is folded already. */
export function formatContained(column: string, term: string, binder: Binder): string {
  return `${column} LIKE ${bindLike(['', term, ''], binder)}`;
}

const kelvin = '\u212a';
const longS = '\u017f';

/**
 * What ASCII texts may be compared with: all characters of ASCII, and those that fold to one (see `foldCase`). No other
 * character is ASCII before or after folding. Only two characters beyond ASCII fold to one of it: the Kelvin sign and
 * the long s.
 */
export function foldToAscii(expression: string): string {
  return `replaceAll(replaceAll(lower(${expression}), '${kelvin}', 'k'), '${longS}', 's')`;
}

/** Whether the term is written in ASCII alone, so that `foldToAscii` folds what it is compared with. */
function isAscii(term: string): boolean {
  return /^[\x01-\x7f]+$/.test(term);
}

const foldedValue = foldColumn('value');

/** Whether a text of ASCII occurs in the column. Long texts are copied for that only where they hold other characters. */
function formatPlain(column: string, term: string, binder: Binder): string | null {
  if (!isAscii(term)) return null;
  const lowered = binder.bind('String', foldCase(term));
  const isIn = `positionCaseInsensitive(${column}, ${lowered}) > 0`;
  if (!/[ks]/i.test(term)) return isIn;
  return `(${isIn} OR NOT isValidASCII(${column}) AND position(${foldToAscii(column)}, ${lowered}) > 0)`;
}

/** Whether the parts occur in the body. */
export function formatInBody(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('body', only, binder) : null;
  if (plain !== null) return plain;
  return formatWildcards('bodyFolded', [surround(parts)], binder);
}

/** Whether the parts occur in one of the metadata values. */
export function formatInValues(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  // The values are looked at joined by NUL: what holds one is looked for in each by itself, and so are parts of one value.
  if (others.length === 0 && !only.includes('\0')) {
    return formatPlain(joinedValues, only, binder) ?? formatContained('valuesFolded', foldCase(only), binder);
  }
  const isMatch = formatWildcards(foldedValue, [surround(parts)], binder);
  return `arrayExists(value -> ${isMatch}, mapValues(metadata))`;
}

/** Whether the parts occur in the resource. */
export function formatInResource(parts: readonly string[], binder: Binder): string {
  const [only = '', ...others] = parts;
  const plain = others.length === 0 ? formatPlain('resource', only, binder) : null;
  return plain ?? formatWildcards(foldColumn('resource'), [surround(parts)], binder);
}

/** Whether the parent is this one. */
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

/** No conditions at all hold. */
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

/** Holds for no entry. */
export const nowhere = '0';

/** The time in the traceId leads to the place in the key. */
export function formatTraceId(text: string, binder: Binder): string {
  const halves = parseTraceId(text);
  if (halves === null || composeTraceId(halves.timestampMicros, halves.identity) !== text) return nowhere;
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `(timestamp = ${bindMicros(halves.timestampMicros, binder)} AND identity = ${identity})`;
}
