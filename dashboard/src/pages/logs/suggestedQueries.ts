/** Suggests other queries when one finds nothing. The caller asks the service whether they match. */
import {
  allOf,
  type FieldValue,
  findJsonNumber,
  nameField,
  printQuery,
  type Query,
  readLevel,
  resolveField,
} from '@tapedeck/log-query-language';
import { listTerms, makeTerm } from './queryFilters.ts';

export type Known = {
  /** The names of all fields. */
  fields: readonly string[];
  /** Maps each queried field to existing fields that differ only in letter case or extend its name. */
  values: ReadonlyMap<string, readonly string[]>;
  /** Other fields that have a queried value. */
  elsewhere: readonly { name: string; value: string }[];
};

type FieldTerm = Extract<Query, { kind: 'field' }>;

const proposalsMax = 8; // the page counts each
const similarMax = 3;
const reservedNames = ['level', 'resource', 'body', 'message', 'dataset', 'traceId', 'parentId'];

/** Returns query texts, likeliest first. */
export function suggestQueries(text: string, known: Known): string[] {
  const terms = listTerms(text);
  const replaced = terms.flatMap((term, index) =>
    listMeanings(term, known).map(meaning => terms.map((each, at) => (at === index ? meaning : each))),
  );
  // If several terms are wrong, correcting only one still finds nothing.
  const corrected = terms.map(term => listMeanings(term, known)[0] ?? term);
  const joined = terms.flatMap((term, index) => {
    const pair = joinPair(term, terms[index + 1], known);
    return pair === null ? [] : [[...terms.slice(0, index), pair, ...terms.slice(index + 2)]];
  });
  const shorter = terms.length < 2 ? [] : terms.map(term => terms.filter(each => each !== term));
  const texts = [...joined, ...(terms.length === 0 ? [] : [corrected]), ...replaced, ...shorter].map(each =>
    printQuery(allOf(each)),
  );
  const present = terms.length === 0 ? '' : printQuery(allOf(terms));
  return [...new Set(texts)].filter(each => each !== present).slice(0, proposalsMax);
}

/** Lists simple terms of the query: a field with one value that may be misspelled. */
export function listPlainTerms(text: string): { name: string; value: string }[] {
  return listTerms(text).flatMap(term => {
    const value = term.kind === 'field' ? readPlainValue(term) : null;
    return term.kind === 'field' && value !== null ? [{ name: nameField(term.field), value }] : [];
  });
}

function listMeanings(term: Query, known: Known): Query[] {
  if (term.kind === 'text') return listMeaningsOfText(term.text);
  if (term.kind === 'compare') {
    const names = findSimilar(nameField(term.field), known.fields);
    return names.map(name => ({ ...term, field: resolveField(name) }));
  }
  if (term.kind !== 'field') return [];
  const name = nameField(term.field);
  const value = readPlainValue(term);
  const names = findSimilar(name, known.fields);
  if (value === null) return names.flatMap(each => withField(term, each));
  const alike = (known.values.get(name) ?? []).filter(each => each !== value);
  const elsewhere = known.elsewhere.filter(each => each.name !== name && isAlike(each.value, value));
  return [
    ...names.map(each => makeTerm(each, value)),
    ...alike.slice(0, similarMax).map(each => makeTerm(name, each)),
    ...elsewhere.slice(0, similarMax).map(each => makeTerm(each.name, each.value)),
    ...listPartly(term, value),
  ];
}

/** Reads `"player.id=43"` in quotes as a field, or a word as a level. */
function listMeaningsOfText(text: string): Query[] {
  const [, name, value] = /^([^\s:=]+)[:=](.+)$/.exec(text) ?? [];
  const level = readLevel(text);
  return [
    ...(name !== undefined && value !== undefined ? [makeTerm(name, value)] : []),
    ...(level === null ? [] : [makeTerm('level', level)]),
  ];
}

/** Reads `player.id 43` as a field with its value. */
function joinPair(term: Query, next: Query | undefined, { fields }: Known): Query | null {
  if (term.kind !== 'text' || next?.kind !== 'text') return null;
  const name = fields.find(each => each.toLowerCase() === term.text.toLowerCase());
  return name === undefined ? null : makeTerm(name, next.text);
}

function withField(term: FieldTerm, name: string): Query[] {
  const field = resolveField(name);
  return field.kind === 'level' || field.kind === 'body' ? [] : [{ ...term, field }];
}

/** Matches anywhere in the value. The language allows this only for words. */
function listPartly(term: FieldTerm, value: string): Query[] {
  const isWord = /^[^\s():=<>"*,]+$/.test(value);
  const parts: FieldValue = { kind: 'parts', parts: ['', value, ''] };
  return isWord && findJsonNumber(value) === null ? [{ ...term, values: [parts] }] : [];
}

function readPlainValue({ values }: FieldTerm): string | null {
  const [value, ...others] = values;
  return value?.kind === 'equals' && others.length === 0 ? value.text : null;
}

function isAlike(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Finds names that differ in punctuation and case, by a prefix or suffix, or by two letters. */
export function findSimilar(name: string, fields: readonly string[]): string[] {
  if (fields.includes(name)) return [];
  const wanted = normalize(name);
  return [...new Set([...fields, ...reservedNames])]
    .map(each => ({ each, distance: judgeName(wanted, normalize(each)) }))
    .filter(({ each, distance }) => each !== name && distance < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, similarMax)
    .map(({ each }) => each);
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}]/gu, '');
}

function judgeName(wanted: string, name: string): number {
  if (wanted === name) return 0;
  const letters = countDifferences(wanted, name);
  if (letters <= Math.min(2, wanted.length / 3)) return letters;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  return short.length > 1 && (long.endsWith(short) || long.startsWith(short)) ? 3 : Number.POSITIVE_INFINITY;
}

/** Counts the letters to insert, delete or change (edit distance). */
function countDifferences(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const costs = [row + 1];
    for (let column = 0; column < other.length; column++) {
      const changed = (before[column] ?? 0) + (other[column] === letter ? 0 : 1);
      costs.push(Math.min(changed, (before[column + 1] ?? 0) + 1, (costs[column] ?? 0) + 1));
    }
    before = costs;
  }
  return before.at(-1) ?? 0;
}
