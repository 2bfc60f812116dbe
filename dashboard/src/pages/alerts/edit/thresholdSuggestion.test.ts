/** Tests suggested thresholds for rules that would nearly always fire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestThreshold } from './thresholdSuggestion.ts';

const week = (usual: number, rare: Readonly<Record<number, number>> = {}): number[] =>
  Array.from({ length: 336 }, (_, index) => rare[index] ?? usual);

const rows: readonly (readonly [
  title: string,
  counts: readonly number[],
  isSilence: boolean,
  value: number | null,
])[] = [
  ['a fifth more than usual, in round numbers', week(273), false, 330],
  ['a spike is not usual', week(273, { 100: 740, 101: 512 }), false, 330],
  ['one more than a few', week(2), false, 3],
  ['nothing at all', week(0), false, 1],
  ['a fifth less than usual', week(100), true, 83],
  ['an empty half hour is not usual', week(100, { 7: 0 }), true, 83],
  ['never fewer than one', week(1), true, 1],
  ['where nothing comes for long, none', week(0), true, null],
  ['no week', [], false, null],
];

for (const [title, counts, isSilence, value] of rows) {
  test(title, () => {
    assert.equal(suggestThreshold(counts, { isSilence }), value);
  });
}
