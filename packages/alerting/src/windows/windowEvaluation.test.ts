/** Tests rules over windows, in seconds: arrivals, evaluations and reports. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { emptyState, moveState, type RuleState, type Tally, type Transition, valuesMax } from './states.ts';
import { advance, type WatchedRule } from './windowEvaluation.ts';
import type { WindowCondition } from './windows.ts';

const start = 1_700_000_000_000;
/** Seconds after the start, with a value if the rule is split. */
type Arrived = readonly (number | readonly [number, string])[];

function watch(
  rule: WatchedRule,
  arrived: Arrived,
  lookedAt: readonly number[],
): { state: RuleState; told: Transition[] } {
  let state = emptyState(start);
  const told: Transition[] = [];
  for (const seconds of lookedAt) {
    const until = start + seconds * 1_000;
    const tallies: Tally[] = arrived
      .map(one => (typeof one === 'number' ? ([one, ''] as const) : one))
      .map(([at, value]) => ({ at: start + at * 1_000, value }))
      .filter(({ at }) => at >= state.at && at < until)
      .map(({ at, value }) => ({ ms: at, value, count: 1 }));
    const step = advance(rule, state, { tallies, until });
    // Continues as another process would.
    state = JSON.parse(JSON.stringify(step.state));
    told.push(...step.transitions);
  }
  return { state, told };
}

const makeRule = (condition: WindowCondition, windowSeconds: number, isSplit = false): WatchedRule => ({
  condition,
  windowMs: windowSeconds * 1_000,
  since: start,
  isSplit,
});
const atLeast = (value: number): WindowCondition => ({ kind: 'count', op: '>=', value });
const below = (value: number): WindowCondition => ({ kind: 'count', op: '<', value });
const times = (value: number, factor: number): WindowCondition => ({ kind: 'change', value, factor });
const everySecond = (end: number) => Array.from({ length: end }, (_, index) => index + 1);
/** `fired@2 (3)`: when, and the count of the window. */
const describeTold = (told: readonly Transition[]) =>
  told.map(
    ({ kind, value, at, count }) => `${kind}${value && ` ${value}`}@${(at - start) / 1_000} (${count})`,
  );

const rows: [string, WatchedRule, Arrived, string[]][] = [
  ['too few', makeRule(atLeast(3), 10), [1, 2], []],
  ['enough at once', makeRule(atLeast(3), 10), [2, 2, 2], ['fired@2 (3)', 'resolved@12 (0)']],
  [
    'enough within the window',
    makeRule(atLeast(3), 10),
    [1, 5, 10.5],
    ['fired@10.5 (3)', 'resolved@20.5 (0)'],
  ],
  ['enough, but not within a window', makeRule(atLeast(3), 10), [1, 5, 11.5], []],
  [
    'across the end of a window that begins anywhere',
    makeRule(atLeast(2), 10),
    [9, 11],
    ['fired@11 (2)', 'resolved@21 (0)'],
  ],
  ['once while it lasts', makeRule(atLeast(1), 10), [1, 8, 15], ['fired@1 (1)', 'resolved@25 (0)']],
  [
    'again after it is resolved',
    makeRule(atLeast(1), 10),
    [1, 20],
    ['fired@1 (1)', 'resolved@11 (0)', 'fired@20 (1)', 'resolved@30 (0)'],
  ],
  [
    'fewer than wanted',
    makeRule(below(1), 10),
    [3, 30],
    ['fired@13.1 (0)', 'resolved@30.1 (1)', 'fired@40.1 (0)'],
  ],
  ['never any', makeRule(below(1), 10), [], ['fired@10 (0)']],
  [
    'fewer than several',
    makeRule(below(2), 10),
    [1, 2, 13, 14],
    ['fired@11.1 (1)', 'resolved@14.1 (2)', 'fired@23.1 (1)'],
  ],
  ['many times as many', makeRule(times(4, 3), 10), [1, 12, 13, 14, 15], ['fired@15 (4)', 'resolved@25 (0)']],
  ['many, but as many before', makeRule(times(4, 3), 10), [5, 6, 16.5, 17, 18, 19], []],
  ['many after nothing', makeRule(times(4, 3), 10), [32, 33, 34, 35], ['fired@35 (4)', 'resolved@45 (0)']],
  [
    'each value separately',
    makeRule(atLeast(2), 10, true),
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
      [4, 'b'],
    ],
    ['fired a@3 (2)', 'fired b@4 (2)', 'resolved a@13 (0)', 'resolved b@14 (0)'],
  ],
  [
    'a value that stops arriving',
    makeRule(below(1), 10, true),
    [
      [1, 'a'],
      [6, 'a'],
      [2, 'b'],
      [20, 'b'],
    ],
    ['fired b@12.2 (0)', 'fired a@16.2 (0)', 'resolved b@20.2 (1)', 'fired b@30.2 (0)'],
  ],
  [
    'a value that first arrives late, but often enough',
    makeRule(below(2), 10, true),
    [20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60].map(at => [at, 'a'] as const),
    [],
  ],
  [
    'a value that first arrives late and too rarely',
    makeRule(below(2), 10, true),
    [[20, 'a']],
    ['fired a@30 (1)'],
  ],
  [
    'names of JavaScript properties as values',
    makeRule(atLeast(2), 10, true),
    [
      [1, 'constructor'],
      [2, '__proto__'],
      [3, 'constructor'],
      [4, '__proto__'],
    ],
    [
      'fired constructor@3 (2)',
      'fired __proto__@4 (2)',
      'resolved constructor@13 (0)',
      'resolved __proto__@14 (0)',
    ],
  ],
];

describe('a rule reports', () => {
  for (const [name, rule, arrived, expected] of rows) {
    it(`${name}, when evaluated every second`, () => {
      assert.deepEqual(describeTold(watch(rule, arrived, everySecond(60)).told), expected);
    });
  }
  for (const [name, rule, arrived, expected] of rows) {
    it(`${name}, when evaluated after a long pause`, () => {
      assert.deepEqual(describeTold(watch(rule, arrived, [60]).told), expected);
    });
  }
});

test('a state keeps nothing that is over', () => {
  const { state } = watch(
    makeRule(atLeast(1), 10, true),
    [
      [1, 'a'],
      [2, 'b'],
    ],
    everySecond(40),
  );
  assert.deepEqual(state.values, {});
});

test('ignores values beyond the limit, the rarest first', () => {
  const arrived: [number, string][] = Array.from({ length: valuesMax + 1 }, (_, index) => [
    1,
    `value ${index}`,
  ]);
  const { state, told } = watch(makeRule(atLeast(1), 10, true), [...arrived.slice(1), ...arrived], [2]);
  assert.equal(told.length, valuesMax);
  assert.ok(state.isCrowded);
  assert.ok(!told.some(({ value }) => value === 'value 0'));
});

test('a long window keeps few buckets and still reports at once', () => {
  const day = makeRule(atLeast(5_000), 86_400);
  const { state, told } = watch(
    day,
    Array.from({ length: 6_000 }, (_, index) => index * 10),
    [49_985, 49_995, 50_000],
  );
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['fired'],
  );
  assert.ok(state.values['']!.buckets.length <= 600);
});

test('setting the clock back clears the state', () => {
  const rule = makeRule(atLeast(2), 10);
  const { state } = watch(rule, [99], [100]);
  const moved = moveState(state, -60_000);
  const { transitions } = advance(rule, moved, {
    tallies: [{ ms: start + 41_000, value: '', count: 1 }],
    until: start + 42_000,
  });
  assert.deepEqual(describeTold(transitions), ['fired@41 (2)']);
});
