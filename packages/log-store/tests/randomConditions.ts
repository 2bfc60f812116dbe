/** Random conditions for tests: trees of every kind of term, over the words of random entries. */

import { findPattern } from '@tapedeck/log-patterns';
import {
  allOf,
  anyOf,
  type BodyValue,
  type Comparison,
  type Condition,
  everything,
  type Field,
  type FieldValue,
  levels,
  negate,
  parseQuery,
  type TextField,
} from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import {
  comparedNumbers,
  datasets,
  paths,
  pick,
  type Random,
  resources,
  values,
  words,
} from './randomEntries.ts';

/** Parses the condition that a text of the query language stands for. */
export function asks(text: string): Condition {
  return parseQuery(text) ?? everything;
}

const depthMax = 3;
/** Parents of entries, some in other letter case. */
const parents = [
  'parent',
  'PARENT',
  'ORder-77',
  'order-77',
  'STRASSE 7A3',
  'straße 7A3',
  'οδυσσευς',
  'rder-77',
];
const manyValues = 12; // more values than a statement compares one by one

/** Makes a random condition. Uses traceIds of entries, so that some conditions find something. */
export function makeCondition(random: Random, traceIds: readonly string[], depth = 0): Condition {
  const make = () => makeCondition(random, traceIds, depth + 1);
  const kind = depth < depthMax ? random() : 1;
  if (kind < 0.15) return allOf([make(), make()]);
  if (kind < 0.35) return anyOf(random() < 0.7 ? [make(), make()] : [make(), make(), make()]);
  if (kind < 0.5) return negate(make());
  return makeTerm(random, traceIds);
}

/** Makes the condition that query parameters stand for, each as a term. */
export function makeParameters(random: Random): Condition {
  const sometimes = (chance: number, make: () => Condition[]) => (random() < chance ? make() : []);
  return allOf([
    ...sometimes(0.3, () => [{ kind: 'level', levels: pickLevels(random) }]),
    ...sometimes(0.15, () => [matchText({ kind: 'resource' }, pick(random, resources.slice(1)))]),
    ...sometimes(0.05, () => [matchText({ kind: 'parentId' }, 'parent')]),
    ...sometimes(0.5, () =>
      makeTerms(random).map(text => ({ kind: 'body', values: [{ kind: 'holds', parts: [text] }] })),
    ),
    ...sometimes(0.25, () => makeTerms(random).map(text => ({ kind: 'content', text }))),
    ...sometimes(0.3, () => [
      matchText({ kind: 'metadata', path: pick(random, paths) }, pick(random, values)),
    ]),
  ]);
}

function makeTerm(random: Random, traceIds: readonly string[]): Condition {
  const kind = random();
  if (kind < 0.02) return everything;
  if (kind < 0.05)
    return {
      kind: 'text',
      text: pick(random, [pick(random, traceIds), pick(random, traceIds).toUpperCase(), ...parents]),
    };
  if (kind < 0.2) return { kind: 'text', text: makePart(random) };
  if (kind < 0.3) return { kind: 'textParts', parts: makeParts(random) };
  if (kind < 0.35) return { kind: 'content', text: makePart(random) };
  if (kind < 0.4) return { kind: 'level', levels: pickLevels(random) };
  if (kind < 0.6) return { kind: 'body', values: makeList(random, () => makeBodyValue(random)) };
  if (kind < 0.75) return makeComparison(random);
  const field = makeField(random);
  return { kind: 'field', field, values: makeList(random, () => makeFieldValue(random, field, traceIds)) };
}

function makeComparison(random: Random): Condition {
  const reserved: Field[] = [{ kind: 'body' }, { kind: 'level' }, { kind: 'resource' }, { kind: 'traceId' }];
  return {
    kind: 'compare',
    field: random() < 0.8 ? { kind: 'metadata', path: pick(random, paths) } : pick(random, reserved),
    operator: pick<Comparison>(random, ['>', '>=', '<', '<=']),
    number: pick(random, comparedNumbers),
  };
}

function makeField(random: Random): TextField {
  const kinds = ['resource', 'traceId', 'parentId', 'dataset', 'pattern'] as const;
  return random() < 0.6 ? { kind: 'metadata', path: pick(random, paths) } : { kind: pick(random, kinds) };
}

function makeFieldValue(random: Random, field: TextField, traceIds: readonly string[]): FieldValue {
  const texts = textsOf(random, field, traceIds);
  const kind = random();
  if (kind < 0.1) return { kind: 'present' };
  const text = random() < 0.9 ? pick(random, texts) : makePart(random);
  if (kind < 0.6) return { kind: 'equals', text };
  return { kind: 'parts', parts: cutOut(random, text) };
}

function textsOf(random: Random, { kind }: TextField, traceIds: readonly string[]): readonly string[] {
  if (kind === 'metadata') return values;
  if (kind === 'traceId')
    return [pick(random, traceIds), pick(random, traceIds).toUpperCase(), 'f'.repeat(32)];
  if (kind === 'parentId') return ['', ...parents, 'Order-77', pick(random, traceIds)];
  if (kind === 'pattern') {
    const { pattern } = findPattern(pick(random, words));
    return [pattern, pattern, pattern.toUpperCase(), '', '0123456789abcdef', '0'.repeat(16)];
  }
  return kind === 'resource' ? resources : datasets;
}

function makeBodyValue(random: Random): BodyValue {
  const kind = random();
  if (kind < 0.1) return { kind: 'present' };
  if (kind < 0.2) return { kind: 'empty' };
  return { kind: 'holds', parts: kind < 0.7 ? [makePart(random)] : makeParts(random) };
}

/** Mostly returns a single value. */
function makeList<Value>(random: Random, make: () => Value): Value[] {
  const kind = random();
  const length = kind < 0.6 ? 1 : kind < 0.9 ? 2 : manyValues;
  return Array.from({ length }, make);
}

function makeParts(random: Random): string[] {
  return random() < 0.5
    ? [makePart(random), makePart(random)]
    : cutOut(random, pick(random, words))
        .filter(part => part !== '')
        .concat(makePart(random))
        .slice(0, 3);
}

/** Cuts a random piece out of a text and returns what is before and after it. */
function cutOut(random: Random, text: string): string[] {
  const characters = [...text];
  const from = Math.floor(random() * (characters.length + 1));
  const to = from + Math.floor(random() * (characters.length + 1 - from));
  return [characters.slice(0, from).join(''), characters.slice(to).join('')];
}

function makePart(random: Random): string {
  for (;;) {
    const [term] = makeTerms(random);
    if (term !== undefined) return random() < 0.3 ? term.toUpperCase() : term;
  }
}

function pickLevels(random: Random) {
  const some = [pick(random, levels), pick(random, levels)];
  return levels.filter(level => some.includes(level));
}

function matchText(field: TextField, text: string): Condition {
  return { kind: 'field', field, values: [{ kind: 'equals', text }] };
}

/** Returns words and parts of words, phrases with a blank, and some terms that occur nowhere. */
function makeTerms(random: Random): string[] {
  const make = () => {
    const word = random() < 0.15 ? `${pick(random, words)} ${pick(random, words)}` : pick(random, words);
    const characters = [...foldCase(word)];
    const start = Math.floor(random() * characters.length * random());
    const end = random() < 0.5 ? characters.length : start + 1 + Math.floor(random() * 5);
    return characters.slice(start, end).join('');
  };
  const terms = random() < 0.7 ? [make()] : [make(), make()];
  return terms.filter(term => term !== '');
}
