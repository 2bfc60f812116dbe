/** Cases for batches, batch templates, shared transactions and shared views. */
import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import { type Library, sampleBook } from '../../samples/library.ts';
import { BatchRefused, type Bind, type Database, gatherCalls, makeBatchTemplate } from '../../src/index.ts';
import type { ConformanceCase } from './cases.ts';

function insertShelf(queries: Kysely<Library>, name: string) {
  return { query: queries.insertInto('shelves').values({ name, room: 'x' }) };
}

async function listShelves({ reading }: Database<Library>): Promise<string[]> {
  const rows = await reading.selectFrom('shelves').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

export const batchCases: readonly ConformanceCase[] = [
  {
    title: 'a batch is one transaction: stored whole, or refused whole for too few rows',
    run: async ({ database }) => {
      const insertAndMove = (name: string, moved: string) =>
        database.transactBatch(queries => {
          const move = queries.updateTable('shelves').set({ room: 'y' }).where('name', '=', moved);
          return [insertShelf(queries, name), { query: move.returning('room'), rowsMin: 1 }];
        });
      const results = await insertAndMove('a', 'a');
      assert.deepEqual(results[1]?.rows, [{ room: 'y' }]);
      const refused = await insertAndMove('b', 'nothing').catch((error: unknown) => error);
      assert.ok(refused instanceof BatchRefused);
      assert.equal(refused.index, 1);
      await assert.rejects(insertAndMove('a', 'a'), { name: 'ConstraintViolation', kind: 'unique' });
      assert.deepEqual(await listShelves(database), ['a']);
    },
  },
  {
    title: 'a batch that fails in the middle stores nothing',
    run: async ({ database }) => {
      const insertAll = (names: readonly string[]) =>
        database.transactBatch(queries => names.map(name => insertShelf(queries, name)));
      await assert.rejects(insertAll(['a', 'with\0NUL', 'b']), { code: 'invalid_field' });
      await assert.rejects(insertAll(['a', 'a', 'b']), { name: 'ConstraintViolation' });
      assert.deepEqual(await listShelves(database), []);
      await insertAll(['a', 'b']);
    },
  },
  {
    title: 'stores hundreds of concurrent batches, except the refused ones',
    run: async ({ database }) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 400 }, (_, index) =>
          database.transactBatch(queries => [
            insertShelf(queries, `s${index}`),
            {
              query: queries.deleteFrom('shelves').where('name', '=', 'absent'),
              rowsMin: index % 4 === 0 ? 1 : 0,
            },
          ]),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 100);
      assert.equal((await listShelves(database)).length, 300);
    },
  },
  {
    title: 'composes a template once and fills it with the values of each call',
    run: async ({ database }) => {
      type Book = { id: string; pages: number };
      let composed = 0;
      const template = makeBatchTemplate((queries: Kysely<Library>, bind: Bind<Book>) => {
        composed += 1;
        const book = sampleBook({ id: bind(({ id }) => id), pages: bind(({ pages }) => pages) });
        return [{ query: queries.insertInto('books').values(book) }];
      });
      await database.transactBatch(queries => [insertShelf(queries, 'first')]);
      const books = [
        { id: 'a', pages: 1 },
        { id: 'b', pages: 2 },
      ];
      for (const book of books) await database.transactBatch(queries => template(queries, book));
      const kept = database.reading.selectFrom('books').select(['id', 'pages']).orderBy('id');
      assert.deepEqual([composed, await kept.execute()], [1, books]);
    },
  },
  {
    title: 'calls during a transaction share the next one, in the order of their names',
    run: async ({ database }) => {
      const groups: string[][] = [];
      const insert = gatherCalls<string, string>({
        itemsMax: 3,
        nameOf: name => name,
        answerAll: async names => {
          groups.push([...names]);
          await database.transactBatch(queries => names.map(name => insertShelf(queries, name)));
          return names.map(name => `kept ${name}`);
        },
      });
      const answers = await Promise.all(['c', 'b', 'd', 'a', 'e'].map(insert));
      assert.deepEqual(answers, ['kept c', 'kept b', 'kept d', 'kept a', 'kept e']);
      assert.deepEqual(groups, [['c'], ['a', 'b', 'd'], ['e']]);
      const refused = await Promise.allSettled(['f', 'a', 'g'].map(insert));
      assert.deepEqual(
        refused.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected'],
      );
      assert.equal(await insert('g'), 'kept g', 'a group that failed is no trouble of the next');
    },
  },
  {
    title: 'queries that read together show one instant',
    run: async ({ database }) => {
      let stopped = false;
      const writing = (async () => {
        for (let index = 0; !stopped; index += 1) {
          await database.transactBatch(queries => [
            insertShelf(queries, `s${index}`),
            { query: queries.updateTable('counts').set({ count: index + 1 }) },
          ]);
        }
      })();
      for (let round = 0; round < 50; round += 1) {
        const [counts, shelves] = await database.readTogether(queries => [
          queries.selectFrom('counts').select('count'),
          queries.selectFrom('shelves').select('name'),
        ]);
        assert.deepEqual(counts, [{ count: shelves?.length }]);
      }
      stopped = true;
      await writing;
    },
  },
];
