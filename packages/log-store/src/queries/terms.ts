/** Translates a term of a query into conditions of a statement. All of them must hold. */

import {
  type BodyValue,
  type Condition,
  isExtracted,
  type ParsedField,
  type TextField,
} from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { bodyFolded, numberPattern, pairsOfMetadata } from '../writer/schema/schema.ts';
import { formatMatch } from './exactMatching.ts';
import { formatExtracted } from './extractedFields.ts';
import { formatFieldText, formatPath } from './fields.ts';
import { formatPlainMembers } from './members.ts';
import { formatPlainPairs } from './pairs.ts';
import { bindPatterns, isDigits } from './patternDigits.ts';
import {
  formatEquals,
  formatSearch,
  formatTraceId,
  formatValueHints,
  formatWildcards,
  joinAll,
  joinAny,
  surround,
} from './textConditions.ts';

type Term = Exclude<Condition, { kind: 'and' | 'or' | 'not' }>;

export type TermPlace = {
  binder: Binder;
  /** Whether to add conditions that follow from the term, so that indexes skip more. Useless under a negation. */
  mayHint: boolean;
};

type ValuesOf<Kind> = Extract<Term, { kind: Kind }>;

const valuesApartMax = 8; // more wildcards of a term become one expression

/** Formats terms other than searches (`formatSearch`). */
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
    case 'matches':
      return [formatMatch(formatFieldText(term.field, binder).text, term.expression, binder)];
    case 'compare':
      return [formatComparison(term, binder)];
    case 'contains': {
      const { text } = formatFieldText(term.field, binder);
      return [`position(${text}, ${binder.bind('String', term.text)}) > 0`];
    }
    case 'plainMembers':
      return [formatPlainMembers(term.members, binder)];
    case 'plainPairs':
      return [formatPlainPairs(term.keys, binder)];
    default:
      throw new Error(`${term.kind} is a search`);
  }
}

function formatBody({ values }: ValuesOf<'body'>, place: TermPlace): string[] {
  const { binder } = place;
  if (values.length <= valuesApartMax) return formatEach(values.map(value => formatBodyValue(value, place)));
  const held = values.filter(value => value.kind === 'holds').map(({ parts }) => surround(parts));
  const others = values.filter(value => value.kind !== 'holds');
  return formatEach([
    ...(held.length === 0 ? [] : [[formatWildcards(bodyFolded, held, binder)]]),
    ...others.map(value => formatBodyValue(value, place)),
  ]);
}

function formatBodyValue(value: BodyValue, place: TermPlace): string[] {
  if (value.kind === 'present') return ["body != ''"];
  if (value.kind === 'empty') return ["body = ''"];
  return formatSearch({ kind: 'body', values: [value] }, place) ?? [];
}

/** Joins alternatives with OR. Each is a list of conditions that must all hold. */
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

function formatPresence(field: TextField | ParsedField, { binder }: TermPlace): string {
  if (isExtracted(field)) return formatExtracted(field, binder).isPresent;
  if (field.kind === 'composed') return '1';
  if (field.kind === 'metadata') return formatPath(field.path, binder).isPresent;
  return `${formatFieldText(field, binder).text} != ''`;
}

function formatAnyText(field: TextField | ParsedField, texts: readonly string[], place: TermPlace): string[] {
  const { binder } = place;
  if (field.kind === 'metadata') return formatPair(field.path, texts, place);
  if (field.kind === 'traceId') return [joinAny(texts.map(text => formatTraceId(text, binder)))];
  if (field.kind === 'pattern') return [formatPattern(texts, binder)];
  // An absent value reads as ''.
  if (isExtracted(field) && texts.includes('')) {
    const { value, isPresent } = formatExtracted(field, binder);
    return [isPresent, formatEquals(value, texts, binder)];
  }
  return [formatEquals(formatFieldText(field, binder).text, texts, binder)];
}

/** Compares patterns as numbers, so that the engine need not format them. */
function formatPattern(texts: readonly string[], binder: Binder): string {
  const patterns = texts.filter(isDigits);
  return patterns.length === 0 ? '0' : `pattern IN ${bindPatterns(patterns, binder)}`;
}

/** The hint lets the engine skip granules by its index. Computed columns have no effect in a hint. */
function formatPair(path: string, texts: readonly string[], { binder, mayHint }: TermPlace): string[] {
  const { value, isPresent } = formatPath(path, binder);
  const pairs = texts.map(text => `${path}\0${text}`);
  const isPair =
    pairs.length === 1
      ? `has(${pairsOfMetadata}, ${binder.bind('String', pairs.join())})`
      : `hasAny(${pairsOfMetadata}, ${binder.bindTexts(pairs)})`;
  return [
    ...(mayHint ? [`indexHint(${isPair})`] : []),
    // An absent path reads as ''.
    ...(texts.includes('') ? [isPresent] : []),
    formatEquals(value, texts, binder),
  ];
}

function formatAnyWildcard(
  field: TextField | ParsedField,
  wildcards: readonly (readonly string[])[],
  { binder, mayHint }: TermPlace,
): string[][] {
  if (wildcards.length === 0) return [];
  const { folded } = formatFieldText(field, binder);
  // An absent path reads as ''.
  const isEmptyMatch = wildcards.some(parts => parts.join('') === '');
  const canBeAbsent = field.kind === 'metadata' || isExtracted(field);
  const presence = canBeAbsent && isEmptyMatch ? [formatPresence(field, { binder, mayHint })] : [];
  if (wildcards.length > valuesApartMax) return [[...presence, formatWildcards(folded, wildcards, binder)]];
  return wildcards.map(parts => [
    ...(mayHint && field.kind === 'metadata' ? formatValueHints(parts, binder) : []),
    ...presence,
    formatWildcards(folded, [parts], binder),
  ]);
}

/** Reads numbers like `findJsonNumber`. Never NULL, because a negation would not match NULL. */
function formatComparison({ field, operator, number }: ValuesOf<'compare'>, binder: Binder): string {
  const { text } = formatFieldText(field, binder);
  const bound = binder.bindDouble(number);
  return `(match(${text}, '${numberPattern}') AND toFloat64OrZero(${text}) ${operator} ${bound})`;
}
