/** Rates of entries read as numbers that people say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRates } from './rates.ts';

for (const [all, mostAMinute, words] of [
  [0, 0, 'Nothing in the last 6 hours'],
  [1, 0.2, '1 entry in the last 6 hours'],
  [35, 2, '35 entries in the last 6 hours'],
  [36, 2, '0.1 on average, 2 at most'],
  [720, 40, '2 on average, 40 at most'],
] as const) {
  test(`${all} entries in six hours: ${words}`, () => {
    assert.equal(describeRates({ all, hours: 6, mostAMinute }), words);
  });
}
