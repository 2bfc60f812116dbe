/**
 * Finds blobs without a record, which an upload or a removal leaves when the process ends in the middle. They are set aside
 * first and deleted a week later, so that a mistake of the service can be undone.
 */
import type { BlobEntry, BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';

export type OrphanDeps = { files: FileRecords; blobs: BlobStore; clock: Clock };

const youngMs = 3_600_000; // an upload under way has its blob before its record
const quarantineMs = 7 * 86_400_000; // a week in which somebody may notice
const entriesPerTurn = 500; // one query's worth of ids

/** Sets orphans aside; resolves to their number and their bytes. */
export async function quarantineOrphans(deps: OrphanDeps): Promise<{ blobs: number; bytes: number }> {
  const found = { blobs: 0, bytes: 0 };
  const oldBefore = deps.clock.now() - youngMs;
  for await (const { place, fileId, sizeBytes, modifiedAt } of findBlobsWithoutFile(deps)) {
    // The service never touches files that it did not write.
    if (fileId === null || modifiedAt >= oldBefore) continue;
    if (!(await deps.blobs.quarantine(place, deps.clock.now()))) continue;
    found.blobs += 1;
    found.bytes += sizeBytes;
  }
  return found;
}

/** Lists blobs and variants without a record, those of uploads under way included, and foreign files. */
export async function* findBlobsWithoutFile({
  files,
  blobs,
}: Pick<OrphanDeps, 'files' | 'blobs'>): AsyncGenerator<BlobEntry> {
  for await (const entries of inTurns(blobs.list())) {
    const ids = entries.flatMap(({ fileId }) => (fileId === null ? [] : [fileId]));
    const known = new Set((await files.findMany([...new Set(ids)])).map(({ id }) => id));
    for (const entry of entries) {
      if (entry.fileId === null || !known.has(entry.fileId)) yield entry;
    }
  }
}

export async function purgeQuarantine({ blobs, clock }: Omit<OrphanDeps, 'files'>): Promise<number> {
  const purgedBefore = clock.now() - quarantineMs;
  let purged = 0;
  for await (const { place, modifiedAt } of blobs.listQuarantine()) {
    if (modifiedAt < purgedBefore && (await blobs.purge(place))) purged += 1;
  }
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
