/**
 * Finds folders whose lists or counts seem to differ from the files, by bucket of positions. A change between two reads makes a suspect too, so
 * the caller compares each again. Reads every list row once, in the order of an index.
 */
import { bucketPositions } from '@tapedeck/file-index';
import { sql } from 'kysely';
import { splitIntoChunks } from '../queryChunks.ts';
import type { FileRow, Queries } from '../schema.ts';
import { listFolders } from './rows.ts';

/** One folder's files in one bucket of positions. */
export type ListPlace = { project: string; folder: string; bucket: number };

/** Names each place once. */
export async function* findSuspects(
  reading: Queries,
  project: string,
): AsyncGenerator<ListPlace, void, undefined> {
  const named = new Set<string>();
  for await (const place of findStrays(reading, project)) {
    const name = nameOf(place);
    if (named.has(name)) continue;
    named.add(name);
    yield place;
  }
  for await (const place of findUncovered(reading, project)) if (!named.has(nameOf(place))) yield place;
}

const nameOf = ({ folder, bucket }: ListPlace) => `${bucket} ${folder}`;

async function* findStrays(reading: Queries, project: string): AsyncGenerator<ListPlace> {
  yield* findStrayRows(reading, project);
  yield* findStrayCounts(reading, project);
}

const rowsPerRead = 1_000; // few enough that PostgreSQL looks up each file instead of reading them all

/** Finds list rows without a file of their type in the folder. */
async function* findStrayRows(reading: Queries, project: string): AsyncGenerator<ListPlace> {
  let after = { folder: '', position: -1 };
  for (;;) {
    const rows = await readStrayRows(reading, project, after);
    for (const { folder, position, is_last } of rows) {
      if (is_last === 0) yield { project, folder, bucket: Math.floor(position / bucketPositions) };
      else after = { folder, position };
    }
    if (!rows.some(({ is_last }) => is_last === 1)) return;
  }
}

/** Reads a page of list rows, and returns the stray ones and the last one. */
function readStrayRows(
  reading: Queries,
  project: string,
  { folder, position }: { folder: string; position: number },
) {
  return reading
    .with(
      cte => cte('page').materialized(),
      queries =>
        queries
          .selectFrom('file_folders')
          .select(['folder', 'position', 'type'])
          .where('project', '=', project)
          .where(sql<boolean>`(folder, position) > (${folder}, ${position})`)
          .orderBy('folder')
          .orderBy('position')
          .limit(rowsPerRead),
    )
    .selectFrom('page')
    .leftJoin('files', join =>
      join.on('files.project', '=', project).onRef('files.position', '=', 'page.position'),
    )
    .where(sql<boolean>`(files.id is null or files.type <> page.type or not (page.folder = '' or files.path = page.folder
      or substr(files.path, 1, length(page.folder) + 1) = page.folder || '/'))`)
    .select(['page.folder', 'page.position', sql<number>`0`.as('is_last')])
    .unionAll(({ selectFrom }) =>
      selectFrom(
        selectFrom('page')
          .select(['folder', 'position', sql<number>`1`.as('is_last')])
          .orderBy('folder', 'desc')
          .orderBy('position', 'desc')
          .limit(1)
          .as('end'),
      ).selectAll(),
    )
    .execute();
}

/** Finds counts of folders that list no file of the bucket. */
async function* findStrayCounts(reading: Queries, project: string): AsyncGenerator<ListPlace> {
  const start = sql`counted.bucket * ${sql.lit(bucketPositions)}`;
  const rows = await reading
    .selectFrom('file_counts as counted')
    .select(['folder', 'bucket'])
    .distinct()
    .where('project', '=', project)
    .where(sql<boolean>`(files <> 0 or bytes <> 0)`)
    .where(sql<boolean>`not exists (select 1 from file_folders as listed where listed.project = counted.project
      and listed.folder = counted.folder and listed.position >= ${start}
      and listed.position < ${start} + ${sql.lit(bucketPositions)})`)
    .execute();
  for (const { folder, bucket } of rows) yield { project, folder, bucket };
}

type Held = Pick<FileRow, 'position' | 'path' | 'type' | 'size_bytes'>;

/** Finds folders that list or count fewer or more files than lie in them. */
async function* findUncovered(reading: Queries, project: string): AsyncGenerator<ListPlace> {
  const files = reading.selectFrom('files').where('project', '=', project);
  for (let from = 0; ; ) {
    const query = files.select('position').where('position', '>=', from).orderBy('position').limit(1);
    const next = await query.executeTakeFirst();
    if (next === undefined) return;
    const bucket = Math.floor(next.position / bucketPositions);
    const [start, end] = [bucket * bucketPositions, (bucket + 1) * bucketPositions];
    const held = await files
      .select(['position', 'path', 'type', 'size_bytes'])
      .where('position', '>=', start)
      .where('position', '<', end)
      .execute();
    for (const folder of await compareBucket(reading, { project, bucket, held }))
      yield { project, folder, bucket };
    from = end;
  }
}

type Bucket = { project: string; bucket: number; held: readonly Held[] };

async function compareBucket(reading: Queries, { project, bucket, held }: Bucket): Promise<Set<string>> {
  const open = new OpenCounts();
  for (const { path, type, size_bytes } of held)
    for (const folder of listFolders(path)) {
      open.add(folder, 'listed', 1);
      open.add(folder, `${type} files`, 1);
      open.add(folder, `${type} bytes`, size_bytes);
    }
  const start = bucket * bucketPositions;
  for (const folders of splitIntoChunks([...new Set(held.flatMap(({ path }) => listFolders(path)))])) {
    const listed = reading
      .selectFrom('file_folders')
      .select(({ fn }) => ['folder', fn.countAll<number>().as('files')])
      .where('project', '=', project)
      .where('folder', 'in', folders)
      .where('position', '>=', start)
      .where('position', '<', start + bucketPositions)
      .groupBy('folder');
    for (const { folder, files } of await listed.execute()) open.add(folder, 'listed', -Number(files));
    const counted = reading
      .selectFrom('file_counts')
      .select(['folder', 'type', 'files', 'bytes'])
      .where('project', '=', project)
      .where('folder', 'in', folders)
      .where('bucket', '=', bucket);
    for (const { folder, type, files, bytes } of await counted.execute()) {
      open.add(folder, `${type} files`, -files);
      open.add(folder, `${type} bytes`, -bytes);
    }
  }
  return open.listFolders();
}

/** Sums by folder and name; a sum of zero is forgotten. */
class OpenCounts {
  private readonly sums = new Map<string, number>();

  add(folder: string, name: string, number: number): void {
    const key = `${folder}\0${name}`; // no path holds a NUL
    const sum = (this.sums.get(key) ?? 0) + number;
    if (sum === 0) this.sums.delete(key);
    else this.sums.set(key, sum);
  }

  listFolders(): Set<string> {
    return new Set([...this.sums.keys()].map(key => key.slice(0, key.indexOf('\0'))));
  }
}
