/** Transactions of the store: all or nothing, and references to deleted records. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleProject, sampleToken, sampleUser } from './samples.ts';

export const transactionCases: readonly ConformanceCase[] = [
  {
    title: 'work that throws leaves nothing, and its own error is thrown',
    run: async ({ store }) => {
      const { revision } = await store.readAccessChanges(0);
      const failure = new Error('changed my mind');
      const work = async (records: Parameters<Parameters<typeof store.manage>[0]>[0]) => {
        await records.projects.insert(sampleProject());
        await records.users.insert(sampleUser());
        throw failure;
      };
      await assert.rejects(store.manage(work), failure);
      await assert.rejects(store.write(work), failure);
      assert.deepEqual([await store.read.projects.list(), (await store.read.users.list()).length], [[], 0]);
      assert.equal((await store.readAccessChanges(0)).revision, revision);
    },
  },
  {
    title: 'a failed query ends its transaction, even if the work ignores it',
    run: async ({ store }) => {
      const work = store.write(async records => {
        await records.users.insert(sampleUser());
        await records.memberships
          .put({ userId: 'x', project: 'gone', role: 'viewer' })
          .catch(() => undefined);
      });
      await assert.rejects(work, { code: 'not_found' });
      assert.equal((await store.read.users.list()).length, 0);
    },
  },
  {
    title: 'a read transaction rejects writes',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const attempts = [
        store.read.projects.insert(sampleProject({ slug: 'x' })),
        store.read.tokens.insert(sampleToken()),
        store.read.tokens.recordUses([{ id: 'x', usedAt: 1 }]),
        store.read.users.insert(sampleUser()),
        store.read.users.remove('x'),
        store.read.leases.acquire({ name: 'x', holder: 'x', expiresAt: 1 }, { now: 0, heldUntilMax: 1 }),
      ];
      for (const attempt of attempts) await assert.rejects(attempt, /A read cannot write/);
    },
  },
];
