/**
 * What an entry must hold that matches a condition: one of some texts, case ignored. Looking for the texts of many conditions at
 * once costs hardly more than looking for one, and most conditions are of what does not occur.
 */
import { foldCase } from '@tapedeck/case-folding';
import { type Condition, type FieldValue, findTraceId } from '@tapedeck/log-query-language';
import { foldColumn } from '../schema/folding.ts';
import type { Binder } from './binder.ts';

/** Where a needle is looked for, and in which expression. */
const haystacks = {
  body: 'bodyFolded',
  values: 'valuesFolded',
  names: foldColumn("concat(resource, '\\n', parentId)"),
} as const;
type Haystack = keyof typeof haystacks;
export const haystackNames = ['body', 'values', 'names'] as const satisfies readonly Haystack[];

/** One of them occurs in each entry that matches. */
export type Needle = { haystack: Haystack; text: string };

const needlesMax = 16; // of a condition: more say that nearly anything may match
const needleCharactersMax = 48; // the beginning of a longer one leaves out nearly as much

/** null: nothing is known of what matches. */
export function findNeedles(condition: Condition): readonly Needle[] | null {
  switch (condition.kind) {
    case 'and':
      return condition.trees.map(findNeedles).reduce(chooseRarer, null);
    case 'or':
      return joinAll(condition.trees.map(findNeedles));
    case 'body':
      return joinAll(
        condition.values.map(value =>
          value.kind === 'holds' ? makeNeedles(findLongest(value.parts), ['body']) : null,
        ),
      );
    case 'content':
      return makeNeedles(condition.text, ['body', 'values']);
    case 'text':
      return findTraceId(condition.text) === null ? makeNeedles(condition.text, haystackNames) : null;
    case 'textParts':
      return makeNeedles(findLongest(condition.parts), haystackNames);
    case 'field':
      if (condition.field.kind === 'metadata') return findInValues(condition.values, 'values');
      return condition.field.kind === 'resource' || condition.field.kind === 'parentId'
        ? findInValues(condition.values, 'names')
        : null;
    default:
      return null;
  }
}

/** For each haystack which of its needles occur at all: arrays of their places, from one. */
export function formatFound(needles: ReadonlyMap<Haystack, readonly string[]>, binder: Binder): string[] {
  return [...needles].map(
    ([haystack, texts]) =>
      `groupUniqArrayArray(multiMatchAllIndices(${haystacks[haystack]}, ${bindPatterns(texts, binder)}))`,
  );
}

/** Whether an entry holds any of the needles. */
export function formatAny(needles: readonly Needle[], binder: Binder): string {
  const byHaystack = Map.groupBy(needles, ({ haystack }) => haystack);
  const conditions = [...byHaystack].map(([haystack, found]) => {
    const texts = [...new Set(found.map(({ text }) => text))];
    return `multiMatchAny(${haystacks[haystack]}, ${bindPatterns(texts, binder)})`;
  });
  return `(${conditions.join(' OR ')})`;
}

function findInValues(values: readonly FieldValue[], haystack: Haystack): readonly Needle[] | null {
  return joinAll(
    values.map(value => {
      if (value.kind === 'present') return null;
      return makeNeedles(value.kind === 'equals' ? value.text : findLongest(value.parts), [haystack]);
    }),
  );
}

/** Texts are looked for joined by NUL, and patterns end there. */
function makeNeedles(text: string, places: readonly Haystack[]): readonly Needle[] | null {
  const [head = ''] = foldCase(text).split('\0');
  const needle = [...head].slice(0, needleCharactersMax).join('');
  return needle === '' ? null : places.map(haystack => ({ haystack, text: needle }));
}

function findLongest(parts: readonly string[]): string {
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

function joinAll(alternatives: readonly (readonly Needle[] | null)[]): readonly Needle[] | null {
  const known = alternatives.filter(needles => needles !== null);
  const joined = known.flat();
  return known.length < alternatives.length || joined.length > needlesMax ? null : joined;
}

/** Fewer, or else longer ones, occur more rarely. */
function chooseRarer(
  one: readonly Needle[] | null,
  other: readonly Needle[] | null,
): readonly Needle[] | null {
  if (one === null || other === null) return one ?? other;
  const weigh = (needles: readonly Needle[]) =>
    Math.min(...needles.map(({ text }) => text.length)) / Math.max(1, needles.length);
  return weigh(other) > weigh(one) ? other : one;
}

function bindPatterns(texts: readonly string[], binder: Binder): string {
  return binder.bindTexts(texts.map(text => text.replaceAll(/[\\^$.*+?()[\]{}|\-/]/g, '\\$&')));
}
