/** Cases for exporting and importing all rows. */
import assert from 'node:assert/strict';
import { type Library, library, linesPerPage, sampleBook } from '../../samples/library.ts';
import { type Database, type ExportedRow, exportRows, importRows, openDatabase } from '../../src/index.ts';
import type { ConformanceCase } from './cases.ts';

/** Several pages of one table. */
const booksCount = 1234;

export async function fillLibrary(database: Database<Library>): Promise<void> {
  await database.transact(async queries => {
    await queries.updateTable('counts').set({ count: Number.MAX_SAFE_INTEGER }).execute();
    for (const name of ['first', 'ä-second', '"\\\n😀'])
      await queries.insertInto('shelves').values({ name, room: '' }).execute();
    const books = Array.from({ length: booksCount }, (_, index) =>
      sampleBook({ id: `book${index}`, pages: index % 2 === 0 ? index : null }),
    );
    await queries.insertInto('books').values(books).execute();
  });
}

export async function readAllRows(database: Database<Library>): Promise<ExportedRow[]> {
  return await Array.fromAsync(exportRows(database, library));
}

/** Converts rows to JSON and back, as a backup does. */
export async function* passThroughJson(rows: readonly ExportedRow[]): AsyncGenerator<ExportedRow> {
  for (const row of rows) yield JSON.parse(JSON.stringify(row)) as ExportedRow; // the type of what was written
}

/** Leaves out migrations, which record when they were applied. */
export function withoutMigrations(rows: readonly ExportedRow[]): readonly ExportedRow[] {
  return rows.filter(({ table }) => table !== 'migrations');
}

export const rowCases: readonly ConformanceCase[] = [
  {
    title: 'exporting to JSON and importing elsewhere keeps every row identical',
    run: async ({ database, adapter }) => {
      await fillLibrary(database);
      const rows = await readAllRows(database);
      assert.equal(rows.length, 3 + 1 + 3 + booksCount);
      await using empty = await adapter.createEmpty();
      await using copy = await openDatabase(empty.place, library);
      await importRows(copy, library, passThroughJson(rows));
      assert.deepEqual(withoutMigrations(await readAllRows(copy)), withoutMigrations(rows));
    },
  },
  {
    title: 'fills rows of an older version on import',
    run: async ({ database }) => {
      const { lines: _, ...older } = sampleBook({ pages: 7 });
      const rows = [
        { table: 'migrations', row: { version: 2, name: 'books', applied_at: 1 } },
        { table: 'shelves', row: { name: older.shelf, room: 'x' } },
        { table: 'books', row: older },
      ];
      await importRows(database, library, passThroughJson(rows));
      const book = await database.reading.selectFrom('books').selectAll().executeTakeFirst();
      assert.deepEqual(book, { ...older, lines: 7 * linesPerPage });
    },
  },
  {
    title: 'an export shows one instant despite concurrent writes',
    run: async ({ database }) => {
      await fillLibrary(database);
      const before = await readAllRows(database);
      const rows: ExportedRow[] = [];
      for await (const row of exportRows(database, library)) {
        if (rows.length === 0 || rows.length === 700) {
          await database.transact(async queries => {
            await queries
              .insertInto('books')
              .values(sampleBook({ id: `during${rows.length}` }))
              .execute();
            await queries.updateTable('books').set({ title: 'changed' }).execute();
          });
        }
        rows.push(row);
      }
      assert.deepEqual(rows, before);
    },
  },
  {
    title: 'an abandoned export releases its snapshot',
    run: async ({ database }) => {
      await fillLibrary(database);
      for (let round = 0; round < 15; round += 1) {
        for await (const { table } of exportRows(database, library)) if (table === 'books') break;
      }
      assert.equal((await database.reading.selectFrom('counts').selectAll().execute()).length, 1);
    },
  },
  {
    title: 'refuses to import into a database that is not empty',
    run: async ({ database }) => {
      await fillLibrary(database);
      const rows = passThroughJson(await readAllRows(database));
      await assert.rejects(importRows(database, library, rows), { code: 'already_set_up' });
    },
  },
  {
    title: 'refuses bad rows with an explanation and imports nothing',
    run: async ({ database }) => {
      const version = { table: 'migrations', row: { version: 1, name: 'shelves', applied_at: 1 } };
      const shelf = { table: 'shelves', row: { name: 'a', room: 'x' } };
      const attempts: { rows: ExportedRow[]; says: RegExp }[] = [
        { rows: [version, shelf, { table: 'shelfs', row: {} }], says: /no table shelfs/ },
        { rows: [version, shelf, { table: 'shelves', row: { nome: 'x' } }], says: /no column nome/ },
        { rows: [version, { table: 'counts', row: { id: 1, count: 1.5 } }], says: /column count/ },
        { rows: [version, { table: 'shelves', row: { name: { x: 1 }, room: 'x' } }], says: /column name/ },
        { rows: [version, shelf, shelf], says: /contradict/ },
        { rows: [version, { table: 'books', row: sampleBook({ shelf: 'gone' }) }], says: /contradict/ },
        {
          rows: [{ table: 'migrations', row: { version: 999, name: 'x', applied_at: 1 } }],
          says: /newer version of Library/,
        },
        { rows: [shelf], says: /do not say which version/ },
      ];
      for (const { rows, says } of attempts) {
        const importing = importRows(database, library, passThroughJson(rows));
        await assert.rejects(importing, { code: 'invalid_field', message: says });
      }
      const rest = withoutMigrations(await readAllRows(database));
      assert.deepEqual(rest, [{ table: 'counts', row: { id: 1, count: 0 } }]);
    },
  },
  {
    title: 'an import whose source breaks imports nothing',
    run: async ({ database }) => {
      async function* breakOff(): AsyncGenerator<ExportedRow> {
        yield { table: 'migrations', row: { version: 1, name: 'shelves', applied_at: 1 } };
        for (let index = 0; index < 300; index += 1)
          yield { table: 'shelves', row: { name: `s${index}`, room: 'x' } };
        throw new Error('The backup ends in the middle.');
      }
      await assert.rejects(importRows(database, library, breakOff()), /ends in the middle/);
      assert.deepEqual(await database.reading.selectFrom('shelves').selectAll().execute(), []);
    },
  },
];
