/** Followers that are behind: what catching up costs the engine, who waits for whom, and what happens when they disconnect. */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TailListener } from '@tapedeck/domain/logs/tails/followers';
import { type LogTails, openLogTails } from '@tapedeck/domain/logs/tails/tails';
import type { Arrival, LogFilter, LogQueries } from '@tapedeck/domain/ports/logQueries';
import { composeTraceId } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import { matchAll } from '@tapedeck/log-store';
import {
  createLogQueries,
  insertEntries,
  logQueryTimeMsMax,
  queryRows,
  type Relay,
  relay,
  startTestStore,
  type TestStore,
} from '@tapedeck/log-store/testing';

const insertsCount = 30;
const insertEntriesCount = 200;
const entriesCount = insertsCount * insertEntriesCount;
const bodyCharacters = 4_000; // large, so that pages hold few entries and many pages are needed
const makeBody = (number: number) => `b${number} `.padEnd(bodyCharacters, 'y');
const behind = matchAll({ project: 'one', datasets: ['behind'] });
const hourMicros = 3_600_000_000;
const beginning: Arrival = { micros: Date.now() * 1000 - hourMicros, traceId: 'f'.repeat(32) };
const forever = new AbortController().signal;

let store: TestStore;
let watched: Relay;
let queries: LogQueries;
let tails: LogTails;
/** Counts queries for followers that are behind. */
let queriesMade = 0;
let opened = Promise.resolve();
const reported: unknown[] = [];

