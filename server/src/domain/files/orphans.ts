/**
 * Finds blobs without a record, which an upload or a removal leaves when the process ends in the middle. They are set aside
 * first and deleted a week later, so that a mistake of the service can be undone.
 */
import { dayMs } from '../instants.ts';
import type { BlobEntry, BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import { Setbacks } from './setbacks.ts';

export type OrphanDeps = { files: FileRecords; blobs: BlobStore; clock: Clock };

const youngMs = 3_600_000; // an upload under way has its blob before its record
const quarantineMs = 7 * dayMs; // a week in which somebody may notice
const entriesPerTurn = 500; // one query's worth of ids

/** Sets orphans aside; resolves to their number and their bytes. */
export async function quarantineOrphans(
  deps: OrphanDeps,
  signal: AbortSignal,
): Promise<{ blobs: number; bytes: number }> {
  const found = { blobs: 0, bytes: 0 };
  const oldBefore = deps.clock.now() - youngMs;
  const setbacks = new Setbacks(deps.blobs, 'bytes without a record could not be set aside');
  for await (const { place, fileId, sizeBytes, modifiedAt } of findBlobsWithoutFile(deps, signal)) {
    signal.throwIfAborted();
    // The service never touches files that it did not write.
    if (fileId === null || modifiedAt >= oldBefore) continue;
    if (!(await setbacks.outlast(() => deps.blobs.quarantine(place, deps.clock.now())))) continue;
    found.blobs += 1;
    found.bytes += sizeBytes;
  }
  setbacks.requireNone();
  return found;
}

/**
 * Lists blobs and variants without a record, those of uploads under way included, and foreign files. A deleted file keeps
 * its own until they are removed: set aside, they would outlive its deletion by a week.
 */
export async function* findBlobsWithoutFile(
  { files, blobs }: Pick<OrphanDeps, 'files' | 'blobs'>,
  signal: AbortSignal,
): AsyncGenerator<BlobEntry> {
  for await (const entries of inTurns(blobs.list())) {
    signal.throwIfAborted();
    const ids = entries.flatMap(({ fileId }) => (fileId === null ? [] : [fileId]));
    const known = new Set((await files.findMany([...new Set(ids)])).map(({ id }) => id));
    // Looked up second: what is deleted in between is found here.
    const unknown = [...new Set(ids)].filter(id => !known.has(id));
    for (const id of await files.findRemovals(unknown)) known.add(id);
    for (const entry of entries) {
      if (entry.fileId === null || !known.has(entry.fileId)) yield entry;
    }
  }
}

export async function purgeQuarantine(
  { blobs, clock }: Omit<OrphanDeps, 'files'>,
  signal: AbortSignal,
): Promise<number> {
  const purgedBefore = clock.now() - quarantineMs;
  let purged = 0;
  const setbacks = new Setbacks(blobs, 'bytes that were set aside could not be deleted');
  for await (const { place, fileId, modifiedAt } of blobs.listQuarantine()) {
    signal.throwIfAborted();
    // As above.
    if (fileId === null || modifiedAt >= purgedBefore) continue;
    if (await setbacks.outlast(() => blobs.purge(place))) purged += 1;
  }
  setbacks.requireNone();
  return purged;
}

async function* inTurns(entries: AsyncIterable<BlobEntry>): AsyncGenerator<BlobEntry[]> {
  let turn: BlobEntry[] = [];
  for await (const entry of entries) {
    turn.push(entry);
    if (turn.length < entriesPerTurn) continue;
    yield turn;
    turn = [];
  }
  yield turn;
}
