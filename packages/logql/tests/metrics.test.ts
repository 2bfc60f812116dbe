/** Tests metric queries on lines without a store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  compileSampler,
  evaluateMetric,
  formatLabels,
  listGroupedRanges,
  type MetricQuery,
  omitUnused,
  parseLogql,
  RangeCollection,
  type Series,
} from '@tapedeck/logql';
import { matchingRows, unanswerable } from './rows/matching.ts';
import { numbered, numberRows } from './rows/numbers.ts';

const step = { firstMicros: 60_000_000, stepMicros: 1, count: 1 };
const limits = { seriesMax: 100, samplesMax: 1_000, pointsMax: 1_000 };
const stream = [['app', 'shop']] as const;

/** Computes values by labels at one moment, from lines ten seconds apart that end at that moment. */
function compute(text: string, lines: readonly string[]): Record<string, number> {
  const query = parseLogql(text);
  assert.ok(query.kind !== 'log');
  const results = new Map<Parameters<typeof compileSampler>[0], readonly Series[]>();
  for (const [range, grouping] of listGroupedRanges(query)) {
    const asked = omitUnused(range, grouping);
    const sample = compileSampler(asked, { aliases: new Map(), grouping });
    const collection = new RangeCollection(asked, limits);
    for (const [index, line] of lines.entries()) {
      const micros = step.firstMicros - (lines.length - 1 - index) * 10_000_000;
      const found = sample({ micros, text: line, stream, metadata: [] });
      if (found !== null) collection.add(found.labels, { micros, value: found.value });
    }
    results.set(range, collection.compute(step));
  }
  const operand = evaluateMetric(query, results, { ...step, isMoment: true });
  if (operand.kind === 'scalar') return { scalar: operand.value };
  return Object.fromEntries(
    operand.series.flatMap(({ labels, points: [point = null] }) =>
      point === null ? [] : [[formatLabels(labels), point]],
    ),
  );
}

const counters = ['n=56', 'n=58', 'n=60', 'n=62'];
const mixed = ['{"a": "x"}', '{"a": ""}', 'no json'];

const rows: readonly [query: string, lines: readonly string[], expected: Record<string, number>][] = [
  // Loki takes the window as microseconds here: 6 in 30 s, plus a tiny share for the time before.
  [
    'rate_counter({app="shop"} | logfmt | unwrap n [1m])',
    counters,
    { '{app="shop"}': (6 * (30_000_060 / 30_000_000)) / 60 },
  ],
  [
    'rate_counter({app="shop"} | logfmt | unwrap n [1m])',
    ['n=5', 'n=3'],
    { '{app="shop"}': (3 * (10_000_060 / 1e7)) / 60 },
  ],
  [
    'avg_over_time({app="shop"} | logfmt | unwrap n [1m])',
    ['n=1', 'n=2', 'n=4'],
    { '{app="shop"}': 1.5 + (4 / 3 - 1.5 / 3) },
  ],
  [
    'count_over_time({app="shop"} | json a="a" | drop __error__, __error_details__ [1m])',
    mixed,
    { '{a="", app="shop"}': 1, '{a="x", app="shop"}': 1, '{app="shop"}': 1 },
  ],
  [
    'sum by (__error__) (count_over_time({app="shop"} | json [1m]))',
    mixed,
    { '{}': 2, '{__error__="JSONParserErr"}': 1 },
  ],
  ['sum(count_over_time({app="shop"} | json | __error__="JSONParserErr" [1m]))', mixed, { '{}': 1 }],
  ['absent_over_time({app="shop"} | json [1m])', [], { '{app="shop"}': 1 }],
  ['count_over_time({app="shop"} | line_format `{{ div 1 0 }}` [1m])', counters, { '{app="shop"}': 4 }],
  ['bytes_over_time({app="shop"} | line_format `ab` [1m])', counters, { '{app="shop"}': 8 }],
  ['2 ^ 3 ^ 2', [], { scalar: 512 }],
  ['-2 ^ 2', [], { scalar: 4 }],
];

