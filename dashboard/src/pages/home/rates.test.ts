/** Tests the wording of entry rates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRates, sayRate } from './rates.ts';

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

for (const [aMinute, words] of [
  [0, '0 a minute'],
  [1 / 360, '0.2 an hour'],
  [0.2, '12 an hour'],
  [6.72, '6.7 a minute'],
  [63.8, '64 a minute'],
  [12_345.6, '12,346 a minute'],
] as const) {
  test(`${aMinute} entries a minute are ${words}`, () => assert.equal(sayRate(aMinute), words));
}
