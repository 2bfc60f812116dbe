/** Nodes that share a database: one node removes stale rows, and not again for an hour. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { forgetHourly } from '../../src/jobs/cleanup.ts';
import { makeDirectory } from '../support/service.ts';

test('fifty nodes clean up as often as one, and again in the next hour', async () => {
  await using directory = await makeDirectory();
  await using store = await openMetadataStore({ kind: 'sqlite', file: path.join(directory.path, 'a.db') });
  let now = 1_700_000_000_000;
  const clock = { now: () => now, micros: () => now * 1000 };
  const forgotten: number[] = [];
  const { signal } = new AbortController();
  const hour = 3_600_000;
  for (const turn of [0, 1, 2]) {
    now = 1_700_000_000_000 + turn * hour;
    for (let node = 0; node < 50; node++) {
      const { work, intervalMs } = forgetHourly({ store, clock }, 'rows', async at => forgotten.push(at));
      assert.equal(intervalMs, hour);
      await work(signal);
      now += 60_000; // nodes do not start at the same moment
    }
  }
  assert.deepEqual(
    forgotten.map(at => at - 1_700_000_000_000),
    [0, hour, 2 * hour],
  );
});

test('the next node retries a failed cleanup', async () => {
  await using directory = await makeDirectory();
  await using store = await openMetadataStore({ kind: 'sqlite', file: path.join(directory.path, 'a.db') });
  const clock = { now: () => 1_700_000_000_000, micros: () => 1_700_000_000_000_000 };
  const { signal } = new AbortController();
  const forget = (work: () => Promise<unknown>) => forgetHourly({ store, clock }, 'rows', work).work(signal);
  await assert.rejects(
    forget(() => Promise.reject(new Error('lost'))),
    /lost/,
  );
  let isDone = false;
  await forget(async () => {
    isDone = true;
  });
  assert.ok(isDone);
});
