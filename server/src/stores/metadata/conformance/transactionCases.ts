/** Transactions and batches: all or nothing, in time, and none in another's way. */
import assert from 'node:assert/strict';
import { BatchRefused } from '@tapedeck/metadata-database';
import type { ConformanceCase } from '../conformance.ts';
import { openMetadataDatabase, openMetadataStore } from '../store.ts';
import { insertDefaultProject, sampleProject, sampleToken, sampleUser } from './samples.ts';

const shortLimits = { transactionMsMax: 300, lockWaitMsMax: 200 };
const never = new Promise<never>(() => undefined);

const wholeCases: readonly ConformanceCase[] = [
  {
    title: 'work that throws leaves nothing, and its own error comes out',
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
    title: 'a transaction reads what it wrote; others do so only after it',
    run: async ({ store }) => {
      const result = await store.write(async records => {
        await records.users.insert(sampleUser());
        assert.equal((await records.users.list()).length, 1);
        assert.equal((await store.read.users.list()).length, 0);
        return 'done';
      });
      assert.equal(result, 'done');
      assert.equal((await store.read.users.list()).length, 1);
    },
  },
  {
    title: 'a query that failed ends its transaction, even when the work looks away',
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
    title: 'reading refuses to write',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const attempts = [
        store.read.projects.insert(sampleProject({ slug: 'x' })),
        store.read.tokens.insert(sampleToken()),
        store.read.tokens.recordUses([{ id: 'x', usedAt: 1 }]),
        store.read.users.insert(sampleUser()),
        store.read.users.remove('x'),
        store.read.leases.acquire({ name: 'x', holder: 'x', expiresAt: 1 }, 0),
      ];
      for (const attempt of attempts) await assert.rejects(attempt, /refuses to write/);
    },
  },
  {
    title: 'text with NUL is refused, before it reaches the database',
    run: async ({ store }) => {
      await assert.rejects(
        store.write(records => records.users.insert(sampleUser({ name: 'a\0b' }))),
        { code: 'invalid_field' },
      );
      await assert.rejects(store.read.users.findByEmail('\0'), { code: 'invalid_field' });
    },
  },
  {
    title: 'many at once are all kept, and the ones that fail take nobody along',
    run: async ({ store }) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 150 }, (_, index) =>
          store.write(async records => {
            await records.users.insert(sampleUser({ id: `u${index}` }));
            if (index % 3 === 0) throw new Error('no');
            if (index % 3 === 1) await records.users.update(sampleUser({ id: `u${index}`, name: 'changed' }));
          }),
        ),
      );
      for (const [index, { status }] of outcomes.entries()) {
        assert.equal(status, index % 3 === 0 ? 'rejected' : 'fulfilled');
      }
      assert.equal((await store.read.users.list()).length, 100);
    },
  },
];

const limitCases: readonly ConformanceCase[] = [
  {
    title:
      'work that never ends is undone at its time limit, its late queries are refused, and the next one runs',
    run: async ({ config, store }) => {
      await using database = await openMetadataDatabase(config, shortLimits);
      const lateQuery = Promise.withResolvers<unknown>();
      const stuck = database.transact(async queries => {
        await queries.insertInto('leases').values({ name: 'stuck', holder: 'x', expires_at: 1 }).execute();
        await stuck.catch(() => undefined);
        queries
          .insertInto('leases')
          .values({ name: 'late', holder: 'x', expires_at: 1 })
          .execute()
          .then(lateQuery.resolve, lateQuery.reject);
        await never;
      });
      await assert.rejects(stuck, { code: 'unavailable', message: /too long/ });
      await assert.rejects(lateQuery.promise);
      await database.transact(queries =>
        queries.insertInto('leases').values({ name: 'next', holder: 'x', expires_at: 1 }).execute(),
      );
      const rows: string[] = [];
      for await (const { table, row } of store.exportRows())
        if (table === 'leases') rows.push(String(row.name));
      assert.deepEqual(rows, ['next']);
    },
  },
  {
    title: 'who waits too long for another one is told so, and may try again',
    run: async ({ config, store }) => {
      await using holder = await openMetadataDatabase(config, {
        transactionMsMax: 5_000,
        lockWaitMsMax: 200,
      });
      await using waiter = await openMetadataDatabase(config, {
        transactionMsMax: 5_000,
        lockWaitMsMax: 200,
      });
      const held = Promise.withResolvers<void>();
      const letGo = Promise.withResolvers<void>();
      const holding = holder.transact(async queries => {
        await queries.updateTable('access_revision').set({ revision: 7 }).execute();
        held.resolve();
        await letGo.promise;
      });
      await held.promise;
      const change = () =>
        waiter.transact(queries => queries.updateTable('access_revision').set({ revision: 8 }).execute());
      await assert.rejects(change(), { code: 'unavailable', message: /locked/ });
      assert.equal((await store.readAccessChanges(0)).revision, 0, 'readers wait for nobody');
      letGo.resolve();
      await holding;
      await change();
      assert.equal((await store.readAccessChanges(0)).revision, 8);
    },
  },
];

