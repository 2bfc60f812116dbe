/**
 * Compares the lists and counts of folders with the files, and rebuilds those that differ. Cheap passes find suspects while the service writes;
 * one statement, which sees a single instant, then decides about each. A rebuild takes the lock that every change of files takes, and touches
 * one folder's files of one bucket.
 */

import type { FolderFinding, ListFinding } from '@tapedeck/domain/ports/files';
import { bucketPositions } from '@tapedeck/file-index';
import type { BatchQuery } from '@tapedeck/metadata-database';
import { type RawBuilder, sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';
import { checkDays, checkUsage, composeUsageLock } from './countChecks.ts';
import { findSuspects, type ListPlace } from './listSuspects.ts';
import { checkMetadata } from './metadataChecks.ts';

export async function* checkLists(
  database: MetadataDatabase,
  { repair }: { repair: boolean },
): AsyncGenerator<ListFinding, void, undefined> {
  for (const project of await listProjects(database.reading)) {
    for await (const place of findSuspects(database.reading, project)) {
      const finding = await checkPlace(database, place, repair);
      if (finding !== null) yield finding;
    }
    yield* checkUsage(database, project, repair);
    yield* checkDays(database, project, repair);
    yield* checkMetadata(database, project, repair);
  }
}

async function listProjects(reading: Queries): Promise<string[]> {
  const rows = await reading
    .selectFrom('projects')
    .select('slug as project')
    .union(reading.selectFrom('file_usage').select('project'))
    .orderBy('project')
    .execute();
  return rows.map(({ project }) => project);
}

async function checkPlace(
  database: MetadataDatabase,
  place: ListPlace,
  repair: boolean,
): Promise<FolderFinding | null> {
  const found = await comparePlace(database.reading, place);
  if (isRight(found)) return null;
  if (repair) await database.transactBatch(queries => composeRebuild(queries, place));
  const repaired = repair && isRight(await comparePlace(database.reading, place));
  const { project, folder } = place;
  return { problem: 'folder', project, folder, ...found, repaired };
}

type Compared = Pick<FolderFinding, 'unlisted' | 'stray' | 'miscounted'>;

function isRight({ unlisted, stray, miscounted }: Compared): boolean {
  return unlisted === 0 && stray === 0 && miscounted === 0;
}

async function comparePlace(reading: Queries, place: ListPlace): Promise<Compared> {
  const { project, folder, bucket } = place;
  const [from, to] = rangeOf(bucket);
  const inFolder = sql`project = ${project} and folder = ${folder}`;
  const isListed = sql`exists (select 1 from file_folders as listed where listed.project = files.project
    and listed.folder = ${folder} and listed.position = files.position and listed.type = files.type)`;
  const isHeld = sql`exists (select 1 from files where files.project = listed.project
    and files.position = listed.position and files.type = listed.type and ${liesIn(folder)})`;
  const differing = sql`select type from (
      select type, files, bytes from file_counts where ${inFolder} and bucket = ${bucket}
      union all select type, -count(*), -sum(size_bytes) from files where ${isIn(place)} group by type
    ) as counts group by type having sum(files) <> 0 or sum(bytes) <> 0`;
  const unlisted = sql<number>`(select count(*) from files where ${isIn(place)} and not ${isListed})`;
  const stray = sql<number>`(select count(*) from file_folders as listed where ${inFolder}
    and position >= ${from} and position < ${to} and not ${isHeld})`;
  const miscounted = sql<number>`(select count(*) from (${differing}) as types)`;
  const row = await reading
    .selectNoFrom([unlisted.as('unlisted'), stray.as('stray'), miscounted.as('miscounted')])
    .executeTakeFirstOrThrow();
  // PostgreSQL widens counts to a type that its driver doesn't parse as a number.
  return {
    unlisted: Number(row.unlisted),
    stray: Number(row.stray),
    miscounted: Number(row.miscounted),
  };
}

/** Selects the bucket's files that lie in the folder or below it. */
function isIn({ project, folder, bucket }: ListPlace): RawBuilder<boolean> {
  const [from, to] = rangeOf(bucket);
  const inBucket = sql`files.project = ${project} and files.position >= ${from} and files.position < ${to}`;
  return sql<boolean>`${inBucket} and ${liesIn(folder)}`;
}

function liesIn(folder: string): RawBuilder<boolean> {
  if (folder === '') return sql<boolean>`1 = 1`;
  const start = sql`substr(files.path, 1, ${sql.lit([...folder].length + 1)})`;
  return sql<boolean>`(files.path = ${folder} or ${start} = ${`${folder}/`})`;
}

function rangeOf(bucket: number): [from: number, to: number] {
  return [bucket * bucketPositions, (bucket + 1) * bucketPositions];
}

function composeRebuild(queries: Queries, place: ListPlace): BatchQuery[] {
  const { project, folder, bucket } = place;
  const [from, to] = rangeOf(bucket);
  const listed = queries
    .deleteFrom('file_folders')
    .where('project', '=', project)
    .where('folder', '=', folder);
  const counted = queries
    .deleteFrom('file_counts')
    .where('project', '=', project)
    .where('folder', '=', folder);
  const files = queries.selectFrom('files').where(isIn(place));
  const name = sql<string>`cast(${folder} as text)`.as('folder');
  const rows = files.select(['project', name, 'position', 'type']);
  const counts = files
    .select(({ fn }) => [
      'project',
      name,
      sql<number>`${sql.lit(bucket)}`.as('bucket'),
      'type',
      fn.countAll<number>().as('files'),
    ])
    .select(({ fn }) => fn.sum<number>('size_bytes').as('bytes'))
    .groupBy(['project', 'type']);
  return [
    composeUsageLock(queries, project),
    { query: listed.where('position', '>=', from).where('position', '<', to) },
    { query: counted.where('bucket', '=', bucket) },
    {
      query: queries
        .insertInto('file_folders')
        .columns(['project', 'folder', 'position', 'type'])
        .expression(rows),
    },
    {
      query: queries
        .insertInto('file_counts')
        .columns(['project', 'folder', 'bucket', 'type', 'files', 'bytes'])
        .expression(counts),
    },
  ];
}
