/** Compares a project's usage and its files by day with the files, in statements that see a single instant, and corrects them. */
import { isDeepStrictEqual } from 'node:util';
import { dayMs } from '@tapedeck/domain/instants';
import type { CountFinding } from '@tapedeck/domain/ports/files';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';

/** Locks the row that every change of a project's files changes first. */
export function composeUsageLock(queries: Queries, project: string): BatchQuery {
  const locked = queries.updateTable('file_usage').set({ last_position: sql<number>`last_position` });
  return { query: locked.where('project', '=', project) };
}

const sizeInTrash = {
  sqlite: sql<number>`json_extract("row", '$.size_bytes')`,
  postgres: sql<number>`cast(cast("row" as json) ->> 'size_bytes' as bigint)`,
};

/** A project that never had a file has no row of usage. */
export async function* checkUsage(
  database: MetadataDatabase,
  project: string,
  repair: boolean,
): AsyncGenerator<CountFinding> {
  const found = await compareUsage(database, project);
  if (found.length === 0) return;
  if (repair)
    await database.transactBatch(queries => {
      const usage = queries.updateTable('file_usage').set(sumFiles(database, project));
      return [composeUsageLock(queries, project), { query: usage.where('project', '=', project) }];
    });
  const open = repair ? await compareUsage(database, project) : found;
  for (const { of, ...counts } of found)
    yield { problem: 'count', project, of, ...counts, repaired: open.every(other => other.of !== of) };
}

function sumFiles({ dialect }: MetadataDatabase, project: string) {
  const size = sizeInTrash[dialect];
  const listed = (sum: ReturnType<typeof sql>) =>
    sql<number>`(select cast(coalesce(${sum}, 0) as bigint) from files where project = ${project})`;
  const trashed = (sum: ReturnType<typeof sql>) =>
    sql<number>`(select cast(coalesce(${sum}, 0) as bigint) from trashed_files where project = ${project})`;
  const count = sql`count(*)`;
  return {
    files: sql<number>`${listed(count)} + ${trashed(count)}`,
    bytes: sql<number>`${listed(sql`sum(size_bytes)`)} + ${trashed(sql`sum(${size})`)}`,
    trashed_files: trashed(count),
    trashed_bytes: trashed(sql`sum(${size})`),
  };
}

type Comparison = Pick<CountFinding, 'of' | 'counted' | 'actual'>;

async function compareUsage(database: MetadataDatabase, project: string): Promise<Comparison[]> {
  const actual = sumFiles(database, project);
  const row = await database.reading
    .selectFrom('file_usage')
    .select([
      'files',
      'bytes',
      'trashed_files',
      'trashed_bytes',
      actual.files.as('actual_files'),
      actual.bytes.as('actual_bytes'),
      actual.trashed_files.as('actual_trashed_files'),
      actual.trashed_bytes.as('actual_trashed_bytes'),
    ])
    .where('project', '=', project)
    .executeTakeFirst();
  if (row === undefined) return [];
  const usage: Comparison = {
    of: 'usage',
    counted: { files: row.files, bytes: row.bytes },
    actual: { files: Number(row.actual_files), bytes: Number(row.actual_bytes) },
  };
  const trash: Comparison = {
    of: 'trash',
    counted: { files: row.trashed_files ?? 0, bytes: row.trashed_bytes ?? 0 },
    actual: { files: Number(row.actual_trashed_files), bytes: Number(row.actual_trashed_bytes) },
  };
  return [usage, trash].filter(({ counted, actual: real }) => !isDeepStrictEqual(counted, real));
}

export async function* checkDays(
  database: MetadataDatabase,
  project: string,
  repair: boolean,
): AsyncGenerator<CountFinding> {
  const found = await compareDays(database.reading, project);
  if (found.length === 0) return;
  if (repair)
    for (const { day } of found)
      await database.transactBatch(queries => composeDayRebuild(queries, project, day));
  const open = repair ? await compareDays(database.reading, project) : found;
  for (const { day, of, counted, actual } of found) {
    const repaired = open.every(other => other.day !== day);
    yield { problem: 'count', project, of, counted, actual, repaired };
  }
}

async function compareDays(reading: Queries, project: string): Promise<(Comparison & { day: number })[]> {
  const day = sql`created_at / ${sql.lit(dayMs)}`;
  const numbers = sql<Record<'day' | 'files' | 'bytes' | 'actual_files' | 'actual_bytes', number>>`(
    select day, files, bytes, 0 as actual_files, 0 as actual_bytes from file_days where project = ${project}
    union all select ${day} as day, 0, 0, count(*), sum(size_bytes) from files where project = ${project} group by ${day})`;
  const query = reading
    .selectFrom(numbers.as('days'))
    .select(({ fn }) => ['day', fn.sum<number>('files').as('files'), fn.sum<number>('bytes').as('bytes')])
    .select(({ fn }) => fn.sum<number>('actual_files').as('actual_files'))
    .select(({ fn }) => fn.sum<number>('actual_bytes').as('actual_bytes'))
    .groupBy('day')
    .having(sql<boolean>`sum(files) <> sum(actual_files) or sum(bytes) <> sum(actual_bytes)`);
  const rows = await query.orderBy('day').execute();
  return rows.map(row => ({
    day: Number(row.day),
    of: new Date(Number(row.day) * dayMs).toISOString().slice(0, 10),
    counted: { files: Number(row.files), bytes: Number(row.bytes) },
    actual: { files: Number(row.actual_files), bytes: Number(row.actual_bytes) },
  }));
}

function composeDayRebuild(queries: Queries, project: string, day: number): BatchQuery[] {
  const counted = queries.deleteFrom('file_days').where('project', '=', project).where('day', '=', day);
  const actual = queries
    .selectFrom('files')
    .select(({ fn }) => [
      'project',
      sql<number>`${sql.lit(day)}`.as('day'),
      fn.countAll<number>().as('files'),
      fn.sum<number>('size_bytes').as('bytes'),
    ])
    .where('project', '=', project)
    .where('created_at', '>=', day * dayMs)
    .where('created_at', '<', (day + 1) * dayMs)
    .groupBy('project');
  return [
    composeUsageLock(queries, project),
    { query: counted },
    {
      query: queries.insertInto('file_days').columns(['project', 'day', 'files', 'bytes']).expression(actual),
    },
  ];
}
