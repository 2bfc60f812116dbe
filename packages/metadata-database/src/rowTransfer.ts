/** Exports all rows of a database from one snapshot and imports them into an empty one, across dialects. */
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { ConstraintViolation, DatabaseFailure } from './failures.ts';
import type { Layout } from './layout.ts';
import { databaseLimits } from './limits.ts';
import { lastVersion, migrationsTable, readSteps } from './migrations.ts';
import type { TableShape } from './tables.ts';

export type ExportedRow = { table: string; row: Record<string, unknown> };

const rowsPerPage = 500; // one message between threads
export const rowsPerInsert = 100; // times the widest table's columns, this stays far below the bind limit of both dialects

/** Exports rows in import order, the version's rows first. */
export async function* exportRows<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
): AsyncGenerator<ExportedRow> {
  await using snapshot = await database.openSnapshot();
  // The database may have more steps than this program knows. It exports those it knows.
  for (const row of await readSteps(snapshot.queries, database.dialect))
    if (row.version <= lastVersion(layout)) yield { table: migrationsTable.table, row };
  for (const shape of layout.tables)
    for await (const row of readTable(snapshot.queries, shape)) yield { table: shape.table, row };
}

/** Reads pages in key order, so that memory stays flat for any number of rows. */
export async function* readTable<Schema>(
  queries: Kysely<Schema>,
  { table, key, columns }: TableShape,
): AsyncGenerator<Record<string, unknown>> {
  const keyColumns = sql.join(key.map(column => sql.ref(column)));
  const allColumns = sql.join(columns.map(column => sql.ref(column)));
  let page: Record<string, unknown>[] = [];
  do {
    const last: Record<string, unknown> | undefined = page.at(-1);
    const after =
      last === undefined
        ? sql``
        : sql`where (${keyColumns}) > (${sql.join(key.map(column => last[column]))})`;
    const query = sql<Record<string, unknown>>`
      select ${allColumns} from ${sql.table(table)} ${after} order by ${keyColumns} limit ${sql.lit(rowsPerPage)}`;
    page = (await query.execute(queries)).rows;
    yield* page;
  } while (page.length === rowsPerPage);
}

/** Fills an empty database that is at the layout's version, in one transaction. */
export async function importRows<Schema>(
  database: Database<Schema>,
  layout: Layout<Schema>,
  rows: AsyncIterable<ExportedRow>,
): Promise<void> {
  const work = async (queries: Kysely<Schema>) => {
    await refuseFilled(queries, layout);
    const version = await insertAll(queries, layout, rows);
    for (const migration of layout.migrations)
      if (version < migration.version) await migration.fill?.(queries);
  };
  try {
    // The rows can be read only once, so the work can't be retried.
    await database.transact(work, { timeLimitMs: databaseLimits.importMsMax, attemptsMax: 1 });
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error;
    throw new DatabaseFailure('invalid_field', 'The rows contradict each other: take another backup.', {
      cause: error,
    });
  }
}

async function refuseFilled<Schema>(queries: Kysely<Schema>, { tables }: Layout<Schema>): Promise<void> {
  for (const { table, seed } of tables) {
    if (seed) continue;
    const found = await sql`select 1 from ${sql.table(table)} limit 1`.execute(queries);
    if (found.rows.length > 0) {
      throw new DatabaseFailure('already_set_up', 'The database is not empty: restore into an empty one.');
    }
  }
}

/** Inserts all rows and returns their version. */
async function insertAll<Schema>(
  queries: Kysely<Schema>,
  layout: Layout<Schema>,
  rows: AsyncIterable<ExportedRow>,
): Promise<number> {
  let waiting: { shape: TableShape; rows: Record<string, unknown>[] } | null = null;
  let version = 0;
  const shapes = new Map([migrationsTable, ...layout.tables].map(shape => [shape.table, shape]));
  for await (const { table, row } of rows) {
    const shape = checkRow(shapes.get(table), { table, row });
    if (shape === migrationsTable) {
      version = Math.max(version, Number(row.version));
      refuseNewer(version, layout);
      continue;
    }
    if (waiting === null) refuseOlder(version, layout);
    if (waiting !== null && (waiting.shape !== shape || waiting.rows.length >= rowsPerInsert)) {
      await insertRows(queries, waiting.shape, waiting.rows);
      waiting = null;
    }
    waiting ??= { shape, rows: [] };
    waiting.rows.push(row);
  }
  if (waiting !== null) await insertRows(queries, waiting.shape, waiting.rows);
  refuseOlder(version, layout);
  return version;
}

/** Inserts rows. Columns that the schema gained since the export get their default. */
async function insertRows<Schema>(
  queries: Kysely<Schema>,
  shape: TableShape,
  rows: Record<string, unknown>[],
): Promise<void> {
  if (shape.seed) {
    for (const row of rows) await updateRow(queries, shape, row);
    return;
  }
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(row => sql`(${sql.join(columns.map(column => row[column]))})`);
  await sql`insert into ${sql.table(shape.table)} (${sql.join(columns.map(column => sql.ref(column)))})
    values ${sql.join(values)}`.execute(queries);
}

async function updateRow<Schema>(
  queries: Kysely<Schema>,
  { table, key }: TableShape,
  row: Record<string, unknown>,
): Promise<void> {
  const equate = (column: string) => sql`${sql.ref(column)} = ${row[column]}`;
  await sql`update ${sql.table(table)} set ${sql.join(Object.keys(row).map(equate))}
    where ${sql.join(key.map(equate), sql` and `)}`.execute(queries);
}

function checkRow(shape: TableShape | undefined, { table, row }: ExportedRow): TableShape {
  if (shape === undefined) throw new DatabaseFailure('invalid_field', `There is no table ${table}.`);
  for (const [column, value] of Object.entries(row)) {
    if (!shape.columns.includes(column)) {
      throw new DatabaseFailure('invalid_field', `The table ${table} has no column ${column}.`);
    }
    if (value !== null && typeof value !== 'string' && !Number.isSafeInteger(value)) {
      throw new DatabaseFailure(
        'invalid_field',
        `The column ${column} of ${table} holds text, an integer or null.`,
      );
    }
  }
  return shape;
}

function refuseOlder<Schema>(version: number, { program, oldestVersion }: Layout<Schema>): void {
  if (version >= oldestVersion) return;
  const sentence =
    version === 0
      ? 'The rows do not say which version made them.'
      : `The rows were made by a version of ${program} that is too old (schema ${version}, this version takes ${oldestVersion} and later): restore with a version in between, and take a backup there.`;
  throw new DatabaseFailure('invalid_field', sentence);
}

function refuseNewer<Schema>(version: number, layout: Layout<Schema>): void {
  const known = lastVersion(layout);
  if (version <= known) return;
  throw new DatabaseFailure(
    'invalid_field',
    `The rows were made by a newer version of ${layout.program} (schema ${version}, this version knows ${known}): restore with that version.`,
  );
}