const closingCases: readonly ConformanceCase[] = [
  {
    title: 'closing waits for what is under way and refuses what comes after',
    run: async ({ config, store }) => {
      const closing = await openMetadataStore(config);
      const begun = Promise.withResolvers<void>();
      const letGo = Promise.withResolvers<void>();
      const writing = closing.write(async records => {
        await records.users.insert(sampleUser());
        begun.resolve();
        await letGo.promise;
        await records.users.update(sampleUser({ name: 'changed' }));
      });
      await begun.promise;
      const closed = closing[Symbol.asyncDispose]();
      await assert.rejects(
        closing.write(records => records.users.remove('x')),
        { code: 'stopping' },
      );
      await assert.rejects(closing.read.users.list(), { code: 'stopping' });
      letGo.resolve();
      await writing;
      await closed;
      await assert.rejects(closing.ping(), { code: 'stopping' });
      assert.deepEqual(
        (await store.read.users.list()).map(user => user.name),
        ['changed'],
      );
    },
  },
];

const batchCases: readonly ConformanceCase[] = [
  {
    title: 'a batch is one transaction: kept whole, or refused for too few rows and not at all',
    run: async ({ config, store }) => {
      await using database = await openMetadataDatabase(config, shortLimits);
      const bookAndCount = (name: string, from: string) =>
        database.transactBatch(queries => [
          { query: queries.insertInto('leases').values({ name, holder: 'x', expires_at: 1 }) },
          {
            query: queries
              .updateTable('leases')
              .set({ expires_at: 2 })
              .where('name', '=', from)
              .returning('expires_at'),
            rowsMin: 1,
          },
        ]);
      const results = await bookAndCount('a', 'a');
      assert.deepEqual(results[1]?.rows, [{ expires_at: 2 }]);
      const refused = await bookAndCount('b', 'nothing').catch((error: unknown) => error);
      assert.ok(refused instanceof BatchRefused);
      assert.equal(refused.index, 1);
      await assert.rejects(bookAndCount('a', 'a'), { name: 'ConstraintViolation' });
      assert.equal(
        await store.write(records => records.leases.acquire({ name: 'b', holder: 'y', expiresAt: 1 }, 0)),
        true,
      );
    },
  },
  {
    title: 'a batch whose middle fails leaves nothing of its beginning or its end',
    run: async ({ config }) => {
      await using database = await openMetadataDatabase(config, shortLimits);
      const bookAll = (names: readonly string[]) =>
        database.transactBatch(queries =>
          names.map(name => ({
            query: queries.insertInto('leases').values({ name, holder: 'x', expires_at: 1 }),
          })),
        );
      await assert.rejects(bookAll(['a', 'with\0NUL', 'b']), { code: 'invalid_field' });
      await assert.rejects(bookAll(['a', 'a', 'b']), { name: 'ConstraintViolation' });
      const kept = await database.reading.selectFrom('leases').select('name').execute();
      assert.deepEqual(kept, []);
      await bookAll(['a', 'b']);
    },
  },
  {
    title: 'hundreds of batches at once are all kept but those that are refused',
    run: async ({ config }) => {
      await using database = await openMetadataDatabase(config, { ...shortLimits, transactionMsMax: 5_000 });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 400 }, (_, index) =>
          database.transactBatch(queries => [
            {
              query: queries
                .insertInto('leases')
                .values({ name: `l${index}`, holder: 'x', expires_at: index }),
            },
            {
              query: queries.deleteFrom('leases').where('name', '=', 'absent'),
              rowsMin: index % 4 === 0 ? 1 : 0,
            },
          ]),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 100);
      const count = await database.reading
        .selectFrom('leases')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      assert.equal(count.count, 300);
    },
  },
];

export const transactionCases = [...wholeCases, ...limitCases, ...closingCases, ...batchCases];
