/** Tests that windows equal their joined granules, and that many granules per window cost no more than few. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinWindows, type Windows } from './windowJoins.ts';

const joins = [(one: number, other: number) => one + other, Math.min, Math.max];
const shapes = [
  { perStep: 1, perWindow: 1 },
  { perStep: 1, perWindow: 7 },
  { perStep: 3, perWindow: 7 },
  { perStep: 4, perWindow: 4 },
  { perStep: 9, perWindow: 2 },
];

/** Returns a pseudo-random number that is the same in each run. */
function scramble(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 12)) >>> 0;
}

/** Joins each window granule by granule. */
function joinSlowly(points: [number, number][], { perStep, perWindow, windows, join }: Windows) {
  return Array.from({ length: windows }, (_, window) => window).flatMap((window): [number, number][] => {
    const start = window * perStep;
    const within = points.filter(([place]) => place >= start && place < start + perWindow);
    return within.length === 0 ? [] : [[window, within.map(([, value]) => value).reduce(join)]];
  });
}

for (const shape of shapes)
  for (const [kind, join] of joins.entries())
    test(`windows of ${shape.perWindow} granules, ${shape.perStep} apart, joined in way ${kind}`, () => {
      for (let round = 0; round < 60; round++) {
        const windows = round % 25;
        const granules = windows * shape.perStep + shape.perWindow;
        const share = 1 + (round % 6); // one granule in `share` has a point
        const points = Array.from({ length: granules }, (_, place): [number, number] => [
          place,
          scramble(round * 1_000 + place) % 100,
        ]).filter(([place]) => scramble(place * 31 + round) % share === 0);
        const asked = { ...shape, windows, join: (one: number, other: number) => join(one, other) };
        assert.deepEqual(joinWindows(points.toReversed(), asked), joinSlowly(points, asked));
      }
    });

const tookMsMax = 1_000; // usually 60 ms; granule by granule would take two billion steps

test('joins 200,000 points in windows of 50,000 granules in a moment', () => {
  const points = Array.from({ length: 200_000 / 4 }, (_, place): [number, number] => [place, 1]);
  const startedAt = performance.now();
  for (let series = 0; series < 4; series++) {
    const found = joinWindows(points, {
      perStep: 1,
      perWindow: 50_000,
      windows: 10_000,
      join: (one, other) => one + other,
    });
    assert.deepEqual(found.at(-1), [9_999, 50_000 - 9_999]);
  }
  assert.ok(performance.now() - startedAt < tookMsMax);
});
