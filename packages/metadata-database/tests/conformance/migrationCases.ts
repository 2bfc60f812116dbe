/** Cases for migrations: each runs once, for any number of processes. */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import {
  firstLibrary,
  type Library,
  library,
  linesPerPage,
  sampleBook,
  secondLibrary,
} from '../../samples/library.ts';
import {
  applyMigrations,
  type Database,
  exportRows,
  importRows,
  listMissingMigrations,
  openDatabase,
  openDatabaseAsIs,
} from '../../src/index.ts';
import type { ConformanceCase } from './cases.ts';

/** Reads the steps that older programs look at. */
async function readSeen(database: Database<Library>): Promise<number[]> {
  const { rows } = await database.transact(queries =>
    sql<{ version: number }>`select version from migrations order by version`.execute(queries),
  );
  return rows.map(({ version }) => Number(version));
}

export const migrationCases: readonly ConformanceCase[] = [
  {
    title: 'migrating returns the applied steps, and nothing the second time',
    run: async ({ adapter }) => {
      const all = [3, 'all tables'];
      const steps = [
        [2, 'books'],
        [3, 'lines'],
      ];
      for (const [before, expected] of [
        [null, [all]],
        [firstLibrary, steps],
      ] as const) {
        await using empty = await adapter.createEmpty();
        await using database = await openDatabaseAsIs<Library>(empty.place);
        if (before !== null) await applyMigrations(database, before);
        const missing = await listMissingMigrations(database, library);
        const applied = await applyMigrations(database, library);
        assert.deepEqual(
          applied.map(({ version, name }) => [version, name]),
          expected,
        );
        assert.deepEqual(
          missing.map(({ version, name }) => [version, name]),
          expected,
        );
        assert.deepEqual(await applyMigrations(database, library), []);
      }
    },
  },
  {
    title: 'a migration fills rows of an older version',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      const { lines: _, ...older } = sampleBook({ pages: 7 });
      {
        await using database = await openDatabase(empty.place, secondLibrary);
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
    title: 'a failing migration keeps the earlier version and throws its error',
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
    title: 'an older program keeps working beside a newer one, and restarts on its additions',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      await using older = await openDatabase(empty.place, secondLibrary);
      await using newer = await openDatabase(empty.place, library);
      await using again = await openDatabase(empty.place, secondLibrary);
      const { lines: _, ...book } = sampleBook();
      await older.transact(queries =>
        queries.insertInto('shelves').values({ name: book.shelf, room: 'x' }).execute(),
      );
      await again.transact(queries =>
        queries
          .insertInto('books')
          .values({ ...book, lines: null })
          .execute(),
      );
      assert.deepEqual(await applyMigrations(again, secondLibrary), []);
      assert.deepEqual((await newer.reading.selectFrom('books').selectAll().execute()).length, 1);
      const exported: unknown[] = [];
      for await (const { table, row } of exportRows(again, secondLibrary))
        if (table === 'migrations') exported.push(row.version);
      assert.deepEqual(exported, [1, 2], 'it exports what it knows');
    },
  },
  {
    title: 'older programs see their own steps, or in a new database those known to all',
    run: async ({ adapter }) => {
      for (const isNew of [false, true]) {
        await using empty = await adapter.createEmpty();
        if (!isNew) {
          await using database = await openDatabase(empty.place, firstLibrary);
          await database.transact(queries => sql`drop table migration_additions`.execute(queries));
        }
        await using database = await openDatabase(empty.place, { ...library, stepsKnownToAll: 2 });
        assert.deepEqual(await readSeen(database), isNew ? [1, 2] : [1]);
      }
    },
  },
  {
    title: 'a step that removes something refuses only programs that need it',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      await using older = await openDatabase(empty.place, secondLibrary);
      const less = {
        version: 4,
        name: 'less',
        needs: 3,
        apply: async (queries: typeof older.reading) => {
          await queries.schema.alterTable('books').dropColumn('pages').execute();
        },
      };
      await using newest = await openDatabase(empty.place, {
        ...library,
        migrations: [...library.migrations, less],
      });
      assert.deepEqual(await readSeen(newest), [1, 2, 3]);
      await using before = await openDatabase(empty.place, library);
      assert.deepEqual(await applyMigrations(before, library), []);
      await assert.rejects(openDatabase(empty.place, secondLibrary), /schema 4, this version knows 2/);
    },
  },
  {
    title: 'refuses a database of a newer version with an explanation',
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
  {
    title: 'refuses a database that is too old with an explanation, and leaves it unchanged',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      await using database = await openDatabase(empty.place, firstLibrary);
      const later = { ...library, oldestVersion: 2, migrations: library.migrations.slice(1) };
      await assert.rejects(openDatabase(empty.place, later), {
        code: 'unavailable',
        message:
          'The database was made by a version of Library that is too old (schema 1, this version upgrades 2 and later): start a version in between first.',
      });
      assert.deepEqual(await readSeen(database), [1]);
      await using restored = await adapter.createEmpty();
      await using copy = await openDatabase(restored.place, later);
      await assert.rejects(importRows(copy, later, exportRows(database, firstLibrary)), {
        code: 'invalid_field',
        message:
          'The rows were made by a version of Library that is too old (schema 1, this version takes 2 and later): restore with a version in between, and take a backup there.',
      });
    },
  },
];
