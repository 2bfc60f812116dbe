/**
 * Lists direct subfolders from the counts of every folder. It finds each name with one index lookup, so it skips files and deeper
 * folders. Then it sums the counts of these folders only.
 */

import type { FileFolder, FileUsage, FolderQuery } from '@tapedeck/domain/ports/files';
import type { MediaType } from '@tapedeck/domain/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';

const namesAtOnce = 64; // per query
const behindSlash = '0'; // the next character after a slash, in byte order
const lowest = '\u0001'; // no name holds it

export async function listFileFolders(
  database: MetadataDatabase,
  project: string,
  { below, namesBegin, type, limit }: FolderQuery,
): Promise<FileFolder[]> {
  const base = below === '' ? '' : `${below}/`;
  const beginning = base + namesBegin;
  const folders: FileFolder[] = [];
  // Inclusive: a folder may be called exactly like the prefix.
  let from: string | null = beginning;
  while (from !== null && folders.length < limit) {
    const names = await walkNames(database, project, { from, base });
    const wanted = names.filter(name => name.startsWith(beginning) && !name.includes('/', base.length));
    folders.push(...(await sumFolders(database.reading, project, { folders: wanted, type })));
    const last = names.at(-1);
    const isOver = last === undefined || names.length < namesAtOnce || !last.startsWith(beginning);
    from = isOver ? null : nextAfter(last, base);
  }
  return folders.slice(0, limit);
}

/** Returns where the next name is: after a child, or after everything in the child that holds a deeper folder. */
function nextAfter(folder: string, base: string): string {
  const slash = folder.indexOf('/', base.length);
  return slash < 0 ? folder + lowest : folder.slice(0, slash) + behindSlash;
}

/** Finds children, and at most one of each child's subfolders. `nextAfter` leads from one to the next. */
async function walkNames(
  { reading, dialect }: MetadataDatabase,
  project: string,
  { from, base }: { from: string; base: string },
): Promise<string[]> {
  const end = base === '' ? sql`` : sql`and folder < ${base.slice(0, -1) + behindSlash}`;
  // Not `min`: PostgreSQL reads all later rows for it if it expects few.
  const first = (start: RawBuilder<unknown>) =>
    sql<string>`(select folder from file_counts where project = ${project} and folder != '' and folder >= ${start} ${end}
      order by folder limit 1)`;
  const baseLength = sql.lit([...base].length);
  const inside = sql`substr(walk.folder, ${baseLength} + 1)`;
  const slash = dialect === 'sqlite' ? sql`instr(${inside}, '/')` : sql`strpos(${inside}, '/')`;
  const next = sql`case when ${slash} = 0 then walk.folder || ${sql.lit(lowest)}
    else substr(walk.folder, 1, ${baseLength} + ${slash} - 1) || ${sql.lit(behindSlash)} end`;
  const rows = await reading
    .withRecursive('walk(folder, step)', found =>
      found.selectNoFrom([first(sql`${from}`).as('folder'), sql<number>`1`.as('step')]).unionAll(
        found
          .selectFrom('walk')
          .select([first(next).as('folder'), sql<number>`step + 1`.as('step')])
          .where('folder', 'is not', null)
          .where('step', '<', namesAtOnce),
      ),
    )
    .selectFrom('walk')
    .select('folder')
    .where('folder', 'is not', null)
    .orderBy('step')
    .execute();
  return rows.map(({ folder }) => folder);
}

/** Leaves out folders whose counts are zero, because all their files were removed. */
async function sumFolders(
  reading: Queries,
  project: string,
  { folders, type }: { folders: readonly string[] } & Pick<FolderQuery, 'type'>,
): Promise<FileFolder[]> {
  if (folders.length === 0) return [];
  let query = reading
    .selectFrom('file_counts')
    .select(({ fn }) => ['folder', fn.sum<number>('files').as('files'), fn.sum<number>('bytes').as('bytes')])
    .where('project', '=', project)
    .where('folder', 'in', folders);
  if (type !== null) query = query.where('type', '=', type);
  const rows = await query.groupBy('folder').orderBy('folder').execute();
  // PostgreSQL widens sums to a type that its driver doesn't parse as a number.
  return rows
    .map(({ folder, files, bytes }) => ({ path: folder, files: Number(files), bytes: Number(bytes) }))
    .filter(({ files }) => files > 0);
}

/** Sums the counts of the project's root folder, which cover every file. */
export async function sumTypes(reading: Queries, project: string): Promise<Map<MediaType, FileUsage>> {
  const query = reading
    .selectFrom('file_counts')
    .select(({ fn }) => ['type', fn.sum<number>('files').as('files'), fn.sum<number>('bytes').as('bytes')])
    .where('project', '=', project)
    .where('folder', '=', '')
    .groupBy('type');
  const rows = await query.execute();
  // PostgreSQL widens these sums too.
  return new Map(
    rows.map(({ type, files, bytes }) => [type, { files: Number(files), bytes: Number(bytes) }]),
  );
}
