/** Segments in the bucket: each counts once, goes into one shard, and stays recorded for a while afterwards. */
import assert from 'node:assert/strict';
import type { KeyClaim } from '@tapedeck/domain/ports/keyClaims';
import type { KeyRecord, NewSegment } from '@tapedeck/domain/ports/logs';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ConformanceCase } from './cases.ts';

const nameSegment = (number: number): NewSegment => ({
  name: `segment${number}`,
  shard: 'one',
  rows: 10 + number,
  bytes: 100,
  isSpread: number % 2 === 1,
});
const someday = 4_102_444_800_000;
const options = { until: someday, keys: [] };
const claim: KeyClaim = {
  scopeHash: Buffer.alloc(16, 1),
  bodyHash: Buffer.alloc(16, 2),
  nodeId: 'node1',
  attemptId: 'attempt1',
  expiresAt: someday,
};
const key: KeyRecord = { ...claim, traceId: Buffer.alloc(16, 3), storedAt: someday };

async function listNames({ logSegments }: MetadataStore, limit = 100): Promise<string[]> {
  return (await logSegments.look(limit)).segments.map(({ name }) => name);
}

async function registerAll({ logSegments }: MetadataStore, count: number): Promise<void> {
  for (let number = 0; number < count; number++)
    assert.equal(await logSegments.register(nameSegment(number), options), true);
}

