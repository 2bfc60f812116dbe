/** Migrations: each once, whoever comes, and never backwards. */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { type Library, library, linesPerPage, sampleBook } from '../../samples/library.ts';
import type { ConformanceCase } from '../conformance.ts';
import { applyMigrations, openDatabase, openDatabaseAsIs } from '../index.ts';

export const migrationCases: readonly ConformanceCase[] = [
  {
    title: 'migrating answers what was applied, and nothing the second time',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      await using database = await openDatabaseAsIs<Library>(empty.place);
      const applied = await applyMigrations(database, library);
      assert.deepEqual(
        applied.map(({ version, name }) => [version, name]),
        [
          [1, 'shelves'],
          [2, 'books'],
          [3, 'lines'],
        ],
      );
      assert.deepEqual(await applyMigrations(database, library), []);
    },
  },
  {
    title: 'rows of an older version are filled by the migration',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      const { lines: _, ...older } = sampleBook({ pages: 7 });
      {
        await using database = await openDatabase(empty.place, {
          ...library,
          migrations: library.migrations.slice(0, 2),
        });
        await database.transact(async queries => {
          await queries.insertInto('shelves').values({ name: older.shelf, room: 'x' }).execute();
          await sql`insert into books (id, shelf, title, pages)
            values (${older.id}, ${older.shelf}, ${older.title}, ${older.pages})`.execute(queries);
        });
      }
      await using database = await openDatabase(empty.place, library);
      const book = await database.reading.selectFrom('books').selectAll().executeTakeFirst();
      assert.deepEqual(book, { ...older, lines: 7 * linesPerPage });
    },
  },
  {
    title: 'a migration that fails leaves the version before, and its error comes out',
    run: async ({ database, place }) => {
      const failure = new Error('no');
      const more = {
        version: 4,
        name: 'broken',
        apply: async (queries: typeof database.reading) => {
          await queries.schema.dropTable('books').execute();
          throw failure;
        },
      };
      const opening = openDatabase(place, { ...library, migrations: [...library.migrations, more] });
      await assert.rejects(opening, failure);
      assert.deepEqual(await applyMigrations(database, library), []);
      assert.deepEqual(await database.reading.selectFrom('books').selectAll().execute(), []);
    },
  },
  {
    title: 'a database of a newer version is refused in words',
    run: async ({ place, database }) => {
      await database.transact(queries =>
        sql`insert into migrations (version, name, applied_at) values (999, 'future', 1)`.execute(queries),
      );
      await assert.rejects(openDatabase(place, library), {
        code: 'unavailable',
        message:
          'The database was made by a newer version of Library (schema 999, this version knows 3): start that version, or restore a backup made before the update.',
      });
    },
  },
];
