/** Tests charts of all kinds of numbers: well-formed, finite, and the same on machines without fonts. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { events, fired } from '../../tests/examples.ts';
import type { RuleEvent } from '../events.ts';
import { labelCount, labelTime, listLines } from './axis.ts';
import { drawChart } from './chart.ts';

const inputs = fc.record({
  type: fc.constantFrom('rule.fired' as const, 'rule.resolved' as const),
  kind: fc.constantFrom('count', 'change', 'new_pattern', 'issue', 'session_quiet', 'storage'),
  op: fc.constantFrom('>=' as const, '<' as const),
  value: fc.oneof(fc.integer(), fc.double()),
  factor: fc.double(),
  counts: fc.array(fc.oneof(fc.nat(), fc.double(), fc.constant(0)), { maxLength: 200 }),
  endAt: fc.oneof(fc.double(), fc.integer({ min: 0, max: 4e12 })),
  windowMs: fc.oneof(fc.double(), fc.constantFrom(10_000, 60_000, 86_400_000)),
});

function makeEvent({
  type,
  kind,
  op,
  value,
  factor,
  counts,
  endAt,
  windowMs,
}: typeof inputs extends fc.Arbitrary<infer Input> ? Input : never): RuleEvent {
  const rule = { ...fired.rule, kind, condition: { op, value, factor } } as RuleEvent['rule']; // one of the kinds above
  return { ...fired, type, rule, windows: { endAt, windowMs, counts } };
}

test('any numbers give well-formed SVG with finite values', () => {
  const check = (input: Parameters<typeof makeEvent>[0]) => {
    const svg = drawChart(makeEvent(input));
    assert.equal(svg === null, input.counts.length === 0);
    if (svg !== null) requireWellFormed(svg);
  };
  fc.assert(fc.property(inputs, check), { numRuns: 1_500 });
});

/** Checks that elements close in order, attributes are quoted, and numbers are numbers. */
function requireWellFormed(svg: string): void {
  assert.doesNotMatch(svg, /NaN|Infinity|undefined|null|e[+-]?\d/);
  const open: string[] = [];
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?: [a-z-A-Z]+="[^"<&]*")*)(\/?)>/g,
    (_, closing, name, attributes, isEmpty) => {
      const names = [...attributes.matchAll(/ ([a-zA-Z-]+)=/g)].map(([, attribute]) => attribute);
      assert.equal(new Set(names).size, names.length);
      if (closing) assert.equal(open.pop(), name);
      else if (!isEmpty) open.push(name);
      return '';
    },
  );
  assert.deepEqual([open, rest.trim()], [[], '']);
}

test('draws the picture at twice its displayed size, without text', async () => {
  const svg = drawChart(fired)!;
  assert.doesNotMatch(svg, /<text|font/);
  const { width, height } = await sharp(Buffer.from(svg)).metadata();
  assert.deepEqual([width, height], [1_600, 600]);
});

test('draws firing in red, the threshold dashed, and the end of a resolved one in green', async () => {
  const { data, info } = await sharp(Buffer.from(drawChart(fired)!))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels).subarray(0, 3),
  ];
  assert.deepEqual(at(1_430, 400), [0xf2, 0x55, 0x5a]);
  assert.deepEqual(at(4, 300), [0x16, 0x1a, 0x22]);
  assert.match(drawChart(fired)!, /stroke-dasharray/);
  assert.match(drawChart({ ...fired, type: 'rule.resolved' })!, /#3fb984/);
});

test('draws no chart for other events', () => {
  const drawn = events.filter(event => drawChart(event) !== null).map(({ type }) => type);
  assert.deepEqual([...new Set(drawn)], ['rule.fired', 'rule.resolved']);
});

describe('labels', () => {
  const counts: [number, string][] = [
    ...([
      [0, '0'],
      [7, '7'],
      [950, '950'],
      [1_000, '1K'],
      [1_250, '1.25K'],
      [12_500, '12.5K'],
    ] as [number, string][]),
    ...([
      [999_999, '1M'],
      [2.5e6, '2.5M'],
      [3e9, '3B'],
      [999e12, '999T'],
      [2.5, '2.5'],
    ] as [number, string][]),
  ];
  for (const [count, label] of counts) it(label, () => assert.equal(labelCount(count), label));

  const at = Date.parse('2026-11-23T04:12:30Z');
  const hour = 3_600_000;
  const times: [number, number, string][] = [
    [10_000, 60_000, '04:12:30'],
    [300_000, 2 * hour, '04:12'],
    [2 * hour, 48 * hour, '11-23 04:12'],
    [24 * hour, 240 * hour, '11-23'],
  ];
  for (const [windowMs, spanMs, label] of times) {
    it(label, () => assert.equal(labelTime(at, windowMs, spanMs), label));
  }

  const lines: [number, number[]][] = [
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [100, [0, 25, 50, 75, 100]],
    [164, [0, 50, 100, 150, 200]],
  ];
  for (const [largest, expected] of lines) {
    it(`lines to ${largest}`, () => assert.deepEqual(listLines(largest), expected));
  }
});
