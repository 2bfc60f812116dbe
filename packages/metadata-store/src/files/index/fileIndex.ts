/**
 * Keeps a project's files in memory, as blocks of columns that follow the database. Each search first reads what was uploaded, changed
 * or removed since the last one. So its result is as exact as a query, on every node.
 */

import {
  type Block,
  type BlockRow,
  blockColumns,
  bucketPositions,
  buildBlock,
  type ProjectIndex,
  removeFromBlock,
} from '@tapedeck/file-index';
import type { MetadataDatabase, Queries } from '../../schema.ts';

const bucketsPerRead = 4; // rows that reach this thread at once: about 10 ms
const changesMax = 20_000; // above this, the whole index is read again

type State = Omit<ProjectIndex, 'blocks'>;

/** Reading a million files takes a few seconds. Aborting the signal stops it. */
type Refreshing = { before: ProjectIndex | null; signal: AbortSignal | null };

/** Returns the current index, updated from the previous one if there is one. */
export async function refreshIndex(
  database: MetadataDatabase,
  project: string,
  { before, signal }: Refreshing,
): Promise<ProjectIndex> {
  const { reading } = database;
  const state = await readState(reading, project);
  const build = (now: State) => buildIndex(reading, project, { state: now, signal });
  if (before === null) return await build(state);
  if (isSame(before, state)) return before;
  const index = await followChanges(reading, project, { before, state });
  if (index === null) return await build(state);
  if (countFiles(index.blocks) === state.files) return index;
  // Files changed during the read, or a version that records no changes has removed some.
  const now = await readState(reading, project);
  return isSame(now, state) ? await build(state) : index;
}

function isSame(one: State, other: State): boolean {
  return (
    one.lastPosition === other.lastPosition &&
    one.lastChange === other.lastChange &&
    one.files === other.files
  );
}

async function readState(reading: Queries, project: string): Promise<State> {
  const row = await reading
    .selectFrom('file_usage')
    .select(['last_position', 'last_change', 'files', 'trashed_files'])
    .where('project', '=', project)
    .executeTakeFirst();
  if (row === undefined) return { lastPosition: 0, lastChange: 0, files: 0 };
  return {
    lastPosition: row.last_position,
    lastChange: row.last_change ?? 0,
    files: row.files - (row.trashed_files ?? 0),
  };
}

async function buildIndex(
  reading: Queries,
  project: string,
  { state, signal }: { state: State; signal: AbortSignal | null },
): Promise<ProjectIndex> {
  const blocks = new Map<number, Block>();
  const last = bucketOf(state.lastPosition);
  const read = (from: number) => {
    const to = Math.min(from + bucketsPerRead - 1, last);
    return readRows(reading, project, { from, to });
  };
  let next = read(0);
  for (let bucket = 0; bucket <= last; bucket += bucketsPerRead) {
    const rows = await next;
    signal?.throwIfAborted();
    // The database reads the next rows while this thread builds blocks.
    if (bucket + bucketsPerRead <= last) next = read(bucket + bucketsPerRead);
    for (const block of buildBlocks(rows)) blocks.set(block.columns.bucket, block);
  }
  return { ...state, blocks };
}

/** null if there are too many changes, or they are no longer recorded. */
async function followChanges(
  reading: Queries,
  project: string,
  { before, state }: { before: ProjectIndex; state: State },
): Promise<ProjectIndex | null> {
  const changed = await readChanges(reading, project, { before, state });
  if (changed === null) return null;
  const blocks = new Map(before.blocks);
  const there = await findPositions(reading, project, changed);
  const stale = new Set(changed.filter(position => there.has(position)).map(bucketOf));
  if (state.lastPosition > before.lastPosition) {
    for (let bucket = bucketOf(before.lastPosition); bucket <= bucketOf(state.lastPosition); bucket++)
      stale.add(bucket);
  }
  const deleted = Map.groupBy(
    changed.filter(position => !there.has(position)),
    bucketOf,
  );
  for (const [bucket, positions] of deleted) {
    const block = blocks.get(bucket);
    if (block !== undefined) blocks.set(bucket, removeFromBlock(block, positions));
  }
  for (const bucket of stale) {
    const [block] = buildBlocks(await readRows(reading, project, { from: bucket, to: bucket }));
    if (block === undefined) blocks.delete(bucket);
    else blocks.set(bucket, block);
  }
  return { ...state, blocks: new Map([...blocks].toSorted(([one], [other]) => one - other)) };
}

/** Returns each changed position once. */
async function readChanges(
  reading: Queries,
  project: string,
  { before, state }: { before: State; state: State },
): Promise<number[] | null> {
  const expected = state.lastChange - before.lastChange;
  if (expected === 0) return [];
  if (expected < 0 || expected > changesMax) return null;
  const rows = await reading
    .selectFrom('file_changes')
    .select('position')
    .where('project', '=', project)
    .where('change', '>', before.lastChange)
    .where('change', '<=', state.lastChange)
    .execute();
  return rows.length === expected ? [...new Set(rows.map(({ position }) => position))] : null;
}

const positionsPerRead = 500; // a query binds this many without trouble

async function findPositions(
  reading: Queries,
  project: string,
  positions: readonly number[],
): Promise<Set<number>> {
  const found = new Set<number>();
  for (let start = 0; start < positions.length; start += positionsPerRead) {
    const some = positions.slice(start, start + positionsPerRead);
    const query = reading.selectFrom('files').select('position').where('project', '=', project);
    for (const { position } of await query.where('position', 'in', some).execute()) found.add(position);
  }
  return found;
}

async function readRows(
  reading: Queries,
  project: string,
  { from, to }: { from: number; to: number },
): Promise<BlockRow[]> {
  return await reading
    .selectFrom('files')
    .select(blockColumns)
    .where('project', '=', project)
    .where('position', '>=', from * bucketPositions)
    .where('position', '<', (to + 1) * bucketPositions)
    .orderBy('position')
    .execute();
}

function buildBlocks(rows: readonly BlockRow[]): Block[] {
  const byBucket = Map.groupBy(rows, ({ position }) => bucketOf(position));
  return [...byBucket].map(([bucket, some]) => buildBlock(bucket, some));
}

export function bucketOf(position: number): number {
  return Math.floor(position / bucketPositions);
}

function countFiles(blocks: ReadonlyMap<number, Block>): number {
  return blocks.values().reduce((sum, { count }) => sum + count, 0);
}
