/** Random trees, texts and entries for tests. They share few words, so that queries match entries. */
import fc from 'fast-check';
import type { QueriedEntry } from '../src/evaluation.ts';
import type { TextField } from '../src/fields.ts';
import { type Level, levels } from '../src/levels.ts';
import {
  allOf,
  anyOf,
  type BodyValue,
  type Condition,
  type FieldValue,
  negate,
  type Query,
} from '../src/tree.ts';

const traceIds = ['0199c0ffee0a7000800000000000000a', '0199c0ffee0a7000800000000000000b'];
const awkward = [
  '',
  '*',
  'a*b',
  '"',
  '\\',
  'a b',
  'OR',
  'AND',
  '-',
  '-a',
  ':',
  'a:b',
  'http://x/?a=b',
  '12:30',
  'C:\\temp',
  ':a',
  '(',
  ',',
  '=',
  '>5',
  '\0',
  '😀',
];
const letters = [
  'a',
  'b',
  'ab',
  'AB',
  'ba',
  'aab',
  'ß',
  'ẞ',
  'σ',
  'Σ',
  'ς',
  'K',
  'k',
  'İ',
  'Kelvin',
  'oxmysql',
];
const numbers = [
  '0',
  '-0',
  '7',
  '007',
  '1e3',
  '1000',
  '1E+3',
  '-5',
  '5.5',
  '5.',
  'NaN',
  '1 ',
  ' 1',
  '1e999',
  '0x1F',
  '12',
];
const words = [...awkward, ...letters, ...numbers];
const names = [
  'a',
  'b',
  'a.b',
  '',
  'level',
  'msg',
  'metadata.x',
  'a b',
  'OR',
  'a*',
  '-a',
  '__proto__',
  'toString',
];

/** Strict comparison in tests needs the usual prototype. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 2, arbitrary: fc.constantFrom('info', 'warn', 'shop', 'default', ...traceIds) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
);
const nonEmpty = word.filter(text => text !== '');
/** Texts that a word with stars can match. */
const part = fc.oneof(
  fc.constantFrom(...letters, '-a', '"', 'a"', '\\', '12', '😀'),
  fc.string({ unit: fc.constantFrom('a', 'b', '-', '"', '.', '0', '\\', 'ß'), minLength: 1, maxLength: 3 }),
);
/** Values may contain any sign, but do not begin with one. */
const valuePart = fc.oneof(
  { weight: 3, arbitrary: part },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom('a', ':', '=', '<', '>', '/'), minLength: 1, maxLength: 4 }),
  },
);
const outerPart = fc.oneof(
  fc.constant(''),
  valuePart.filter(text => !/^[:=<>"]/.test(text)),
);
const lastPart = fc.oneof(fc.constant(''), valuePart);

const textField: fc.Arbitrary<TextField> = fc.oneof(
  fc.constantFrom('resource', 'traceId', 'parentId', 'dataset', 'pattern').map(kind => ({ kind }) as const),
  { weight: 3, arbitrary: fc.constantFrom(...names).map(path => ({ kind: 'metadata', path }) as const) },
);

const fieldValue: fc.Arbitrary<FieldValue> = fc.oneof(
  { weight: 3, arbitrary: word.map(text => ({ kind: 'equals', text }) as const) },
  fc
    .tuple(outerPart, fc.array(valuePart, { maxLength: 2 }), lastPart)
    // Stars alone mean that the field is present.
    .filter(all => all.flat().join('') !== '')
    .map(([first, middle, last]) => ({ kind: 'parts', parts: [first, ...middle, last] }) as const),
  fc.constant({ kind: 'present' } as const),
);

const bodyValue: fc.Arbitrary<BodyValue> = fc.oneof(
  nonEmpty.map(text => ({ kind: 'holds', parts: [text] }) as const),
  fc.array(valuePart, { minLength: 2, maxLength: 3 }).map(parts => ({ kind: 'holds', parts }) as const),
  fc.constantFrom({ kind: 'present' } as const, { kind: 'empty' } as const),
);

const list = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 3 });

const term: fc.Arbitrary<Query> = fc.oneof(
  fc.constant({ kind: 'everything' } as const),
  nonEmpty.map(text => ({ kind: 'text', text }) as const),
  fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => ({ kind: 'textParts', parts }) as const),
  fc.subarray<Level>([...levels], { minLength: 1 }).map(some => ({ kind: 'level', levels: some }) as const),
  list(bodyValue).map(values => ({ kind: 'body', values }) as const),
  record({ kind: fc.constant('field' as const), field: textField, values: list(fieldValue) }),
  record({
    kind: fc.constant('compare' as const),
    field: fc.oneof(textField, fc.constantFrom({ kind: 'level' } as const, { kind: 'body' } as const)),
    operator: fc.constantFrom('>', '>=', '<', '<='),
    number: fc.oneof(
      fc.constantFrom(0, -0, 5, 7, 1000, 12, Number.POSITIVE_INFINITY),
      fc.double({ noNaN: true }),
    ),
  }),
);

const combine = (leaf: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc.letrec<{ tree: Query }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 2, arbitrary: leaf },
      {
        weight: 1,
        arbitrary: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(trees => allOf(trees)),
      },
      {
        weight: 1,
        arbitrary: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(trees => anyOf(trees)),
      },
      { weight: 1, arbitrary: tie('tree').map(tree => negate(tree)) },
    ),
  })).tree;

export const randomQuery: fc.Arbitrary<Query> = combine(term);

export const randomParameters: fc.Arbitrary<Condition> = nonEmpty.map(
  text => ({ kind: 'content', text }) as const,
);

const pieces = [
  'a',
  'b ',
  ' ',
  '"',
  '"a b"',
  '\\',
  '*',
  '-',
  '(',
  ')',
  ',',
  ':',
  '=',
  '>',
  '<5',
  '>=',
  '1e3',
  '007',
];
const phrases = [
  ' OR ',
  ' AND ',
  'NOT ',
  'level:',
  'error',
  'body:',
  'metadata.',
  'x:',
  'x:(a',
  'x>',
  'x:http://a/?b=c',
  '12:30',
  'C:\\',
  '(a b)',
  '😀',
  '\ud800',
];

/** The parser accepts about one in three. */
export const randomText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...pieces, ...phrases, ...letters), { maxLength: 10 })
  .map(all => all.join(''));

const metadata = fc
  .array(fc.tuple(fc.constantFrom(...names), word), { maxLength: 4 })
  .map(pairs => Object.fromEntries(pairs));

export const randomEntry: fc.Arbitrary<QueriedEntry> = record({
  traceId: fc.constantFrom(...traceIds),
  parentId: fc.constantFrom('', 'a', 'AB', ...traceIds, ...traceIds.map(id => id.toUpperCase())),
  dataset: fc.constantFrom('default', 'a', 'AB'),
  level: fc.constantFrom(...levels),
  resource: word,
  body: fc.oneof(
    word,
    fc.array(word, { maxLength: 4 }).map(all => all.join('')),
  ),
  pattern: fc.constantFrom('0123456789abcdef', 'fedcba9876543210'),
  metadata,
});
