/** Cases for transactions: atomic, within the time limit, without blocking. */
import assert from 'node:assert/strict';
import { type Library, sampleBook } from '../../samples/library.ts';
import { type Database, openDatabaseAsIs } from '../../src/index.ts';
import type { ConformanceCase } from './cases.ts';

const shortLimits = { transactionMsMax: 300, lockWaitMsMax: 200 };
const never = new Promise<never>(() => undefined);

async function listShelves({ reading }: Pick<Database<Library>, 'reading'>): Promise<string[]> {
  const rows = await reading.selectFrom('shelves').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

const wholeCases: readonly ConformanceCase[] = [
  {
    title: 'work that throws stores nothing and throws its own error',
    run: async ({ database }) => {
      const failure = new Error('changed my mind');
      const work = database.transact(async queries => {
        await queries.insertInto('shelves').values({ name: 'a', room: 'x' }).execute();
        throw failure;
      });
      await assert.rejects(work, failure);
      assert.deepEqual(await listShelves(database), []);
    },
  },
  {
    title: 'a transaction reads its own writes, and others read them only after it',
    run: async ({ database }) => {
      const result = await database.transact(async queries => {
        await queries.insertInto('shelves').values({ name: 'a', room: 'x' }).execute();
        assert.deepEqual(await listShelves({ reading: queries }), ['a']);
        assert.deepEqual(await listShelves(database), []);
        return 'done';
      });
      assert.equal(result, 'done');
      assert.deepEqual(await listShelves(database), ['a']);
    },
  },
  {
    title: 'a failed query ends its transaction, even when the work ignores the failure',
    run: async ({ database }) => {
      const work = database.transact(async queries => {
        await queries.insertInto('shelves').values({ name: 'a', room: 'x' }).execute();
        const lost = queries
          .insertInto('books')
          .values(sampleBook({ shelf: 'gone' }))
          .execute();
        await lost.catch(() => undefined);
      });
      await assert.rejects(work, { name: 'ConstraintViolation', kind: 'reference' });
      assert.deepEqual(await listShelves(database), []);
    },
  },
  {
    title: 'refuses to write while reading',
    run: async ({ database: { reading } }) => {
      const attempts = [
        reading.insertInto('shelves').values({ name: 'a', room: 'x' }).execute(),
        reading.updateTable('counts').set({ count: 1 }).execute(),
        reading.deleteFrom('counts').execute(),
        reading.schema.dropTable('counts').execute(),
      ];
      for (const attempt of attempts) await assert.rejects(attempt, /A read cannot write/);
    },
  },
  {
    title: 'refuses text with NUL before it reaches the database',
    run: async ({ database }) => {
      const refusal = { code: 'invalid_field', message: 'Text must not contain the NUL character.' };
      const writing = database.transact(queries =>
        queries.insertInto('shelves').values({ name: 'a\0b', room: 'x' }).execute(),
      );
      await assert.rejects(writing, refusal);
      const reading = database.reading.selectFrom('shelves').selectAll().where('name', '=', '\0').execute();
      await assert.rejects(reading, refusal);
    },
  },
  {
    title: 'stores many concurrent transactions, except those that fail themselves',
    run: async ({ database }) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 150 }, (_, index) =>
          database.transact(async queries => {
            const name = `s${index}`;
            await queries.insertInto('shelves').values({ name, room: 'x' }).execute();
            if (index % 3 === 0) throw new Error('no');
            if (index % 3 === 1)
              await queries.updateTable('shelves').set({ room: 'y' }).where('name', '=', name).execute();
          }),
        ),
      );
      for (const [index, { status }] of outcomes.entries()) {
        assert.equal(status, index % 3 === 0 ? 'rejected' : 'fulfilled');
      }
      assert.equal((await listShelves(database)).length, 100);
    },
  },
];

const limitCases: readonly ConformanceCase[] = [
  {
    title: 'undoes endless work at its time limit, refuses its late queries, and runs the next',
    run: async ({ place, database: other }) => {
      await using database = await openDatabaseAsIs<Library>(place, shortLimits);
      const lateQuery = Promise.withResolvers<unknown>();
      const stuck = database.transact(async queries => {
        await queries.insertInto('shelves').values({ name: 'stuck', room: 'x' }).execute();
        await stuck.catch(() => undefined);
        const late = queries.insertInto('shelves').values({ name: 'late', room: 'x' }).execute();
        late.then(lateQuery.resolve, lateQuery.reject);
        await never;
      });
      await assert.rejects(stuck, { code: 'unavailable', message: /too long/ });
      await assert.rejects(lateQuery.promise);
      await database.transact(queries =>
        queries.insertInto('shelves').values({ name: 'next', room: 'x' }).execute(),
      );
      assert.deepEqual(await listShelves(other), ['next']);
    },
  },
  {
    title: 'rejects a change that waits too long for another one, and accepts a later attempt',
    run: async ({ place, database }) => {
      const limits = { transactionMsMax: 5_000, lockWaitMsMax: 200 };
      await using holder = await openDatabaseAsIs<Library>(place, limits);
      await using waiter = await openDatabaseAsIs<Library>(place, limits);
      const held = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holding = holder.transact(async queries => {
        await queries.updateTable('counts').set({ count: 7 }).execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      const change = () =>
        waiter.transact(queries => queries.updateTable('counts').set({ count: 8 }).execute());
      const readCount = () => database.reading.selectFrom('counts').select('count').executeTakeFirst();
      await assert.rejects(change(), { code: 'unavailable', message: /locked/ });
      assert.deepEqual(await readCount(), { count: 0 }, 'readers wait for nobody');
      release.resolve();
      await holding;
      await change();
      assert.deepEqual(await readCount(), { count: 8 });
    },
  },
  {
    title: 'closing waits for running transactions and refuses later ones',
    run: async ({ place, database }) => {
      const closing = await openDatabaseAsIs<Library>(place);
      const begun = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const writing = closing.transact(async queries => {
        await queries.insertInto('shelves').values({ name: 'a', room: 'x' }).execute();
        begun.resolve();
        await release.promise;
        await queries.updateTable('shelves').set({ room: 'y' }).execute();
      });
      await begun.promise;
      const closed = closing[Symbol.asyncDispose]();
      const more = closing.transact(queries => queries.deleteFrom('shelves').execute());
      await assert.rejects(more, { code: 'stopping' });
      await assert.rejects(listShelves(closing), { code: 'stopping' });
      release.resolve();
      await writing;
      await closed;
      await assert.rejects(listShelves(closing), { code: 'stopping' });
      const rows = await database.reading.selectFrom('shelves').selectAll().execute();
      assert.deepEqual(rows, [{ name: 'a', room: 'y' }]);
    },
  },
];

export const transactionCases = [...wholeCases, ...limitCases];
