/** Tests the wording of entry rates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRates, formatRecentRate } from './rates.ts';

for (const [all, mostAMinute, words] of [
  [0, 0, 'Nothing in the last 6 hours'],
  [1, 0.2, '1 entry in the last 6 hours'],
  [35, 2, '35 entries in the last 6 hours'],
  [180, 2, 'About 30 an hour on average, 2 a minute at peak'],
  [720, 40, 'About 2 a minute on average, 40 a minute at peak'],
] as const) {
  test(`${all} entries in six hours: ${words}`, () => {
    assert.equal(describeRates({ all, hours: 6, mostAMinute }), words);
  });
}

for (const [count, words] of [
  [0, '0 entries'],
  [1, '1 entry'],
  [4, '4 entries'],
  [5, '1 a minute'],
  [33, '6.6 a minute'],
  [319, '64 a minute'],
  [61_728, '12,346 a minute'],
] as const) {
  test(`${count} entries in five minutes are ${words}`, () =>
    assert.equal(formatRecentRate(count, 5), words));
}
