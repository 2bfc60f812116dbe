/** The audit log and leases. */
import assert from 'node:assert/strict';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { sampleEntry } from './samples.ts';

export const recordCases: readonly ConformanceCase[] = [
  {
    title: 'an audit entry is read back as appended',
    run: async ({ store }) => {
      const details = { from: 1, to: [null, 'ü', { __proto__x: true }], nul: '\u0000' };
      const entry = sampleEntry({ project: null, details });
      await store.write(records => records.audit.append(entry));
      assert.deepEqual(await store.read.audit.list({ project: null, beforeId: null, limit: 10 }), [entry]);
    },
  },
  {
    title: 'pages are newest first, entries of one millisecond in order, without duplicates or gaps',
    run: async ({ store }) => {
      // Ids in the reverse of append order, three to a millisecond.
      const ids = Array.from({ length: 25 }, (_, index) => `entry${99 - index}`);
      for (const [index, id] of ids.entries()) {
        const entry = sampleEntry({
          id,
          at: Math.floor(index / 3),
          project: index % 2 === 0 ? 'even' : 'odd',
        });
        await store.write(records => records.audit.append(entry));
      }
      const readAll = async (project: string | null, limit: number): Promise<string[]> => {
        const read: string[] = [];
        for (;;) {
          const page = await store.read.audit.list({ project, beforeId: read.at(-1) ?? null, limit });
          read.push(...page.map(entry => entry.id));
          if (page.length < limit) return read;
        }
      };
      const newestFirst = ids.toReversed();
      for (const limit of [1, 4, 25, 100]) assert.deepEqual(await readAll(null, limit), newestFirst);
      assert.deepEqual(
        await readAll('even', 5),
        newestFirst.filter(id => ids.indexOf(id) % 2 === 0),
      );
    },
  },
  {
    title: 'rejects a page after an unknown entry, or one of another project',
    run: async ({ store }) => {
      await store.write(records => records.audit.append(sampleEntry({ id: 'a', project: 'other' })));
      const listAfter = (beforeId: string, project: string | null) =>
        store.read.audit.list({ project, beforeId, limit: 10 });
      await assert.rejects(listAfter('unknown', null), { code: 'invalid_field' });
      await assert.rejects(listAfter('a', 'default'), { code: 'invalid_field' });
      assert.deepEqual(await listAfter('a', null), []);
    },
  },
  {
    title: 'a lease has one holder until it expires; only its holder renews or releases it',
    run: async ({ store }) => {
      const acquire = (holder: string, expiresAt: number, now: number) =>
        store.write(records =>
          records.leases.acquire({ name: 'sweep', holder, expiresAt }, { now, heldUntilMax: 1000 }),
        );
      assert.equal(await acquire('a', 100, 50), true);
      assert.equal(await acquire('b', 200, 99), false);
      assert.equal(await acquire('a', 150, 99), true, 'its holder renews it');
      assert.equal(await acquire('b', 200, 149), false);
      assert.equal(await acquire('b', 200, 150), true, 'it has expired');
      await store.write(records => records.leases.release('sweep', 'a'));
      assert.equal(await acquire('a', 300, 160), false, 'a non-holder released nothing');
      await store.write(records => records.leases.release('sweep', 'b'));
      assert.equal(await acquire('a', 300, 160), true);
      assert.equal(await acquire('a', 1000, 170), true);
      assert.equal(await acquire('b', 300, 180), false);
      assert.equal(await acquire('a', 1001, 190), true);
      assert.equal(await acquire('b', 300, 200), true, 'a wrong clock wrote the end of the lease');
    },
  },
  {
    title: 'one of many concurrent claims gets a free lease',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      for (let round = 0; round < 5; round += 1) {
        const name = `race${round}`;
        const got = await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            (index % 2 === 0 ? store : other).write(records =>
              records.leases.acquire(
                { name, holder: `holder${index}`, expiresAt: 1000 },
                { now: 0, heldUntilMax: 1000 },
              ),
            ),
          ),
        );
        assert.equal(got.filter(Boolean).length, 1);
      }
    },
  },
];
