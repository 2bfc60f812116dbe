/** Followers after the clock of the log store was ahead for a while: none stays silent until the time that it showed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type LogTails, openLogTails } from '@tapedeck/domain/logs/tails/tails';
import { type Arrival, composeTraceId } from '@tapedeck/log-entries';
import { matchAll } from '@tapedeck/log-store';
import { createLogQueries, insertEntries, startTestStore, type TestStore } from '@tapedeck/log-store/testing';

const yearMicros = 365 * 86_400_000_000;
const startPatience = () => AbortSignal.timeout(20_000); // ends the followers of a failed test

let store: TestStore;
let tails: LogTails;
/** Tails of a node that has the log server to itself, so it looks only after entries were announced to it. */
let lonelyTails: LogTails;
let announce: () => void;
let aheadMicros = 0;
let looks = 0;
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
  const deps = {
    arrivals: {
      ...arrivals,
      findEnd: async (stopping: AbortSignal) => {
        const { now, settled } = await arrivals.findEnd(stopping);
        looks += 1;
        return { now: shift(now), settled: shift(settled) };
      },
    },
    intake: {
      subscribe: (listener: () => void) => {
        announce = listener;
        return () => {};
      },
    },
    report: (error: unknown) => assert.fail(String(error)),
  };
  tails = openLogTails({ ...deps, isShared: true }); // looks again and again
  lonelyTails = openLogTails({ ...deps, isShared: false });
});
after(async () => {
  tails[Symbol.dispose]();
  lonelyTails[Symbol.dispose]();
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

/** Resolves once the tails have read the clock again as often. */
async function untilLooked(times: number): Promise<void> {
  const enough = looks + times;
  const signal = startPatience();
  while (looks < enough) await wait(5, undefined, { signal });
}

type Room = { entriesMax: number; changed: PromiseWithResolvers<void> };

/** Follows the dataset from a place on. */
function follow(
  dataset: string,
  place: Arrival | null,
  { of = tails, room }: { of?: LogTails; room?: Room } = {},
) {
  const begun = Promise.withResolvers<void>();
  const leaver = new AbortController();
  const next = Promise.withResolvers<string>();
  const bodies: string[] = [];
  const second = Promise.withResolvers<void>();
  const hasRoom = () => room === undefined || bodies.length < room.entriesMax;
  const over = of.follow({
    filter: matchAll({ project: 'one', datasets: [dataset] }),
    after: place,
    signal: AbortSignal.any([startPatience(), leaver.signal]),
    onBegin: () => begun.resolve(),
    take: arrived => {
      const taken = arrived.slice(0, room === undefined ? undefined : room.entriesMax - bodies.length);
      bodies.push(...taken.map(({ entry }) => entry.body));
      next.resolve(bodies[0]!); // one or more come
      if (bodies.length > 1) second.resolve();
      return taken.length;
    },
    hasRoom,
    untilRoom: async () => {
      if (!hasRoom()) await room?.changed.promise;
    },
  });
  over.then(() => next.reject(new Error('It stayed silent.')), next.reject);
  next.promise.catch(() => {}); // not every test awaits it
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

test('a follower gets what comes after a step back that is shorter than the time between two looks', async () => {
  aheadMicros = 180_000; // a tail looks at most every 200 ms
  const follower = follow('short', null);
  await follower.begun;
  await untilLooked(2);
  aheadMicros = 0;
  await insert('short', 'after');
  assert.equal(await follower.next, 'after');
  await follower.leave();
});

test('a node that looks only after announcements finds what came just before a step back', async () => {
  aheadMicros = 0;
  const follower = follow('lonely', null, { of: lonelyTails });
  await follower.begun;
  await insert('lonely', 'before');
  aheadMicros -= 2_000_000;
  announce();
  assert.equal(await follower.next, 'before');
  await follower.leave();
});

test('a follower that lags behind gets no entry twice when the clock is set back', async () => {
  aheadMicros = 0;
  const place = { micros: Date.now() * 1000, traceId: 'f'.repeat(32) };
  for (const body of ['one', 'two', 'three']) await insert('lagging', body);
  const room = { entriesMax: 2, changed: Promise.withResolvers<void>() };
  const follower = follow('lagging', place, { room });
  await follower.untilSecond();
  await untilLooked(3); // by now the entries are older than the step
  aheadMicros -= 800_000;
  await untilLooked(2);
  const after = insert('lagging', 'four');
  room.entriesMax = Number.POSITIVE_INFINITY;
  room.changed.resolve();
  await after;
  const signal = startPatience();
  while (!follower.bodies.includes('four')) await wait(5, undefined, { signal });
  assert.deepEqual(follower.bodies, ['one', 'two', 'three', 'four']);
  await follower.leave();
});

test('a follower that has just caught up gets no entry twice when the clock is set back', async () => {
  aheadMicros = 0;
  const place = { micros: Date.now() * 1000, traceId: 'f'.repeat(32) };
  const other = follow('elsewhere', null); // the shared query goes on for it, and past both entries
  await other.begun;
  for (const body of ['one', 'two']) await insert('caught up', body);
  await untilLooked(3);
  const follower = follow('caught up', place);
  await follower.untilSecond();
  aheadMicros -= 2_000_000;
  await insert('caught up', 'three');
  const signal = startPatience();
  while (!follower.bodies.includes('three')) await wait(5, undefined, { signal });
  assert.deepEqual(follower.bodies, ['one', 'two', 'three']);
  await Promise.all([follower.leave(), other.leave()]);
});
