/** The steps from one schema to the next, forward only, and how they are applied under a lock. */
import { type RawBuilder, sql } from 'kysely';
import { ServiceError } from '../../vocabulary.ts';
import type { Database, Queries } from './database.ts';
import { accessTables } from './migrations/0001_access.ts';
import { accountTables } from './migrations/0002_accounts.ts';
import { recordTables } from './migrations/0003_records.ts';
import { fileTables } from './migrations/0004_files.ts';
import { sdkSessionTables } from './migrations/0005_sdk_sessions.ts';
import { logRetention } from './migrations/0006_log_retention.ts';
import { fileDays } from './migrations/0007_file_days.ts';
import { logViews } from './migrations/0008_log_views.ts';
import { keyClaims } from './migrations/0009_key_claims.ts';
import { nameFolding } from './migrations/0010_name_folding.ts';
import { installationFacts } from './migrations/0011_installation.ts';
import { derivedCredentials } from './migrations/0012_derived_credentials.ts';
import { rateWindows } from './migrations/0013_rate_windows.ts';
import { listedTimes } from './migrations/0014_listed_times.ts';
import { logDeletions } from './migrations/0015_log_deletions.ts';

/** The words in which the dialects differ when tables are made. Text compares by bytes, so both order alike. */
export type TableWords = {
  text: RawBuilder<unknown>;
  /** Holds every integer that JavaScript counts exactly. */
  integer: RawBuilder<unknown>;
  /** What ends a `create table`. */
  options: RawBuilder<unknown>;
};

const tableWords: Readonly<Record<Database['dialect'], TableWords>> = {
  sqlite: { text: sql`text`, integer: sql`integer`, options: sql`strict` },
  postgres: { text: sql`text collate "C"`, integer: sql`bigint`, options: sql`` },
};

/** `apply` makes and changes tables as they were at its version, whatever the schema says today. */
export type Migration = {
  version: number;
  name: string;
  apply: (queries: Queries, words: TableWords) => Promise<void>;
};

const migrations: readonly Migration[] = [
  accessTables,
  accountTables,
  recordTables,
  fileTables,
  sdkSessionTables,
  logRetention,
  fileDays,
  logViews,
  keyClaims,
  nameFolding,
  installationFacts,
  derivedCredentials,
  rateWindows,
  listedTimes,
  logDeletions,
];
export const schemaVersion = migrations.length;

const migrationMsMax = 3_600_000; // a migration may rewrite the largest table there is

/** Any number that no other program uses for its advisory lock in the same database. */
const advisoryLock = 7_276_563_391;

export type AppliedMigration = { version: number; name: string; appliedAt: number };

export type MigrationPoint = `${'before' | 'inside' | 'after'} ${number}`;

export type MigrationOptions = {
  /** Called on the way through each migration: tests end the process there. */
  reach?: (point: MigrationPoint) => void;
};

/** Brings the database to this version's schema and answers the steps that were missing. */
export async function applyMigrations(
  database: Database,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  const applied: AppliedMigration[] = [];
  // Read without the lock first: a start on a current database writes nothing and waits for nobody.
  if ((await readVersion(database.reading, database.dialect)) === schemaVersion) return applied;
  for (;;) {
    const step = await applyNext(database, options);
    if (step === null) return applied;
    applied.push(step);
    options.reach?.(`after ${step.version}`);
  }
}

/** One migration in one transaction, which holds the lock: whoever comes second finds it done. */
function applyNext(database: Database, { reach }: MigrationOptions): Promise<AppliedMigration | null> {
  const words = tableWords[database.dialect];
  return database.transact(
    async queries => {
      if (database.dialect === 'postgres')
        await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(queries);
      const version = await readVersion(queries, database.dialect);
      if (version > schemaVersion) throw newerError(version);
      const migration = migrations[version];
      if (migration === undefined) return null;
      reach?.(`before ${migration.version}`);
      if (version === 0) await createMigrationsTable(queries, words);
      await migration.apply(queries, words);
      reach?.(`inside ${migration.version}`);
      const row = { version: migration.version, name: migration.name, applied_at: Date.now() };
      await queries.insertInto('migrations').values(row).execute();
      return { version: row.version, name: row.name, appliedAt: row.applied_at };
    },
    { timeLimitMs: migrationMsMax },
  );
}

const catalogues: Readonly<Record<Database['dialect'], RawBuilder<unknown>>> = {
  sqlite: sql`sqlite_schema`,
  postgres: sql`(select tablename as name from pg_tables where schemaname = current_schema()) as tables`,
};

/** 0 for a database that holds nothing yet. */
async function readVersion(queries: Queries, dialect: Database['dialect']): Promise<number> {
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

async function createMigrationsTable(queries: Queries, words: TableWords): Promise<void> {
  await queries.schema
    .createTable('migrations')
    .addColumn('version', words.integer, column => column.primaryKey().notNull())
    .addColumn('name', words.text, column => column.notNull())
    .addColumn('applied_at', words.integer, column => column.notNull())
    .modifyEnd(words.options)
    .execute();
}

function newerError(version: number): ServiceError {
  return new ServiceError(
    'unavailable',
    `The database was made by a newer version of Tapedeck (schema ${version}, this version knows ${schemaVersion}): start that version, or restore a backup made before the update.`,
  );
}