const refused: readonly [query: string, lines: readonly string[], sentence: RegExp][] = [
  [
    'count_over_time({app="shop"} | json | __error__="JSONParserErr" [1m])',
    mixed,
    /^pipeline error: 'JSONParserErr' for series: '\{__error__="JSONParserErr", __error_details__=/,
  ],
  [
    'sum by (__error__) (count_over_time({app="shop"} | logfmt | app > 5 [1m]))',
    counters,
    /^pipeline error: 'LabelFilterErr'/,
  ],
  [
    'bytes_over_time({app="shop"} | line_format `{{ div 1 0 }}` [1m])',
    counters,
    /^pipeline error: 'TemplateFormatErr'/,
  ],
  [
    'vector(1) + on () count_over_time({app="shop"} | logfmt [1m])',
    counters,
    /^found duplicate series on the right hand-side;many-to-many matching not allowed/,
  ],
  [
    'count_over_time({app="shop"} | logfmt [1m]) + on () vector(1)',
    counters,
    /^multiple matches for labels: many-to-one matching must be explicit/,
  ],
  [
    'sum_over_time({app="shop"} | logfmt | unwrap bytes(n) [1m])',
    ['n=12lb'],
    /__error_details__="unhandled size name: lb"/,
  ],
];

describe('A metric query', () => {
  for (const [query, lines, expected] of rows)
    test(query, () => assert.deepEqual(compute(query, lines), expected));
  for (const [query, expected] of [...numberRows, ...matchingRows])
    test(query, () => {
      const found = compute(query, numbered);
      assert.deepEqual(found, expected);
      if (/^sort/.test(query)) assert.deepEqual(Object.keys(found), Object.keys(expected));
    });
  for (const [query, lines, sentence] of refused)
    test(`${query} is refused`, () => assert.throws(() => compute(query, lines), { message: sentence }));
  for (const [query, sentence] of unanswerable)
    test(`${query} is refused`, () => assert.throws(() => compute(query, numbered), { message: sentence }));
});

/** Creates series that each have a value at only one step. */
function spreadSeries(series: number, steps: number): Series[] {
  return Array.from({ length: series }, (_, index) => ({
    labels: [['id', String(index).padStart(6, '0')]],
    points: Array.from({ length: steps }, (_, step) => (step === index % steps ? 1 : null)),
  }));
}

describe('limits on what operators compute', () => {
  const steps = { firstMicros: 0, stepMicros: 1_000_000, count: 1_000 };
  const ids = 'sum by (id) (count_over_time({app="shop"}[1s]))';
  const evaluate = (text: string) => {
    const query = parseLogql(text);
    assert.ok(query.kind !== 'log');
    const found = spreadSeries(1_000, steps.count);
    const results = new Map(listGroupedRanges(query).map(([range]) => [range, found]));
    return evaluateMetric(query, results, { ...steps, isMoment: false });
  };
  for (const text of [`topk(3, ${ids})`, `${ids} * on (id) ${ids}`, `${ids} + 1 + 2 + 3`])
    test(text.slice(0, 80), () => assert.equal(evaluate(text).kind, 'series'));
  for (const text of [
    `${ids}${' + 1'.repeat(100)}`,
    `${ids} * on () group_left ${ids}`,
    `${'sum by (id) ('.repeat(80)}${ids}${')'.repeat(80)}`,
  ])
    test(`${text.slice(0, 80)} is refused`, () =>
      assert.throws(() => evaluate(text), {
        message: /^the operators of the query would read more than 30000000 points/,
      }));
});

test('limits series of many steps before allocating an array for all of them', () => {
  const [[range] = [null]] = listGroupedRanges(
    parseLogql('count_over_time({app="shop"}[1s])') as MetricQuery,
  );
  assert.ok(range !== null);
  const collection = new RangeCollection(range, limits);
  for (let id = 0; id < 11; id++) collection.add([['id', String(id)]], { micros: id * 1_000_000, value: 1 });
  const steps = { firstMicros: 0, stepMicros: 1_000_000, count: 100 };
  assert.throws(() => collection.compute(steps), { message: /more than 1000 points/ });
  assert.equal(collection.compute({ ...steps, count: 90 }).length, 11);
});