export const logSegmentCases: readonly ConformanceCase[] = [
  {
    title: 'lists registered segments oldest first, with the time of the database',
    run: async ({ store }) => {
      const { logSegments } = store;
      const before = await logSegments.readClock();
      await registerAll(store, 3);
      const { now, segments } = await logSegments.look(2);
      assert.deepEqual(
        segments.map(({ registeredAt: _, ...segment }) => segment),
        [0, 1].map(number => ({ ...nameSegment(number), isWanted: false, import: null })),
      );
      for (const { registeredAt } of segments) assert.ok(before <= registeredAt && registeredAt <= now);
      const { oldestMs, ...measured } = await logSegments.measure();
      assert.deepEqual(measured, { segments: 3, rows: 33, bytes: 300, damaged: 0 });
      assert.ok(oldestMs !== null && oldestMs >= 0);
    },
  },
  {
    title: 'a segment registered twice is pending once, and not again after its import',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 1);
      await registerAll(store, 1);
      assert.deepEqual(await listNames(store), ['segment0']);
      await logSegments.begin({ name: 'import', shard: 'two', until: 5 }, ['segment0']);
      await logSegments.end('import');
      await registerAll(store, 1);
      assert.deepEqual(await listNames(store), []);
      const none = { segments: 0, rows: 0, bytes: 0, oldestMs: null, damaged: 0 };
      assert.deepEqual(await logSegments.measure(), none);
    },
  },
  {
    title: 'a segment that arrives too late never counts, and claims no key',
    run: async ({ store }) => {
      const { logSegments, keyClaims } = store;
      await keyClaims.claim(claim, 0);
      assert.equal(await logSegments.register(nameSegment(0), { until: 1, keys: [] }), false);
      assert.deepEqual(await listNames(store), []);
      assert.equal(await logSegments.register(nameSegment(0), { until: 1, keys: [key] }), false);
      assert.equal((await keyClaims.find(claim.scopeHash, 0))?.traceId, null);
    },
  },
  {
    title: 'stores keys with their segment, again on a repeat',
    run: async ({ store: { logSegments, keyClaims } }) => {
      await keyClaims.claim(claim, 0);
      for (let time = 0; time < 2; time++)
        assert.equal(await logSegments.register(nameSegment(0), { until: someday, keys: [key] }), true);
      const standing = await keyClaims.find(claim.scopeHash, 0);
      assert.equal(standing?.traceId, key.traceId.toString('hex'));
      assert.equal(standing?.expiresAt, someday + 86_400_000);
    },
  },
  {
    title: 'a segment whose key belongs to another attempt never counts',
    run: async ({ store }) => {
      const { logSegments, keyClaims } = store;
      await keyClaims.claim(claim, 0);
      const late = { ...key, attemptId: 'attempt0' };
      assert.equal(await logSegments.register(nameSegment(0), { until: someday, keys: [late] }), false);
      assert.deepEqual(await listNames(store), []);
      assert.equal((await keyClaims.find(claim.scopeHash, 0))?.traceId, null);
    },
  },
  {
    title: 'one of two imports gets a segment, and the other nothing',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 3);
      const begin = (name: string, names: string[]) =>
        logSegments.begin({ name, shard: name, until: 7 }, names);
      const began = await Promise.all([
        begin('a', ['segment0', 'segment1']),
        begin('b', ['segment1', 'segment2']),
      ]);
      assert.deepEqual(began.toSorted(), [false, true]);
      const [winner, free] = began[0] ? ['a', 'segment2'] : ['b', 'segment0'];
      for (const segment of (await logSegments.look(9)).segments) {
        const bound = { import: { name: winner, until: 7 }, shard: winner };
        const expected = segment.name === free ? { import: null, shard: 'one' } : bound;
        assert.deepEqual({ import: segment.import, shard: segment.shard }, expected);
      }
    },
  },
  {
    title: 'extends an import only for a caller that knows its deadline',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 1);
      await logSegments.begin({ name: 'a', shard: 'one', until: 7 }, ['segment0']);
      const extended = await Promise.all([
        logSegments.extend({ name: 'a', until: 7 }, 8),
        logSegments.extend({ name: 'a', until: 7 }, 9),
        logSegments.extend({ name: 'b', until: 7 }, 9),
      ]);
      assert.equal(extended.filter(Boolean).length, 1);
      await logSegments.end('a');
      assert.equal(await logSegments.extend({ name: 'a', until: extended[0] ? 8 : 9 }, 10), false);
    },
  },
  {
    title: 'segments of a removed shard can be reassigned on request',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 3);
      await logSegments.begin({ name: 'a', shard: 'gone', until: 7 }, ['segment0', 'segment1']);
      await logSegments.begin({ name: 'b', shard: 'here', until: 7 }, ['segment2']);
      for (const [isDryRun, count] of [
        [true, 2],
        [false, 2],
        [false, 0],
      ] as const)
        assert.equal(await logSegments.release({ except: ['here', 'there'], isDryRun }), count);
      const bound = (await logSegments.look(9)).segments.map(segment => segment.import?.name ?? null);
      assert.deepEqual(bound, [null, null, 'b']);
      assert.equal(await logSegments.extend({ name: 'a', until: 7 }, 8), false);
    },
  },
  {
    title: 'marks the segments that a query needs for every reader',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 3);
      await logSegments.want(['segment0', 'segment2', 'unknown']);
      const wanted = (await logSegments.look(9)).segments.map(({ isWanted }) => isWanted);
      assert.deepEqual(wanted, [true, false, true]);
    },
  },
  {
    title: 'keeps objects until their import has ended; keeps damaged ones without waiting for them',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 4);
      await logSegments.begin({ name: 'a', shard: 'one', until: 7 }, ['segment0', 'segment1']);
      await logSegments.end('a');
      await logSegments.setAside('segment2');
      assert.deepEqual(await listNames(store), ['segment3']);
      const { segments: waiting, damaged } = await logSegments.measure();
      assert.deepEqual({ waiting, damaged }, { waiting: 1, damaged: 1 });
      const names = ['segment0', 'segment2', 'segment3', 'unknown'];
      assert.deepEqual((await logSegments.listNeeded(names)).toSorted(), ['segment2', 'segment3']);
      await logSegments.forgetEnded(0);
      await registerAll(store, 1);
      assert.deepEqual(await listNames(store), ['segment3']);
      await logSegments.forgetEnded(someday);
      assert.deepEqual((await logSegments.listNeeded(names)).toSorted(), ['segment2', 'segment3']);
    },
  },
  {
    title: 'a writer is silent once its lease expires, and only a caller that knows its state forgets it',
    run: async ({ store: { logSegments } }) => {
      const now = await logSegments.readClock();
      await logSegments.openWriter('a', now + 60_000);
      await logSegments.openWriter('b', now - 1);
      const silent = { id: 'b', leasedUntil: now - 1, notes: 0 };
      assert.deepEqual((await logSegments.look(9)).silent, [silent]);
      assert.deepEqual(await logSegments.findWriter('b'), silent);
      await logSegments.closeWriter({ ...silent, leasedUntil: now });
      await logSegments.closeWriter({ ...silent, notes: 1 });
      assert.equal((await logSegments.listWriters()).length, 2);
      const held = await logSegments.holdWriter({ id: 'b', until: now + 60_000, notes: 0 });
      assert.ok(held.isHeld && held.now >= now);
      assert.deepEqual((await logSegments.look(9)).silent, []);
      await logSegments.closeWriter({ id: 'b', notes: 0, leasedUntil: now + 60_000 });
      await logSegments.closeWriter({ id: 'a', notes: 0, leasedUntil: null });
      assert.deepEqual(await logSegments.listWriters(), []);
      assert.equal(await logSegments.findWriter('a'), null);
      assert.equal((await logSegments.holdWriter({ id: 'a', until: now, notes: 0 })).isHeld, false);
    },
  },
  {
    title: 'registers notes once, with their time, and renews a lease only afterwards',
    run: async ({ store }) => {
      const { logSegments } = store;
      await registerAll(store, 1);
      await logSegments.openWriter('a', 5);
      const range = { writer: 'a', from: 0, to: 2 };
      const noted = [0, 1, 2].map(number => ({ ...nameSegment(number), registeredAt: 7 + number }));
      assert.equal((await logSegments.holdWriter({ id: 'a', until: 9, notes: 2 })).isHeld, false);
      const taken = await Promise.all([
        logSegments.registerNotes(range, noted),
        logSegments.registerNotes(range, noted),
        logSegments.registerNotes({ ...range, from: 1, to: 3 }, noted),
        logSegments.registerNotes({ ...range, writer: 'unknown' }, noted),
      ]);
      assert.equal(taken.filter(Boolean).length, 1);
      const waiting = (await logSegments.look(9)).segments;
      assert.deepEqual(
        waiting.map(({ name }) => name),
        ['segment0', 'segment1', 'segment2'],
      );
      assert.deepEqual(
        waiting.map(({ registeredAt }) => registeredAt).slice(1),
        [8, 9],
        'the first one was registered',
      );
      assert.equal((await logSegments.findWriter('a'))?.notes, 2);
      assert.equal((await logSegments.holdWriter({ id: 'a', until: 9, notes: 2 })).isHeld, true);
    },
  },
  {
    title: 'a lane has one holder, until it is released',
    run: async ({ store: { logSegments } }) => {
      assert.equal(await logSegments.holdLane('one', 'a', 60_000), true);
      assert.equal(await logSegments.holdLane('one', 'b', 60_000), false);
      assert.equal(await logSegments.holdLane('two', 'b', 60_000), true);
      assert.equal(await logSegments.holdLane('one', 'a', 60_000), true);
      await logSegments.releaseLane('one', 'b');
      assert.equal(await logSegments.holdLane('one', 'b', 60_000), false);
      await logSegments.releaseLane('one', 'a');
      assert.equal(await logSegments.holdLane('one', 'b', 60_000), true);
    },
  },
];
