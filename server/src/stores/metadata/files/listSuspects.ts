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

const rowsPerRead = 5_000; // about ten milliseconds

/** Finds list rows without a file of their type in the folder. */
async function* findStrayRows(reading: Queries, project: string): AsyncGenerator<ListPlace> {
  let after = sql`('', -1)`;
  for (;;) {
    const rest = reading
      .selectFrom('file_folders as listed')
      .where('listed.project', '=', project)
      .where(sql<boolean>`(listed.folder, listed.position) > ${after}`);
    const ordered = rest.select(['listed.folder', 'listed.position']).orderBy('folder').orderBy('position');
    const last = await ordered.limit(1).offset(rowsPerRead).executeTakeFirst();
    const end = last === undefined ? null : sql`(${last.folder}, ${last.position})`;
    const page = end === null ? rest : rest.where(sql<boolean>`(listed.folder, listed.position) <= ${end}`);
    const strays = await page
      .leftJoin('files', join =>
        join.onRef('files.project', '=', 'listed.project').onRef('files.position', '=', 'listed.position'),
      )
      .where(sql<boolean>`(files.id is null or files.type <> listed.type or not (listed.folder = '' or files.path = listed.folder
        or substr(files.path, 1, length(listed.folder) + 1) = listed.folder || '/'))`)
      .select(['listed.folder', bucketOf('listed.position')])
      .distinct()
      .execute();
    for (const { folder, bucket } of strays) yield { project, folder, bucket };
    if (end === null) return;
    after = end;
  }
}

function bucketOf(column: string) {
  return sql<number>`${sql.ref(column)} / ${sql.lit(bucketPositions)}`.as('bucket');
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
