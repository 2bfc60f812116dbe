/** A term of a question becomes conditions of a statement, all of which must hold. */

import { composeTraceId, parseTraceId } from '@tapedeck/log-entries';
import { type BodyValue, type Condition, findTraceId, type TextField } from '@tapedeck/log-query-language';
import { foldColumn, numberPattern, pairsOfMetadata } from '../schema/schema.ts';
import { type Binder, bindMicros } from './binder.ts';
import { formatFieldText, formatPath } from './fields.ts';
import {
  formatBodyHints,
  formatInBody,
  formatInValues,
  formatValueHints,
  formatWildcards,
  surround,
} from './matching.ts';

type Term = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

export type TermPlace = {
  binder: Binder;
  /** What follows from the term may stand beside it, so that indexes leave out more. Under a negation that would be no use. */
  mayHint: boolean;
};

type ValuesOf<Kind> = Extract<Term, { kind: Kind }>;

const valuesApartMax = 8; // more wildcards of one term are one pattern

export function formatTerm(term: Term, place: TermPlace): string[] {
  const { binder } = place;
  switch (term.kind) {
    case 'everything':
      return [];
    case 'level':
      return [`level IN ${binder.bindWords(term.levels)}`];
    case 'body':
      return formatBody(term, place);
    case 'field':
      return formatFieldTerm(term, place);
    case 'compare':
      return [formatComparison(term, binder)];
    case 'content':
      return [`(${formatInBody([term.text], binder)} OR ${formatInValues([term.text], binder)})`];
    case 'text':
      return [formatText(term.text, binder)];
    case 'textParts':
      return [
        joinAny([
          formatInBody(term.parts, binder),
          formatInResource(term.parts, binder),
          formatInValues(term.parts, binder),
        ]),
      ];
  }
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

function formatText(text: string, binder: Binder): string {
  const traceId = findTraceId(text);
  const parentIds = traceId === null || traceId === text ? [text] : [text, traceId];
  return joinAny([
    formatInBody([text], binder),
    formatInValues([text], binder),
    formatInResource([text], binder),
    formatEquals('parentId', parentIds, binder),
    ...(traceId === null ? [] : [formatTraceId(traceId, binder)]),
  ]);
}

function formatInResource(parts: readonly string[], binder: Binder): string {
  return formatWildcards(foldColumn('resource'), [surround(parts)], binder);
}

function formatBody({ values }: ValuesOf<'body'>, place: TermPlace): string[] {
  const { binder } = place;
  if (values.length <= valuesApartMax) return formatEach(values.map(value => formatBodyValue(value, place)));
  const held = values.filter(value => value.kind === 'holds').map(({ parts }) => surround(parts));
  const others = values.filter(value => value.kind !== 'holds');
  return formatEach([
    ...(held.length === 0 ? [] : [[formatWildcards('folded', held, binder)]]),
    ...others.map(value => formatBodyValue(value, place)),
  ]);
}

function formatBodyValue(value: BodyValue, { binder, mayHint }: TermPlace): string[] {
  if (value.kind === 'present') return ["body != ''"];
  if (value.kind === 'empty') return ["body = ''"];
  const hints = mayHint ? formatBodyHints(value.parts, binder) : [];
  return [...hints, formatInBody(value.parts, binder)];
}

/** Conditions for that any of these hold, each of them being several conditions. */
function formatEach(alternatives: readonly (readonly string[])[]): string[] {
  const [only = [], ...others] = alternatives;
  return others.length === 0 ? [...only] : [joinAny(alternatives.map(joinAll))];
}

function formatFieldTerm({ field, values }: ValuesOf<'field'>, place: TermPlace): string[] {
  const texts = [...new Set(values.filter(value => value.kind === 'equals').map(({ text }) => text))];
  const wildcards = values.filter(value => value.kind === 'parts').map(({ parts }) => parts);
  return formatEach([
    ...(values.some(value => value.kind === 'present') ? [[formatPresence(field, place)]] : []),
    ...(texts.length === 0 ? [] : [formatAnyText(field, texts, place)]),
    ...formatAnyWildcard(field, wildcards, place),
  ]);
}

function formatPresence(field: TextField, { binder }: TermPlace): string {
  if (field.kind === 'metadata') return formatPath(field.path, binder).isPresent;
  return `${formatFieldText(field, binder).text} != ''`;
}

function formatAnyText(field: TextField, texts: readonly string[], place: TermPlace): string[] {
  const { binder } = place;
  if (field.kind === 'metadata') return formatPair(field.path, texts, place);
  if (field.kind === 'traceId') return [joinAny(texts.map(text => formatTraceId(text, binder)))];
  if (field.kind === 'pattern') return [formatPattern(texts, binder)];
  return [formatEquals(formatFieldText(field, binder).text, texts, binder)];
}

function formatEquals(column: string, texts: readonly string[], binder: Binder): string {
  const [only, ...others] = texts;
  return only !== undefined && others.length === 0
    ? `${column} = ${binder.bind('String', only)}`
    : `${column} IN ${binder.bindTexts(texts)}`;
}

/** As numbers, which the engine compares without writing them out. */
function formatPattern(texts: readonly string[], binder: Binder): string {
  const patterns = texts.filter(text => /^[0-9a-f]{16}$/.test(text)).map(text => BigInt(`0x${text}`));
  return patterns.length === 0 ? '0' : `pattern IN ${binder.bind('Array(UInt64)', `[${patterns.join()}]`)}`;
}

/** The hint makes the engine skip granules by its index; the rest decides. Computed columns have no effect in a hint. */
function formatPair(path: string, texts: readonly string[], { binder, mayHint }: TermPlace): string[] {
  const { value, isPresent } = formatPath(path, binder);
  const pairs = texts.map(text => `${path}\0${text}`);
  const isPair =
    pairs.length === 1
      ? `has(${pairsOfMetadata}, ${binder.bind('String', pairs.join())})`
      : `hasAny(${pairsOfMetadata}, ${binder.bindTexts(pairs)})`;
  return [
    ...(mayHint ? [`indexHint(${isPair})`] : []),
    // A path that is absent reads as ''.
    ...(texts.includes('') ? [isPresent] : []),
    formatEquals(value, texts, binder),
  ];
}

/** The time in the traceId leads to the place in the key. */
function formatTraceId(text: string, binder: Binder): string {
  const halves = parseTraceId(text);
  if (halves === null || composeTraceId(halves.timestampMicros, halves.identity) !== text) return '0';
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `(timestamp = ${bindMicros(halves.timestampMicros, binder)} AND identity = ${identity})`;
}

function formatAnyWildcard(
  field: TextField,
  wildcards: readonly (readonly string[])[],
  { binder, mayHint }: TermPlace,
): string[][] {
  if (wildcards.length === 0) return [];
  const { folded } = formatFieldText(field, binder);
  // A path that is absent reads as ''.
  const isEmptyMatch = wildcards.some(parts => parts.join('') === '');
  const presence =
    field.kind === 'metadata' && isEmptyMatch ? [formatPath(field.path, binder).isPresent] : [];
  if (wildcards.length > valuesApartMax) return [[...presence, formatWildcards(folded, wildcards, binder)]];
  return wildcards.map(parts => [
    ...(mayHint && field.kind === 'metadata' ? formatValueHints(parts, binder) : []),
    ...presence,
    formatWildcards(folded, [parts], binder),
  ]);
}

/** As `findJsonNumber` reads numbers. Never NULL, which no negation would find. */
function formatComparison({ field, operator, number }: ValuesOf<'compare'>, binder: Binder): string {
  const { text } = formatFieldText(field, binder);
  const bound = binder.bindDouble(number);
  return `(match(${text}, '${numberPattern}') AND toFloat64OrZero(${text}) ${operator} ${bound})`;
}
