/** Followers after the clock of the log store was ahead for a while: none stays silent until the time that it showed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type LogTails, openLogTails } from '@tapedeck/domain/logs/tails/tails';
import { type Arrival, composeTraceId } from '@tapedeck/log-entries';
import { matchAll } from '@tapedeck/log-store';
import { createLogQueries, insertEntries, startTestStore, type TestStore } from '@tapedeck/log-store/testing';

const yearMicros = 365 * 86_400_000_000;
const signal = AbortSignal.timeout(30_000); // ends the followers of a failed test

let store: TestStore;
let tails: LogTails;
let aheadMicros = 0;
const shift = (place: Arrival): Arrival => ({ ...place, micros: place.micros + aheadMicros });

before(async () => {
  store = await startTestStore();
  const arrivals = createLogQueries({
    shards: [store.shards[0]],
    clusterName: null,
    memoryBytesMax: 400_000_000,
    flush: async () => {},
    waitForWholeBatches: async () => {},
    countInserted: null,
  });
  tails = openLogTails({
    arrivals: {
      ...arrivals,
      findEnd: async stopping => {
        const { now, settled } = await arrivals.findEnd(stopping);
        return { now: shift(now), settled: shift(settled) };
      },
    },
    intake: { subscribe: () => () => {} },
    isShared: true, // looks again and again
    report: error => assert.fail(String(error)),
  });
});
after(async () => {
  tails[Symbol.dispose]();
  await store[Symbol.asyncDispose]();
});

let inserted = 0;

async function insert(dataset: string, body: string): Promise<void> {
  const timestampMicros = Date.now() * 1000;
  const identity = (0x8000_0000_0000_0000n + BigInt(inserted++)).toString(16);
  const traceId = composeTraceId(timestampMicros, identity);
  const about = { dataset, parentId: '', level: 'info', resource: '', metadata: {} } as const;
  const entry = { traceId, timestampMicros, body, ...about };
  await insertEntries(store, [{ project: 'one', entry }]);
}

/** Follows the dataset from a place on. */
function follow(dataset: string, place: Arrival | null) {
  const begun = Promise.withResolvers<void>();
  const leaver = new AbortController();
  const next = Promise.withResolvers<string>();
  const bodies: string[] = [];
  const second = Promise.withResolvers<void>();
  const over = tails.follow({
    filter: matchAll({ project: 'one', datasets: [dataset] }),
    after: place,
    signal: AbortSignal.any([signal, leaver.signal]),
    onBegin: () => begun.resolve(),
    take: arrived => {
      bodies.push(...arrived.map(({ entry }) => entry.body));
      next.resolve(arrived[0]!.entry.body); // one or more come
      if (bodies.length > 1) second.resolve();
      return arrived.length;
    },
    hasRoom: () => true,
    untilRoom: async () => {},
  });
  over.then(() => next.reject(new Error('It stayed silent.')), next.reject);
  const untilSecond = () => Promise.race([second.promise, over]);
  const leave = async () => {
    leaver.abort();
    await over;
  };
  return { begun: begun.promise, next: next.promise, untilSecond, bodies, leave };
}

test('a follower that resumes where the clock was ahead gets what comes next', async () => {
  const place = { micros: Date.now() * 1000 + yearMicros, traceId: 'f'.repeat(32) };
  const follower = follow('resumed', place);
  await follower.begun;
  await insert('resumed', 'new');
  assert.equal(await follower.next, 'new');
  await follower.leave();
});

test('a follower goes on when the clock is set back', async () => {
  aheadMicros = yearMicros;
  const follower = follow('kept', null);
  await follower.begun;
  aheadMicros = 0;
  await insert('kept', 'new');
  assert.equal(await follower.next, 'new');
  await follower.leave();
});

for (const [stepMs, dataset] of [
  [500, 'half'],
  [5_000, 'five'],
] as const) {
  test(`a follower gets no entry twice when the clock is set back by ${stepMs} ms`, async () => {
    const follower = follow(dataset, null);
    await follower.begun;
    await insert(dataset, 'before');
    assert.equal(await follower.next, 'before');
    aheadMicros -= stepMs * 1_000;
    await insert(dataset, 'after');
    await follower.untilSecond();
    assert.deepEqual(follower.bodies, ['before', 'after']);
    await follower.leave();
  });
}
