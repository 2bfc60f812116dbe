/** How the steps from one schema to the next are applied: forward only, one after another, under a lock. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, Dialect } from './database.ts';
import { DatabaseFailure } from './failures.ts';
import type { Layout, TableWords } from './layout.ts';
import { databaseLimits } from './limits.ts';

const tableWords: Readonly<Record<Dialect, TableWords>> = {
  sqlite: { text: sql`text`, integer: sql`integer`, options: sql`strict` },
  postgres: { text: sql`text collate "C"`, integer: sql`bigint`, options: sql`` },
};

/** Any number that no other program uses for its advisory lock in the same database. */
const advisoryLock = 7_276_563_391;

/** The one table of this package, beside those of the program. */
export const migrationsTable = {
  table: 'migrations',
  key: ['version'],
  columns: ['version', 'name', 'applied_at'],
} as const;

type OwnTables = { migrations: { version: number; name: string; applied_at: number } };

export type AppliedMigration = { version: number; name: string; appliedAt: number };

export type MigrationPoint = `${'before' | 'inside' | 'after'} ${number}`;

type MigrationOptions = {
  /** Called on the way through each migration: tests end the process there. */
  reach?: (point: MigrationPoint) => void;
};

/** Brings the database to the layout's last version and answers the steps that were missing. */
export async function applyMigrations<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  const applied: AppliedMigration[] = [];
  // Read without the lock first: a start on a current database writes nothing and waits for nobody.
  const version = await readVersion(seeOwnTables(database.reading), database.dialect);
  if (version === layout.migrations.length) return applied;
  for (;;) {
    const step = await applyNext(database, layout, options);
    if (step === null) return applied;
    applied.push(step);
    options.reach?.(`after ${step.version}`);
  }
}

/** One migration in one transaction, which holds the lock: whoever comes second finds it done. */
function applyNext<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
  { reach }: MigrationOptions,
): Promise<AppliedMigration | null> {
  const words = tableWords[database.dialect];
  return database.transact(
    async queries => {
      const own = seeOwnTables(queries);
      if (database.dialect === 'postgres')
        await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(queries);
      const version = await readVersion(own, database.dialect);
      if (version > layout.migrations.length) throw newerError(version, layout);
      const migration = layout.migrations[version];
      if (migration === undefined) return null;
      reach?.(`before ${migration.version}`);
      if (version === 0) await createOwnTable(own, words);
      await migration.apply(queries, words);
      await migration.fill?.(queries);
      reach?.(`inside ${migration.version}`);
      const row = { version: migration.version, name: migration.name, applied_at: Date.now() };
      await own.insertInto('migrations').values(row).execute();
      return { version: row.version, name: row.name, appliedAt: row.applied_at };
    },
    { timeLimitMs: databaseLimits.migrationMsMax },
  );
}

const catalogues: Readonly<Record<Dialect, RawBuilder<unknown>>> = {
  sqlite: sql`sqlite_schema`,
  postgres: sql`(select tablename as name from pg_tables where schemaname = current_schema()) as tables`,
};

/** 0 for a database that holds nothing yet. */
async function readVersion(queries: Kysely<OwnTables>, dialect: Dialect): Promise<number> {
  const found = await queries
    .selectFrom(sql<{ name: string }>`(select name from ${catalogues[dialect]})`.as('found'))
    .select('name')
    .where('name', '=', 'migrations')
    .execute();
  if (found.length === 0) return 0;
  const row = await queries
    .selectFrom('migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function createOwnTable(queries: Kysely<OwnTables>, words: TableWords): Promise<void> {
  await queries.schema
    .createTable('migrations')
    .addColumn('version', words.integer, column => column.primaryKey().notNull())
    .addColumn('name', words.text, column => column.notNull())
    .addColumn('applied_at', words.integer, column => column.notNull())
    .modifyEnd(words.options)
    .execute();
}

function seeOwnTables<Schema>(queries: Kysely<Schema>): Kysely<OwnTables> {
  return queries as unknown as Kysely<OwnTables>; // made by `createOwnTable` in every database
}

function newerError<Schema>(version: number, { program, migrations }: Layout<Schema>): DatabaseFailure {
  return new DatabaseFailure(
    'unavailable',
    `The database was made by a newer version of ${program} (schema ${version}, this version knows ${migrations.length}): start that version, or restore a backup made before the update.`,
  );
}
