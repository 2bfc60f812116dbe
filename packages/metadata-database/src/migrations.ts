/**
 * Migrates a database to the layout's version, under a lock. An empty database gets all tables at once. An older one applies the
 * missing steps in order, forward only. Steps that only add are recorded separately, so that older programs can keep working beside newer ones.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, Dialect } from './database.ts';
import { DatabaseFailure } from './failures.ts';
import type { Layout, Migration } from './layout.ts';
import { databaseLimits } from './limits.ts';
import { createTables, type TableWords } from './tables.ts';

const tableWords: Readonly<Record<Dialect, TableWords>> = {
  sqlite: { text: sql`text`, integer: sql`integer`, options: sql`strict` },
  postgres: { text: sql`text collate "C"`, integer: sql`bigint`, options: sql`` },
};

/** An arbitrary number. No other program may use it for an advisory lock in the same database. */
const advisoryLock = 7_276_563_391;

/** Records the steps that a program must know. */
export const migrationsTable = {
  table: 'migrations',
  key: ['version'],
  columns: ['version', 'name', 'applied_at'],
} as const;

/** Records the steps that a program need not know. Programs older than this table read only the other one. */
const additionsTable = 'migration_additions';

type Step = { version: number; name: string; applied_at: number };
type OwnTables = { migrations: Step; migration_additions: Step };

/** `version`: the last step. `needed`: how many steps a program must know. `additions`: null if their table doesn't exist. */
type State = { version: number; needed: number; additions: number | null };

export type AppliedMigration = { version: number; name: string; appliedAt: number };

export type MigrationPoint = `${'before' | 'inside' | 'after'} ${number}`;

type MigrationOptions = {
  /** Called at points within each migration and the creation of all tables. Tests kill the process there. */
  reach?: (point: MigrationPoint) => void;
};

export function lastVersion<Schema>({ oldestVersion, migrations }: Layout<Schema>): number {
  return oldestVersion + migrations.length;
}

/** Migrates the database to the layout's last version and returns the applied steps. */
export async function applyMigrations<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
  options: MigrationOptions = {},
): Promise<AppliedMigration[]> {
  const applied: AppliedMigration[] = [];
  // Reads without the lock first: a start on a current database writes nothing and never waits.
  if (isCurrent(await readState(seeOwnTables(database.reading), database.dialect), layout)) return applied;
  for (;;) {
    const step = await applyNext(database, layout, options);
    if (step === null) return applied;
    applied.push(step);
    options.reach?.(`after ${step.version}`);
  }
}

type NamedStep = Pick<AppliedMigration, 'version' | 'name'>;

/** Lists the migrations that `applyMigrations` would apply. */
export async function listMissingMigrations<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
): Promise<NamedStep[]> {
  const state = await readState(seeOwnTables(database.reading), database.dialect);
  return isCurrent(state, layout) ? [] : listMissing(state.version, layout);
}

/** Lists the steps missing at this version. Version 0 is an empty database. */
export function listMissing<Schema>(version: number, layout: Layout<Schema>): NamedStep[] {
  if (version > 0) return layout.migrations.slice(version - layout.oldestVersion);
  return [{ version: lastVersion(layout), name: 'all tables' }];
}

/** Holds the lock for one transaction. A second process then finds the step done. */
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
      const state = await readState(own, database.dialect);
      const [next] = isCurrent(state, layout) ? [] : listMissing(state.version, layout);
      if (next === undefined) return null;
      const applied = { version: next.version, name: next.name, appliedAt: Date.now() };
      reach?.(`before ${next.version}`);
      if (state.additions === null) await createOwnTable(own, { table: additionsTable, words });
      if (state.version === 0) await createAll(queries, words, layout);
      else await applyStep(queries, words, findStep(state, layout));
      reach?.(`inside ${next.version}`);
      return applied;
    },
    { timeLimitMs: databaseLimits.migrationMsMax },
  );
}

/** Creates all tables and records every step, so that programs see the database as fully migrated. */
async function createAll<Schema>(
  queries: Kysely<Schema>,
  words: TableWords,
  { tables, unsaved, oldestVersion, migrations, stepsKnownToAll = oldestVersion }: Layout<Schema>,
): Promise<void> {
  const own = seeOwnTables(queries);
  await createOwnTable(own, { table: 'migrations', words });
  await createTables(queries, words, [...tables, ...unsaved]);
  const steps = [{ version: oldestVersion, name: 'all tables' }, ...migrations];
  const recorded = steps.map(({ version, name }) => ({ version, name, applied_at: Date.now() }));
  const needed = Math.max(stepsKnownToAll, ...migrations.map(({ needs = 0 }) => needs));
  const [known, additions] = [
    recorded.slice(0, needed - oldestVersion + 1),
    recorded.slice(needed - oldestVersion + 1),
  ];
  await own.insertInto('migrations').values(known).execute();
  if (additions.length > 0) await own.insertInto(additionsTable).values(additions).execute();
}

