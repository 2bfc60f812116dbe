/** Rules, channels and notifications. */
import assert from 'node:assert/strict';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ConformanceCase } from './cases.ts';
import {
  insertDefaultProject,
  sampleChange,
  sampleChannel,
  sampleDelivery,
  sampleFile,
  sampleProject,
  sampleRule,
  sampleWatch,
} from './samples.ts';

const namesOf = (records: readonly { name: string }[]) => records.map(({ name }) => name);
const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

async function insertRule(store: MetadataStore): Promise<void> {
  await insertDefaultProject(store);
  await store.write(async ({ channels, rules }) => {
    await channels.insert(sampleChannel());
    await rules.insert(sampleRule());
  });
}

export const alertingCases: readonly ConformanceCase[] = [
  {
    title: 'a channel is read back as inserted and as changed, and its name is unique in a project',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const [b, a] = [sampleChannel({ id: 'one', name: 'b' }), sampleChannel({ id: 'two', name: 'a' })];
      for (const channel of [b, a]) await store.write(({ channels }) => channels.insert(channel));
      assert.deepEqual(await store.read.channels.list('default'), [a, b]);
      const off = { at: 5, reason: 'It failed for a day.' };
      const changed = { ...b, name: 'c', secret: null, former: null, failingSince: 4, off };
      await store.write(({ channels }) => channels.update(changed));
      assert.deepEqual(await store.read.channels.find('one'), changed);
      const taken = { code: 'name_taken' };
      await assert.rejects(
        store.write(({ channels }) => channels.update({ ...a, name: 'c' })),
        taken,
      );
      await assert.rejects(
        store.write(({ channels }) => channels.insert(sampleChannel({ id: 'three', name: 'a' }))),
        taken,
      );
      assert.equal(await store.write(({ channels }) => channels.remove('one')), true);
      assert.equal(await store.write(({ channels }) => channels.remove('one')), false);
      assert.equal(await store.read.channels.find('one'), null);
    },
  },
  {
    title: 'a rule is read back as inserted and as changed; rules of deleted projects are not enabled',
    run: async ({ store }) => {
      await insertRule(store);
      const other = sampleProject({ slug: 'other', deletedAt: 5 });
      await store.manage(({ projects }) => projects.insert(other));
      const storage = sampleRule({
        id: 'a',
        condition: { kind: 'storage', value: 90 },
        by: null,
        dataset: null,
      });
      const off = sampleRule({ id: 'b', enabled: false, mutedUntil: 9 });
      const orphan = sampleRule({ id: 'c', project: 'other' });
      for (const rule of [storage, off, orphan]) await store.write(({ rules }) => rules.insert(rule));
      assert.deepEqual(await store.read.rules.list('default'), [storage, off, sampleRule()]);
      assert.equal(await store.read.rules.count('default'), 3);
      assert.deepEqual(await store.read.rules.listEnabled(), [storage, sampleRule()]);
      assert.equal(await store.read.rules.countEnabled(), 2);
      const changed = sampleRule({ name: 'other words', channels: [], generation: 2 });
      await store.write(({ rules }) => rules.update(changed));
      assert.deepEqual(await store.read.rules.find(changed.id), changed);
      await assert.rejects(
        store.write(({ rules }) => rules.update({ ...storage, name: 'b' })),
        { code: 'name_taken' },
      );
      assert.deepEqual(namesOf(await store.read.rules.list('default')), ['a', 'b', 'other words']);
    },
  },
  {
    title: 'replaces the memory of a rule only for a writer that knows its last state',
    run: async ({ store }) => {
      await insertRule(store);
      const replace = (judgedAt: number, before: number | null) =>
        store.write(({ watches }) => watches.replace(sampleWatch({ judgedAt, trouble: 'Gone.' }), before));
      assert.equal(await replace(10, 5), false);
      assert.equal(await replace(10, null), true);
      assert.equal(await replace(11, null), false);
      assert.equal(await replace(20, 9), false);
      assert.equal(await replace(20, 10), true);
      const kept = sampleWatch({ judgedAt: 20, trouble: 'Gone.' });
      assert.deepEqual(await store.read.watches.find(kept.rule), kept);
      assert.deepEqual(await store.read.watches.list('default'), [kept]);
      assert.deepEqual(await store.read.watches.list('other'), []);
      assert.deepEqual(await store.read.watches.list(null), [kept]);
    },
  },
  {
    title: 'lists the history of a rule newest first in pages, and deletes it with the rule',
    run: async ({ store }) => {
      await insertRule(store);
      const changes = ['a', 'b', 'c'].map((id, at) => sampleChange({ id, at, isMuted: at === 1 }));
      await store.write(({ watches }) => watches.record(changes));
      await store.write(({ watches }) => watches.replace(sampleWatch(), null));
      const { rule } = changes[0]!;
      const list = (beforeId: string | null, limit = 2) =>
        store.read.watches.listChanges({ rule, beforeId, limit });
      assert.deepEqual(await list(null), [changes[2], changes[1]]);
      assert.deepEqual(await list('b'), [changes[0]]);
      await store.write(({ notifications: told }) => told.forgetBefore(1));
      assert.deepEqual(idsOf(await list(null, 9)), ['c', 'b']);
      await store.write(({ rules }) => rules.remove(rule));
      assert.deepEqual(await list(null), []);
      assert.equal(await store.read.watches.find(rule), null);
    },
  },
  {
    title: 'stores each change of a delivery, and forgets it when due',
    run: async ({ store }) => {
      await insertRule(store);
      const off = sampleChannel({ id: 'off', off: { at: 1, reason: 'It failed for a day.' } });
      await store.write(({ channels }) => channels.insert(off));
      const [b, a, other] = [
        sampleDelivery({ id: 'b' }),
        sampleDelivery({ id: 'a', rule: null, attempts: [] }),
        sampleDelivery({ id: 'c', channel: 'off' }),
      ];
      await store.write(({ deliveries }) => deliveries.insert([b, a, other]));
      const attempts = [...b.attempts, { at: 7, status: null, answer: 'silence', tookMs: 10_000 }];
      const ended = { ...b, state: 'failed', attempts, endedAt: 7 } as const;
      await store.write(({ deliveries }) => deliveries.update(ended));
      assert.deepEqual(await store.read.deliveries.find('b'), ended);
      const list = (channel: string | null, beforeId: string | null) =>
        store.read.deliveries.list({ project: 'default', channel, rule: null, beforeId, limit: 2 });
      const ofRule = { project: 'default', channel: null, rule: b.rule, beforeId: null, limit: 9 };
      assert.deepEqual(idsOf(await store.read.deliveries.list(ofRule)), ['c', 'b']);
      assert.deepEqual(await list(null, null), [other, ended]);
      assert.deepEqual(await list(null, 'b'), [a]);
      assert.deepEqual(await list(b.channel, null), [ended, a]);
      await store.write(({ notifications: told }) => told.forgetBefore(8));
      assert.deepEqual(idsOf(await list(null, null)), ['c', 'a']);
      await store.write(({ channels }) => channels.remove(a.channel));
      assert.deepEqual(idsOf(await list(null, null)), ['c']);
    },
  },
  {
    title: 'a file queues an event for each subscribed channel, in the same transaction',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.write(async ({ channels }) => {
        await channels.insert(sampleChannel({ id: 'created000', events: ['rule.fired', 'file.created'] }));
        await channels.insert(sampleChannel({ id: 'deleted000', events: ['file.deleted'] }));
        await channels.insert(sampleChannel({ id: 'both000000', events: ['file.deleted', 'file.created'] }));
        await channels.insert(sampleChannel({ id: 'off0000000', off: { at: 1, reason: 'By hand.' } }));
      });
      const files = ['a', 'b'].map(id => sampleFile({ id, metadata: { 'it\'s "ü"': [1] } }));
      for (const file of files) await store.files.insert(file);
      await assert.rejects(store.files.insert(sampleFile({ id: 'c', project: 'never' })), {
        code: 'not_found',
      });
      assert.equal(await store.files.remove(files[0]!, 7), true);
      assert.equal(await store.files.remove(files[0]!, 7), false);
      const page = { project: 'default', channel: null, rule: null, beforeId: null, limit: 20 };
      const pending = await store.read.deliveries.list(page);
      const described = pending.map(({ channel, type, event }) => {
        const { file } = JSON.parse(event) as { file: { id: string; metadata: object } }; // the shape written above
        return `${type} ${file.id} ${Object.keys(file.metadata).join()} ${channel}`;
      });
      assert.deepEqual(described.toSorted(), [
        'file.created a it\'s "ü" both000000',
        'file.created a it\'s "ü" created000',
        'file.created b it\'s "ü" both000000',
        'file.created b it\'s "ü" created000',
        'file.deleted a it\'s "ü" both000000',
        'file.deleted a it\'s "ü" deleted000',
      ]);
      assert.ok(pending.every(({ id, messageId, attempts }) => id === messageId && attempts.length === 0));
    },
  },
  {
    title: 'stores nothing for an unknown project',
    run: async ({ store }) => {
      const missing = { code: 'not_found' };
      await assert.rejects(
        store.write(({ channels }) => channels.insert(sampleChannel({ project: 'never' }))),
        missing,
      );
      await assert.rejects(
        store.write(({ rules }) => rules.insert(sampleRule({ project: 'never' }))),
        missing,
      );
    },
  },
];
