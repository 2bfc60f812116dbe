/**
 * Compares the index of metadata with the files, and indexes those that differ again. Reads files and index in pages while the service writes,
 * so a difference is only a suspect: one statement for each such file, which sees a single instant, decides.
 */

import type { MetadataFinding } from '@tapedeck/domain/ports/files';
import { type BatchQuery, BatchRefused } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { MetadataDatabase, Queries } from '../schema.ts';
import { composeUsageLock } from './countChecks.ts';
import { listMetadataEntries } from './rows.ts';

const positionsPerPage = 256; // of at most 16 KiB of metadata each

/** Yields one finding for the project, or none. */
export async function* checkMetadata(
  database: MetadataDatabase,
  project: string,
  repair: boolean,
): AsyncGenerator<MetadataFinding> {
  const found = { missed: 0, wrong: 0, repaired: repair };
  for await (const position of findSuspects(database.reading, project)) {
    const described = await compareFile(database.reading, project, position);
    if (isRight(described)) continue;
    found.missed += described.missed;
    found.wrong += described.wrong;
    if (repair) await describeAnew(database, { project, position, metadata: described.metadata });
    found.repaired &&= isRight(await compareFile(database.reading, project, position));
  }
  if (found.missed + found.wrong > 0) yield { problem: 'metadata', project, ...found };
}

async function* findSuspects(reading: Queries, project: string): AsyncGenerator<number> {
  for (let after = -1; ; ) {
    const positions = await listPositions(reading, project, after);
    const last = positions.at(-1);
    if (last === undefined) return;
    const of = (table: 'files' | 'file_metadata') =>
      reading.selectFrom(table).where('project', '=', project).where('position', 'in', positions);
    const files = await of('files').select(['position', 'metadata']).execute();
    const indexed = await of('file_metadata').select(['position', 'entry']).execute();
    const metadata = new Map(files.map(file => [file.position, file.metadata]));
    const entries = Map.groupBy(indexed, ({ position }) => position);
    for (const position of positions) {
      const known = (entries.get(position) ?? []).map(({ entry }) => entry);
      if (!isRight(compare(metadata.get(position) ?? null, known))) yield position;
    }
    after = last;
  }
}

/** Lists positions that have a file or entries in the index. */
async function listPositions(reading: Queries, project: string, after: number): Promise<number[]> {
  const pageOf = (table: 'files' | 'file_metadata') =>
    reading
      .selectFrom(table)
      .select('position')
      .distinct()
      .where('project', '=', project)
      .where('position', '>', after)
      .orderBy('position')
      .limit(positionsPerPage);
  const both = reading
    .selectFrom(pageOf('files').as('held'))
    .select('held.position')
    .union(reading.selectFrom(pageOf('file_metadata').as('indexed')).select('indexed.position'));
  const rows = await both.orderBy('position').limit(positionsPerPage).execute();
  return rows.map(({ position }) => position);
}

/** `metadata` is null if there is no file at this position. `missed` and `wrong` are 0 or 1. */
type Described = { metadata: string | null; missed: number; wrong: number };

function compare(metadata: string | null, entries: readonly string[]): Described {
  // Only `buildFileRow` writes this column, from such an object.
  const parsed = metadata === null ? {} : (JSON.parse(metadata) as Record<string, unknown>);
  const [wanted, known] = [new Set(listMetadataEntries(parsed)), new Set(entries)];
  return {
    metadata,
    missed: wanted.isSubsetOf(known) ? 0 : 1,
    wrong: known.isSubsetOf(wanted) ? 0 : 1,
  };
}

function isRight({ missed, wrong }: Described): boolean {
  return missed + wrong === 0;
}

async function compareFile(reading: Queries, project: string, position: number): Promise<Described> {
  const of = (table: 'files' | 'file_metadata') =>
    reading.selectFrom(table).where('project', '=', project).where('position', '=', position);
  const rows = await of('files')
    .select([sql<string>`'file'`.as('kind'), 'metadata as text'])
    .unionAll(of('file_metadata').select([sql<string>`'entry'`.as('kind'), 'entry as text']))
    .execute();
  const entries = rows.filter(({ kind }) => kind === 'entry').map(({ text }) => text);
  return compare(rows.find(({ kind }) => kind === 'file')?.text ?? null, entries);
}

type Place = { project: string; position: number; metadata: string | null };

/** Does nothing if the file has changed meanwhile: that change has described it. */
async function describeAnew(database: MetadataDatabase, place: Place): Promise<void> {
  try {
    await database.transactBatch(queries => composeDescription(queries, place));
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
  }
}

function composeDescription(queries: Queries, { project, position, metadata }: Place): BatchQuery[] {
  const stale = queries
    .deleteFrom('file_metadata')
    .where('project', '=', project)
    .where('position', '=', position);
  if (metadata === null) {
    const file = queries.selectFrom('files').select('id').where('project', '=', project);
    const removal = stale.where(({ exists, not }) => not(exists(file.where('position', '=', position))));
    return [composeUsageLock(queries, project), { query: removal }];
  }
  const same = queries
    .updateTable('files')
    .set({ metadata })
    .where('project', '=', project)
    .where('position', '=', position)
    .where('metadata', '=', metadata);
  // As in `compare`.
  const entries = listMetadataEntries(JSON.parse(metadata) as Record<string, unknown>);
  const rows = entries.map(entry => ({ project, entry, position }));
  return [
    composeUsageLock(queries, project),
    { query: same, rowsMin: 1 },
    { query: stale },
    ...(rows.length > 0 ? [{ query: queries.insertInto('file_metadata').values(rows) }] : []),
  ];
}
