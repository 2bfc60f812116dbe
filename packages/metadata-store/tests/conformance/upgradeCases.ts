/** Databases of versions before 0.1.0, as these created them: each upgrade ends with the tables of a new database and keeps the rows. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { applyMigrations } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import { layout } from '../../src/layout.ts';
import { type MetadataConfig, openMetadataDatabase, openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';

const schemaQueries = {
  sqlite: [
    `select l.name, l.strict, l.wr, c.cid, c.name as column, c.type, c."notnull", c.dflt_value, c.pk
       from pragma_table_list l, pragma_table_xinfo(l.name) c where l.schema = 'main'`,
    `select l.name, f."from", f."table", f."to", f.on_update, f.on_delete
       from pragma_table_list l, pragma_foreign_key_list(l.name) f where l.schema = 'main'`,
    `select l.name, i.name as named, i."unique", i.origin, i.partial, c.seqno, c.name as column, c.coll, c."desc",
         substr(s.sql, instr(s.sql, ' where ')) as condition
       from pragma_table_list l, pragma_index_list(l.name) i, pragma_index_xinfo(i.name) c
       left join sqlite_schema s on s.name = i.name and i.partial = 1 where l.schema = 'main'`,
  ],
  postgres: [
    `select table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default
       from information_schema.columns where table_schema = current_schema()`,
    `select tablename, indexname, indexdef from pg_indexes where schemaname = current_schema()`,
    `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition
       from pg_constraint where connamespace = current_schema()::regnamespace`,
  ],
};

/** Reads columns, types, order, defaults, keys, references and indexes from the database. */
async function readSchema(config: MetadataConfig): Promise<string[]> {
  await using database = await openMetadataDatabase(config);
  const messages: string[] = [];
  for (const query of schemaQueries[config.kind]) {
    const { rows } = await database.transact(queries => sql.raw(query).execute(queries));
    assert.notEqual(rows.length, 0);
    messages.push(...rows.map(row => JSON.stringify(row).replaceAll('\\"', '')));
  }
  return messages.toSorted();
}

/** Makes the database as that version left it in SQLite. PostgreSQL has the same in its own terms. */
export async function makeOlder(config: MetadataConfig, version: 10 | 23): Promise<void> {
  const file = new URL(`../versions/schema${version}.sql`, import.meta.url);
  const statements = (await readFile(file, 'utf8')).trimEnd().split(/;\n|;$/);
  await using database = await openMetadataDatabase(config);
  await database.transact(async queries => {
    for (const statement of statements.filter(Boolean)) {
      const isTable = config.kind === 'postgres' && statement.startsWith('CREATE TABLE');
      const translated = statement
        .replaceAll(/ text\b/g, ' text collate "C"')
        .replaceAll(/ integer\b/g, ' bigint')
        .replace(/ strict$/, '');
      await sql.raw(isTable ? translated : statement).execute(queries);
    }
  });
}

export const upgradeCases: readonly ConformanceCase[] = [
  {
    title: 'the databases of two older versions get the tables of a new one, and keep their rows',
    run: async ({ adapter, config }) => {
      for (const version of [10, 23] as const) {
        await using older = await adapter.createEmpty();
        await makeOlder(older.config, version);
        await using store = await openMetadataStore(older.config);
        assert.deepEqual(await readSchema(older.config), await readSchema(config), `from ${version}`);
        const { projects, tokens } = await store.readAccessChanges(0);
        assert.deepEqual([projects[0]?.slug, projects[0]?.logRetention], ['default', { game: 7 }]);
        assert.deepEqual([tokens[0]?.id, tokens[0]?.scopes], ['token1', ['read']]);
        assert.equal((await store.read.users.findByEmail('a@example.org'))?.isOwner, true);
        assert.equal((await store.read.logViews.find('view1'))?.query, 'q=level:error');
        const { listedAt, createdAt } = (await store.files.find('default', 'file2')) ?? {};
        assert.deepEqual([listedAt, createdAt], [1_760_000_000_009, 1_760_000_000_005]);
        assert.deepEqual((await store.files.usageByType('default')).get('image'), { files: 2, bytes: 200 });
        const reporters = version === 10 ? ['token1', 'token2'] : ['token1'];
        assert.deepEqual((await store.sdkSessions.find('session1'))?.tokenIds, reporters);
        assert.equal(await store.read.installation.find('unmarked logs'), version === 10 ? 'true' : null);
        await adapter.checkIntegrity(older.config);
      }
    },
  },
  {
    title: 'a database that stops at each version in between gets the same tables',
    run: async ({ adapter, config }) => {
      await using older = await adapter.createEmpty();
      await makeOlder(older.config, 10);
      for (const { version } of layout.migrations) {
        const migrations = layout.migrations.filter(step => step.version <= version);
        // Opened again, as by a program of the version whose last step this is.
        await using database = await openMetadataDatabase(older.config);
        const applied = await applyMigrations(database, { ...layout, migrations });
        assert.deepEqual(
          applied.map(step => step.version),
          [version],
        );
      }
      assert.deepEqual(await readSchema(older.config), await readSchema(config));
    },
  },
  {
    title: 'rejects a database of a version that is too old, or newer, with a sentence',
    run: async ({ adapter }) => {
      for (const [version, says] of [
        [9, /^The database was made by a version of Tapedeck that is too old \(schema 9, .* 10 and later\)/],
        [99, /^The database was made by a newer version of Tapedeck \(schema 99, /],
      ] as const) {
        await using other = await adapter.createEmpty();
        {
          await using database = await openMetadataDatabase(other.config);
          await database.transact(async queries => {
            await sql`create table migrations (version integer)`.execute(queries);
            await sql`insert into migrations values (${sql.lit(version)})`.execute(queries);
          });
        }
        await assert.rejects(openMetadataStore(other.config), { code: 'unavailable', message: says });
      }
    },
  },
];
