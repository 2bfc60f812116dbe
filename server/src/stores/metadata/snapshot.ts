/** Everything the store holds as rows that either dialect can take: out of one view, into an empty database. */
import { sql } from 'kysely';
import { ServiceError } from '../../vocabulary.ts';
import { ConstraintViolation, type Database, databaseLimits, type Queries } from './database.ts';
import { countFileDays, fileDays } from './migrations/0007_file_days.ts';
import { foldFileNames, nameFolding } from './migrations/0010_name_folding.ts';
import { carryReporters, derivedCredentials } from './migrations/0012_derived_credentials.ts';
import { fillListedTimes, listedTimes } from './migrations/0014_listed_times.ts';
import { schemaVersion } from './migrations.ts';
import { type TableShape, tables } from './schema.ts';

export type ExportedRow = { table: string; row: Record<string, unknown> };

const rowsPerPage = 500; // one message between threads
const rowsPerInsert = 100; // times the widest table's columns stays far below what either dialect binds

export async function* exportRows(database: Database): AsyncGenerator<ExportedRow> {
  await using snapshot = await database.openSnapshot();
  for (const shape of tables) yield* exportTable(snapshot.queries, shape);
}

/** In pages by the table's key, so that memory stays flat however many rows there are. */
async function* exportTable(queries: Queries, { table, key }: TableShape): AsyncGenerator<ExportedRow> {
  const keyColumns = sql.join(key.map(column => sql.ref(column)));
  let page: Record<string, unknown>[] = [];
  do {
    const last: Record<string, unknown> | undefined = page.at(-1);
    const after =
      last === undefined
        ? sql``
        : sql`where (${keyColumns}) > (${sql.join(key.map(column => last[column]))})`;
    const query = sql<Record<string, unknown>>`
      select * from ${sql.table(table)} ${after} order by ${keyColumns} limit ${sql.lit(rowsPerPage)}`;
    page = (await query.execute(queries)).rows;
    for (const row of page) yield { table, row };
  } while (page.length === rowsPerPage);
}

export async function importRows(database: Database, rows: AsyncIterable<ExportedRow>): Promise<void> {
  const work = async (queries: Queries) => {
    await refuseFilled(queries);
    await insertAll(queries, rows);
  };
  try {
    // The rows come once, so the work cannot be run again.
    await database.transact(work, { timeLimitMs: databaseLimits.importMsMax, attemptsMax: 1 });
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error;
    throw new ServiceError('invalid_field', 'The rows contradict each other: take another backup.', {
      cause: error,
    });
  }
}

async function refuseFilled(queries: Queries): Promise<void> {
  for (const { table } of tables) {
    if (table === 'migrations' || table === 'access_revision') continue;
    const found = await sql`select 1 from ${sql.table(table)} limit 1`.execute(queries);
    if (found.rows.length > 0) {
      throw new ServiceError(
        'already_set_up',
        'The database holds something already: restore into an empty one.',
      );
    }
  }
}

async function insertAll(queries: Queries, rows: AsyncIterable<ExportedRow>): Promise<void> {
  let waiting: { shape: TableShape; rows: Record<string, unknown>[] } | null = null;
  let version = 0;
  for await (const { table, row } of rows) {
    const shape = findShape(table, row);
    if (table === 'migrations') {
      version = Math.max(version, Number(row.version));
      refuseNewer(version);
      continue;
    }
    if (waiting !== null && (waiting.shape !== shape || waiting.rows.length >= rowsPerInsert)) {
      await insertRows(queries, waiting.shape, waiting.rows);
      waiting = null;
    }
    waiting ??= { shape, rows: [] };
    waiting.rows.push(row);
  }
  if (waiting !== null) await insertRows(queries, waiting.shape, waiting.rows);
  if (version === 0) throw new ServiceError('invalid_field', 'The rows do not say which version made them.');
  if (version < fileDays.version) await countFileDays(queries);
  if (version < nameFolding.version) await foldFileNames(queries);
  if (version < derivedCredentials.version) await carryReporters(queries);
  if (version < listedTimes.version) await fillListedTimes(queries);
}

/** Columns that the schema gained since the rows were taken get their default. */
async function insertRows(
  queries: Queries,
  { table }: TableShape,
  rows: Record<string, unknown>[],
): Promise<void> {
  if (table === 'access_revision') {
    for (const row of rows) {
      await sql`update access_revision set revision = ${row.revision} where id = ${row.id}`.execute(queries);
    }
    return;
  }
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(row => sql`(${sql.join(columns.map(column => row[column]))})`);
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map(column => sql.ref(column)))})
    values ${sql.join(values)}`.execute(queries);
}

function findShape(table: string, row: Record<string, unknown>): TableShape {
  const shape = tables.find(candidate => candidate.table === table);
  if (shape === undefined) throw new ServiceError('invalid_field', `There is no table ${table}.`);
  for (const [column, value] of Object.entries(row)) {
    if (!shape.columns.includes(column)) {
      throw new ServiceError('invalid_field', `The table ${table} has no column ${column}.`);
    }
    if (value !== null && typeof value !== 'string' && !Number.isSafeInteger(value)) {
      throw new ServiceError(
        'invalid_field',
        `The column ${column} of ${table} holds text, an integer or null.`,
      );
    }
  }
  return shape;
}

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new ServiceError(
    'invalid_field',
    `The rows were made by a newer version of Tapedeck (schema ${version}, this version knows ${schemaVersion}): restore with that version.`,
  );
}
