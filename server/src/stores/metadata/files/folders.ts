/**
 * Lists direct subfolders from the counts kept for every folder. Skips deeper levels by key range, so the cost depends on the folders
 * listed and not on their files.
 */
import type { FileFolder, FileUsage, FolderQuery } from '../../../domain/ports/files.ts';
import type { MediaType } from '../../../vocabulary.ts';
import type { Queries } from '../schema.ts';

const rowsAtOnce = 64; // folders without folders in them come so many a query
const behindSlash = '0'; // the character after it, in the order of bytes

export async function listFileFolders(
  reading: Queries,
  project: string,
  { below, namesBegin, type, limit }: FolderQuery,
): Promise<FileFolder[]> {
  const base = below === '' ? '' : `${below}/`;
  const beginning = base + namesBegin;
  const folders: FileFolder[] = [];
  // Inclusive: a folder may be called just what the names are to begin with.
  let from: string | null = beginning;
  while (from !== null && folders.length < limit) {
    const rows = await readCounts(reading, project, { from, type });
    const found = takeChildren(rows, { base, beginning });
    folders.push(...found.folders);
    from = found.next === undefined ? nextAfter(rows) : found.next;
  }
  return folders.slice(0, limit);
}

type CountedFolder = { folder: string; files: number; bytes: number };

async function readCounts(
  reading: Queries,
  project: string,
  { from, type }: { from: string } & Pick<FolderQuery, 'type'>,
): Promise<CountedFolder[]> {
  let query = reading
    .selectFrom('file_counts')
    .select(({ fn }) => ['folder', fn.sum<number>('files').as('files'), fn.sum<number>('bytes').as('bytes')])
    .where('project', '=', project)
    .where('folder', '>=', from)
    .where('folder', '!=', '');
  if (type !== null) query = query.where('type', '=', type);
  return await query.groupBy('folder').orderBy('folder').limit(rowsAtOnce).execute();
}

/** `next`: where to go on behind what lies deeper; null when all were met; undefined when the rows ended before. */
function takeChildren(
  rows: readonly CountedFolder[],
  { base, beginning }: { base: string; beginning: string },
): { folders: FileFolder[]; next: string | null | undefined } {
  const folders: FileFolder[] = [];
  for (const { folder, files, bytes } of rows) {
    if (!folder.startsWith(beginning)) return { folders, next: null };
    const slash = folder.indexOf('/', base.length);
    if (slash >= 0) return { folders, next: folder.slice(0, slash) + behindSlash };
    // PostgreSQL widens sums beyond what its driver makes numbers of. Counts of removed files stay as zeros.
    if (Number(files) > 0) {
      folders.push({ path: folder, files: Number(files), bytes: Number(bytes) });
    }
  }
  return { folders, next: undefined };
}

function nextAfter(rows: readonly CountedFolder[]): string | null {
  const last = rows.at(-1);
  return last === undefined || rows.length < rowsAtOnce ? null : `${last.folder}\u0001`;
}

/** From the counts of the project's own folder, in which every file lies. */
export async function sumTypes(reading: Queries, project: string): Promise<Map<MediaType, FileUsage>> {
  const query = reading
    .selectFrom('file_counts')
    .select(({ fn }) => ['type', fn.sum<number>('files').as('files'), fn.sum<number>('bytes').as('bytes')])
    .where('project', '=', project)
    .where('folder', '=', '')
    .groupBy('type');
  const rows = await query.execute();
  // Widened by PostgreSQL, as above.
  return new Map(
    rows.map(({ type, files, bytes }) => [type, { files: Number(files), bytes: Number(bytes) }]),
  );
}
