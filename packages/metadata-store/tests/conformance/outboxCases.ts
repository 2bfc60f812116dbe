/** Cases for due notifications by channel. */
import assert from 'node:assert/strict';
import type { Delivery } from '@tapedeck/alerting';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleChannel, sampleDelivery } from './samples.ts';

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);
const times = (now: number) => ({ now, latest: now + 1_000 });
const attemptAt = (at: number) => ({ at, status: 503, answer: '', tookMs: 1 });

async function insert(store: MetadataStore, ...deliveries: Partial<Delivery>[]): Promise<void> {
  await insertDefaultProject(store);
  const off = { at: 1, reason: 'It failed for a day.' };
  await store.write(async records => {
    for (const channel of ['on', 'held', 'off'])
      await records.channels.insert(
        sampleChannel({
          id: channel,
          heldUntil: channel === 'held' ? 100 : null,
          off: channel === 'off' ? off : null,
        }),
      );
    const samples = deliveries.map(one => sampleDelivery({ channel: 'on', dueAt: 5, attempts: [], ...one }));
    await records.deliveries.insert(samples);
  });
}

export const outboxCases: readonly ConformanceCase[] = [
  {
    title: 'finds channels with due deliveries, except disabled or held ones',
    run: async ({ store }) => {
      await insert(
        store,
        { id: 'a' },
        { id: 'b', dueAt: 50 },
        { id: 'c', state: 'delivered' as const },
        { id: 'd', channel: 'held' },
        { id: 'e', channel: 'off' },
      );
      const { outbox } = store.read;
      assert.deepEqual(idsOf(await outbox.listDueChannels(times(4))), []);
      assert.deepEqual(await outbox.listDueChannels(times(5)), [{ id: 'on', project: 'default' }]);
      assert.deepEqual(idsOf(await outbox.listDueChannels(times(100))), ['held', 'on']);
      await store.write(({ deliveries }) => deliveries.update(sampleDelivery({ id: 'a', state: 'failed' })));
      assert.deepEqual(idsOf(await outbox.listDueChannels(times(5))), []);
      await store.write(records => records.outbox.hasten('on', 7));
      assert.deepEqual(idsOf(await outbox.listDueChannels(times(7))), ['on']);
    },
  },
  {
    title: 'finds what waits until a time that only a wrong clock has written',
    run: async ({ store }) => {
      await insert(store, { id: 'late', dueAt: 5_000 }, { id: 'due' }, { id: 'd', channel: 'held' });
      const { outbox } = store.read;
      const early = { now: 2, latest: 50 };
      assert.deepEqual(idsOf(await outbox.listDueChannels(early)), ['on']);
      assert.deepEqual(idsOf(await outbox.listDueChannels({ now: 5, latest: 99 })), ['held', 'on']);
      assert.deepEqual(idsOf(await outbox.listDueChannels({ now: 2, latest: 5_000 })), []);
      const list = async (now: number, latest: number) =>
        idsOf(await outbox.listDue({ channel: 'on', times: { now, latest }, isOfRules: true, limit: 9 }));
      assert.deepEqual(await list(5, 4_999), ['due', 'late']);
      assert.deepEqual(await list(2, 50), ['late']);
      assert.deepEqual(await list(5, 5_000), ['due']);
    },
  },
  {
    title: 'lists due deliveries by time; those of rules and retried ones separately',
    run: async ({ store }) => {
      const attempts = [attemptAt(2), attemptAt(4)];
      await insert(
        store,
        { id: 'a', attempts, dueAt: 9 },
        { id: 'b' },
        { id: 'c' },
        { id: 'd', type: 'file.created' },
        { id: 'e', type: 'rules.merged', dueAt: 50 },
        { id: 'f', messageId: 'a' },
        { id: 'g', dueAt: 60 },
      );
      const { outbox } = store.read;
      const list = async (isOfRules: boolean, limit: number) =>
        idsOf(await outbox.listDue({ channel: 'on', times: times(10), isOfRules, limit }));
      assert.deepEqual(await list(true, 9), ['b', 'c', 'f', 'a']);
      assert.deepEqual(await list(true, 2), ['b', 'c']);
      assert.deepEqual(await list(false, 9), ['d']);
      assert.deepEqual(idsOf(await outbox.listBegun('on')).sort(), ['a', 'e']);
      const fresh = async (afterId: string, limit = 9) =>
        idsOf(await outbox.listFresh({ channel: 'on', afterId, limit }));
      assert.deepEqual(await fresh(''), ['b', 'c', 'e', 'g']);
      assert.deepEqual(await fresh('b', 1), ['c']);
      assert.deepEqual(await outbox.listAttempts('on', 3), [4]);
      await store.write(records => records.outbox.endAsMerged(['b', 'c'], 8));
      assert.deepEqual(await fresh(''), ['e', 'g']);
      const ended = await store.read.deliveries.find('b');
      assert.deepEqual([ended?.state, ended?.endedAt], ['merged', 8]);
    },
  },
  {
    title: 'deliveries of a disabled channel fail gradually, and those of a deleted one go in parts',
    run: async ({ store }) => {
      await insert(
        store,
        { id: 'a' },
        { id: 'b' },
        { id: 'c', channel: 'off', createdAt: 3 },
        { id: 'd', channel: 'off', createdAt: 20 },
        { id: 'e', state: 'failed' as const, endedAt: 6 },
      );
      const { outbox, deliveries } = store.read;
      const now = sampleDelivery().createdAt + 70;
      const measures = await outbox.measure({ now, failedSinceMs: now - 5 });
      assert.deepEqual(measures, { waiting: 2, oldestMs: 70, failed: 1, channelsOff: 1 });
      assert.equal((await outbox.measure({ now, failedSinceMs: now - 6 })).failed, 0);
      await store.write(records => records.outbox.giveUpStranded({ createdBefore: 20, now: 30 }));
      const ended = await deliveries.find('c');
      assert.deepEqual([ended?.state, ended?.endedAt], ['failed', 30]);
      assert.equal((await deliveries.find('d'))?.state, 'pending');
      const removeSome = () => store.write(records => records.outbox.removeSome('on', 2));
      assert.deepEqual([await removeSome(), await removeSome()], [2, 1]);
      const empty = await outbox.measure({ now, failedSinceMs: now });
      assert.deepEqual([empty.waiting, empty.oldestMs], [0, 0]);
    },
  },
];
