/** Tests that many short works share the event loop with others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeSlices } from './index.ts';

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('others get the event loop between many works, and each work gives its result in order', async () => {
  const slices = new TimeSlices();
  let finished = 0;
  const results = Array.from({ length: 60 }, (_, index) =>
    slices.run(() => {
      spin(2);
      return finished++ === index;
    }),
  );
  assert.equal(finished, 0);
  let turns = 0;
  for (let before = 0; finished < results.length; before = finished) {
    await nextTurn();
    turns++;
    assert.ok(finished - before <= 6, `${finished - before} works in one turn`); // five take more than 8 ms
  }
  assert.ok(turns >= 10);
  assert.deepEqual(new Set(await Promise.all(results)), new Set([true]));
});

test('a work that fails rejects alone', async () => {
  const slices = new TimeSlices();
  const failing = slices.run(() => {
    throw new Error('broken');
  });
  const sound = slices.run(() => 'sound');
  await assert.rejects(failing, /broken/);
  assert.equal(await sound, 'sound');
});
