/** Tests the speed and time left of uploads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSample, describeSpeed } from './speeds.ts';

const at = (seconds: number, bytes: number) => ({ at: seconds * 1000, bytes });

for (const [samples, left, words] of [
  [[], 100, null],
  [[at(0, 0), at(0.5, 5_000_000)], 100, null],
  [[at(0, 0), at(2, 5 * 2 ** 20)], 50 * 2 ** 20, '2.5 MiB/s, 20 s left'],
  [[at(0, 0), at(2, 5 * 2 ** 20)], 600 * 2 ** 20, '2.5 MiB/s, 4 min left'],
  [[at(0, 0), at(2, 2 * 2 ** 20)], 9_000 * 2 ** 20, '1 MiB/s, 2.5 h left'],
  [[at(0, 7), at(3, 7)], 100, null],
] as const) {
  test(`describes ${samples.length} samples with ${left} bytes left as ${words}`, () => {
    assert.equal(describeSpeed(samples, left), words);
  });
}

test('keeps samples at least 250 ms apart and no older than 8 s', () => {
  const first = addSample([], at(0, 0));
  assert.equal(addSample(first, at(0.1, 1)), first);
  assert.deepEqual(addSample(first, at(9, 2)), [at(9, 2)]);
});