before(async () => {
  store = await startTestStore();
  watched = await relay(store.shards[0], async url => {
    if (![...url.searchParams.values()].includes('behind')) return;
    queriesMade++;
    await opened;
  });
  const startMicros = Date.now() * 1000;
  const about = { dataset: 'behind', parentId: '', level: 'info', resource: '', metadata: {} } as const;
  for (let insert = 0; insert < insertsCount; insert++) {
    const entries = Array.from({ length: insertEntriesCount }, (_, index) => {
      const number = insert * insertEntriesCount + index;
      const timestampMicros = startMicros + number;
      const traceId = composeTraceId(timestampMicros, (0x8000_0000_0000_0000n + BigInt(number)).toString(16));
      return {
        project: 'one',
        entry: { traceId, timestampMicros, body: makeBody(number), ...about },
      };
    });
    await insertEntries(store, entries);
  }
  const arrivals = createLogQueries({
    shards: [watched],
    clusterName: null,
    memoryBytesMax: 400_000_000,
    flush: async () => {},
    waitForWholeBatches: async () => {},
    countInserted: null,
  });
  queries = arrivals;
  tails = openLogTails({
    arrivals,
    intake: { subscribe: () => () => {} },
    isShared: false,
    report: error => void reported.push(error),
  });
});
after(async () => {
  tails[Symbol.dispose]();
  await watched[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

/** Reads as fast as it can until it leaves. */
function listen({ filter = behind, entriesMax = Number.POSITIVE_INFINITY } = {}) {
  const leaver = new AbortController();
  const bodies: string[] = [];
  const all = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const listener: TailListener = {
    filter,
    after: beginning,
    signal: leaver.signal,
    onBegin: () => begun.resolve(),
    take(arrived) {
      bodies.push(...arrived.map(({ entry }) => entry.body));
      if (bodies.length >= entriesMax) all.resolve();
      return arrived.length;
    },
    hasRoom: () => true,
    untilRoom: async () => {},
  };
  return {
    bodies,
    told: all.promise,
    begun: begun.promise,
    leave: () => leaver.abort(),
    over: tails.follow(listener),
  };
}

async function countRowsRead(): Promise<number> {
  const sql = "SELECT value FROM system.events WHERE event = 'SelectedRows'";
  const [row] = await queryRows(store.shards[0], { sql });
  return Number(row?.[0]);
}

/** Holds queries of followers that are behind until the returned function is called. */
function holdQuestions(): () => void {
  const gate = Promise.withResolvers<void>();
  opened = gate.promise;
  return gate.resolve;
}

async function untilAsked(count: number): Promise<void> {
  for (const deadline = performance.now() + 10_000; queriesMade < count; await nextTurn()) {
    assert.ok(performance.now() < deadline, `${queriesMade} of ${count} queries`);
  }
}

const bodyHolds = (text: string): Condition => ({
  kind: 'body',
  values: [{ kind: 'holds', parts: [text] }],
});
const otherFilters: LogFilter[] = Array.from({ length: 20 }, (_, index) => ({
  ...behind,
  condition: bodyHolds(`b${index} `),
}));

test('catching up reads about as much as it sends, in order, each once', async () => {
  const rowsBefore = await countRowsRead();
  const madeBefore = queriesMade;
  const follower = listen({ entriesMax: entriesCount });
  await follower.told;
  follower.leave();
  await follower.over;
  assert.deepEqual(
    follower.bodies,
    Array.from({ length: entriesCount }, (_, number) => makeBody(number)),
  );
  const [questions, rows] = [queriesMade - madeBefore, (await countRowsRead()) - rowsBefore];
  assert.ok(questions > 0 && questions < 2 * insertsCount, `${questions} queries`);
  assert.ok(rows < entriesCount * 5.5, `${rows} rows`);
});

test('clients at the same position with the same filter share reads', async () => {
  const madeBefore = queriesMade;
  const followers = Array.from({ length: 40 }, () => listen({ entriesMax: entriesCount }));
  await Promise.all(followers.map(({ told }) => told));
  for (const { leave, over, bodies } of followers) {
    leave();
    await over;
    assert.equal(new Set(bodies).size, entriesCount);
  }
  assert.ok(queriesMade - madeBefore < 200, `${queriesMade - madeBefore} queries`);
});

test('a light query does not wait for clients that catch up, and all receive their entries', async () => {
  const madeBefore = queriesMade;
  const release = holdQuestions();
  const followers = otherFilters.map(filter => listen({ filter, entriesMax: 1 }));
  await untilAsked(madeBefore + 2);
  const place = { project: 'one', datasets: ['elsewhere'], traceId: composeTraceId(0, '8000000000000001') };
  assert.equal(await queries.findEntry(place, forever), null);
  release();
  for (const { told, leave, over } of followers) {
    await told;
    leave();
    await over;
  }
  const questions = queriesMade - madeBefore;
  assert.ok(questions < otherFilters.length * 15, `${questions} queries`);
});

test('a client that disconnects frees its slot at once, running or queued, and queries no more', async () => {
  const madeBefore = queriesMade;
  const release = holdQuestions();
  const followers = otherFilters.map(filter => listen({ filter }));
  await Promise.all(followers.map(({ begun }) => begun));
  await untilAsked(madeBefore + 2);
  for (const { leave } of followers) leave();
  await Promise.all(followers.map(({ over }) => over));
  assert.equal(queriesMade, madeBefore + 2);
  release();
  const follower = listen({
    filter: { ...behind, condition: bodyHolds(`b${entriesCount - 1} `) },
    entriesMax: 1,
  });
  await follower.told;
  follower.leave();
  await follower.over;
  assert.deepEqual(follower.bodies, [makeBody(entriesCount - 1)]);
});

test('a follower waits in the queue for as long as it takes', async () => {
  const madeBefore = queriesMade;
  const release = holdQuestions();
  mock.timers.enable({ apis: ['setTimeout'] });
  const followers = otherFilters.slice(0, 3).map(filter => listen({ filter, entriesMax: 1 }));
  await Promise.all(followers.map(({ begun }) => begun));
  await untilAsked(madeBefore + 2);
  for (let turn = 0; turn < 10; turn++) await nextTurn(); // the third is queued
  mock.timers.tick(logQueryTimeMsMax + 1_000);
  mock.timers.reset();
  release();
  for (const { told, over, leave } of followers) {
    await Promise.race([told, over.then(() => assert.fail('it ended'))]);
    leave();
    await over;
  }
});
