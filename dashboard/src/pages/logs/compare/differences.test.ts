/** Tests which differences are listed, in which order and words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairSpans } from './comparedSpans.ts';
import { describeChange, rankDifferences } from './differences.ts';

for (const [now, before, words] of [
  [10, 0, 'new'],
  [0, 10, 'gone'],
  [24, 2, '12× as often'],
  [30, 20, '1.5× as often'],
  [40, 20, '2× as often'],
  [10, 20, '50 % as often'],
  [1, 1000, '1 % as often'],
] as const) {
  test(`${now} after ${before} is ${words}`, () => assert.equal(describeChange({ now, before }), words));
}

test('omits differences explained by chance and lists the clearest difference first', () => {
  const make = (value: string, now: number, before: number) => ({
    field: 'resource',
    value,
    label: value,
    now,
    before,
  });
  const all = [
    make('chance', 110, 100),
    make('rare', 4, 0),
    make('new', 20, 0),
    make('much', 500, 100),
    make('gone', 0, 90),
  ];
  assert.deepEqual(
    rankDifferences(all, { now: 1_000, before: 1_000, compared: 5 }).map(({ value }) => value),
    ['much', 'gone', 'new'],
  );
});

test('omits values that grow or shrink only with the total', () => {
  const all = [
    { field: 'level', value: 'info', label: 'info', now: 1_000, before: 2_000 },
    { field: 'level', value: 'error', label: 'error', now: 300, before: 100 },
    { field: 'server', value: 'eu-1', label: 'eu-1', now: 1_300, before: 2_100 },
    { field: 'resource', value: 'chat', label: 'chat', now: 600, before: 1_000 },
    { field: 'resource', value: 'bank', label: 'bank', now: 300, before: 0 },
  ];
  assert.deepEqual(
    rankDifferences(all, { now: 1_300, before: 2_100, compared: 5 }).map(({ value }) => value),
    ['info', 'bank', 'error'],
  );
});

const [from, to] = ['2026-03-02T10:00:00.000Z', '2026-03-02T10:01:00.000Z'];
for (const [against, start, end] of [
  [undefined, '2026-03-02T09:59:00.000Z', '2026-03-02T09:59:59.999Z'],
  ['day', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:59.999Z'],
  ['week', '2026-02-23T10:00:00.000Z', '2026-02-23T10:00:59.999Z'],
  ['2026-03-02T08:30:00.000Z', '2026-03-02T08:30:00.000Z', '2026-03-02T08:30:59.999Z'],
  ['soon', '2026-03-02T09:59:00.000Z', '2026-03-02T09:59:59.999Z'],
] as const) {
  test(`a minute against ${against ?? 'the one before'}`, () => {
    const pair = pairSpans({ from, to, against }, 0);
    assert.deepEqual([pair?.before.from, pair?.before.to], [start, end]);
  });
}

test('compares all time with nothing', () => assert.equal(pairSpans({ range: 'all' }, 0), null));

test('requires a larger difference among a thousand values than among a few', () => {
  const [few, many] = [10, 1_000].map(compared => ({ now: 30_000, before: 30_000, compared }));
  const off = { field: 'player.id', value: 'off', label: 'off', now: 16, before: 4 };
  assert.deepEqual(rankDifferences([off], few!), []);
  const clear = { ...off, value: 'clear', now: 16, before: 1 };
  assert.deepEqual(rankDifferences([clear], few!), [clear]);
  assert.deepEqual(rankDifferences([clear], many!), []);
  const plain = { ...off, value: 'plain', now: 40, before: 4 };
  assert.deepEqual(rankDifferences([plain], many!), [plain]);
});