function findStep<Schema>(
  { version }: State,
  { oldestVersion, migrations }: Layout<Schema>,
): Migration<Schema> {
  const migration = migrations[version - oldestVersion];
  if (migration === undefined) throw new Error(`There is no step from version ${version}.`);
  return migration;
}

async function applyStep<Schema>(
  queries: Kysely<Schema>,
  words: TableWords,
  migration: Migration<Schema>,
): Promise<void> {
  const { version, name, needs } = migration;
  await migration.apply(queries, words);
  await migration.fill?.(queries);
  const own = seeOwnTables(queries);
  // As an addition, so that an older program still recognizes its database.
  await own.insertInto(additionsTable).values({ version, name, applied_at: Date.now() }).execute();
  if (needs !== undefined) await requireSteps(own, needs);
}

/** True also if the database has steps that this program doesn't need to know. */
function isCurrent<Schema>({ version, needed }: State, layout: Layout<Schema>): boolean {
  const last = lastVersion(layout);
  if (needed > last) throw newerError(version, layout);
  if (version > 0 && version < layout.oldestVersion) throw olderError(version, layout);
  return version >= last;
}

/** Refuses programs that know fewer steps, from now on. */
async function requireSteps(own: Kysely<OwnTables>, steps: number): Promise<void> {
  const known = own.selectFrom(additionsTable).selectAll().where('version', '<=', steps);
  await own.insertInto('migrations').columns(['version', 'name', 'applied_at']).expression(known).execute();
  await own.deleteFrom(additionsTable).where('version', '<=', steps).execute();
}

const catalogues: Readonly<Record<Dialect, RawBuilder<unknown>>> = {
  sqlite: sql`sqlite_schema`,
  postgres: sql`(select tablename as name from pg_tables where schemaname = current_schema()) as tables`,
};

/** Reads the version; 0 for an empty database. */
async function readState(queries: Kysely<OwnTables>, dialect: Dialect): Promise<State> {
  const found = await queries
    .selectFrom(sql<{ name: string }>`(select name from ${catalogues[dialect]})`.as('found'))
    .select('name')
    .where('name', 'in', ['migrations', additionsTable])
    .execute();
  const names = new Set(found.map(({ name }) => name));
  const needed = names.has('migrations') ? await readLast(queries, 'migrations') : 0;
  const additions = names.has(additionsTable) ? await readLast(queries, additionsTable) : null;
  return { version: Math.max(needed, additions ?? 0), needed, additions };
}

/** Reads both kinds of steps in order. */
export async function readSteps<Schema>(queries: Kysely<Schema>, dialect: Dialect): Promise<Step[]> {
  const own = seeOwnTables(queries);
  const { additions } = await readState(own, dialect);
  const steps = await own.selectFrom('migrations').selectAll().execute();
  if (additions !== null) steps.push(...(await own.selectFrom(additionsTable).selectAll().execute()));
  return steps.toSorted((one, other) => one.version - other.version);
}

async function readLast(queries: Kysely<OwnTables>, table: keyof OwnTables): Promise<number> {
  const last = queries.selectFrom(table).select(({ fn }) => fn.max('version').as('version'));
  return (await last.executeTakeFirst())?.version ?? 0;
}

type OwnTable = { table: keyof OwnTables; words: TableWords };

async function createOwnTable(queries: Kysely<OwnTables>, { table, words }: OwnTable): Promise<void> {
  await queries.schema
    .createTable(table)
    .addColumn('version', words.integer, column => column.primaryKey().notNull())
    .addColumn('name', words.text, column => column.notNull())
    .addColumn('applied_at', words.integer, column => column.notNull())
    .modifyEnd(words.options)
    .execute();
}

function seeOwnTables<Schema>(queries: Kysely<Schema>): Kysely<OwnTables> {
  return queries as unknown as Kysely<OwnTables>; // made by `createOwnTable`
}

function newerError<Schema>(version: number, layout: Layout<Schema>): DatabaseFailure {
  return new DatabaseFailure(
    'unavailable',
    `The database was made by a newer version of ${layout.program} (schema ${version}, this version knows ${lastVersion(layout)}): start that version, or restore a backup made before the update.`,
  );
}

function olderError<Schema>(version: number, { program, oldestVersion }: Layout<Schema>): DatabaseFailure {
  return new DatabaseFailure(
    'unavailable',
    `The database was made by a version of ${program} that is too old (schema ${version}, this version upgrades ${oldestVersion} and later): start a version in between first.`,
  );
}
