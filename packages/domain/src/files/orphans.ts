/**
 * Finds blobs without a record, left behind when the process ends during an upload or a deletion. Quarantines them first and deletes them a
 * week later, so that a mistake can be undone.
 */
import { dayMs } from '../instants.ts';
import type { BlobEntry, BlobPlace, BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import { nameBlob } from './naming.ts';
import { PartialFailures } from './partialFailures.ts';

export type OrphanDeps = { files: FileRecords; blobs: BlobStore; clock: Clock };

/** A batch of blobs, in listed order. */
type BlobTurn = {
  /** The last place; the next listing continues here. */
  last: BlobPlace;
  /** How many of the blobs this service wrote. */
  seen: number;
  /** Blobs without a record, including those of uploads in progress, and foreign files. */
  withoutFile: BlobEntry[];
};

const youngMs = 3_600_000; // an upload stores its blob before its record
const quarantineMs = 7 * dayMs; // a week to notice a mistake
const entriesPerTurn = 500; // one query's worth of ids

/** Never true for files that the service did not write. */
export function isOrphan({ fileId, modifiedAt }: BlobEntry, now: number): boolean {
  return fileId !== null && modifiedAt < now - youngMs;
}

/** Yields all blobs, or those after a place, in batches. */
export async function* listBlobs(
  { files, blobs }: Pick<OrphanDeps, 'files' | 'blobs'>,
  signal: AbortSignal,
  after: BlobPlace | null = null,
): AsyncGenerator<BlobTurn> {
  for await (const entries of inTurns(blobs.list(after))) {
    signal.throwIfAborted();
    const ours = entries.filter(({ fileId }) => fileId !== null);
    const isKnown = await findKnown({ files, blobs }, ours);
    const withoutFile = entries.filter(entry => !isKnown(entry));
    yield { last: entries.at(-1)!.place, seen: ours.length, withoutFile };
  }
}

/**
 * Treats blobs of deleted files as known until their removal: in quarantine they would outlive their file by a week. Bytes at a place that
 * their file has left have no record.
 */
async function findKnown(
  { files, blobs }: Pick<OrphanDeps, 'files' | 'blobs'>,
  entries: readonly BlobEntry[],
): Promise<(entry: BlobEntry) => boolean> {
  const ids = [...new Set(entries.flatMap(({ fileId }) => (fileId === null ? [] : [fileId])))];
  const recorded = new Map((await files.findMany(ids)).map(file => [file.id, file]));
  // Looked up second, to find files that are deleted in between.
  const removed = new Set(await files.findRemovals(ids.filter(id => !recorded.has(id))));
  return ({ place, fileId }) => {
    if (fileId === null) return false;
    const file = recorded.get(fileId);
    return file === undefined ? removed.has(fileId) : blobs.isPlaceOf(place, nameBlob(file));
  };
}

/** Deletes blobs quarantined a week ago. Restores those that have a record by now, for example because the database was replaced. */
export async function purgeQuarantine(
  { files, blobs, clock }: OrphanDeps,
  signal: AbortSignal,
): Promise<number> {
  const purgedBefore = clock.now() - quarantineMs;
  let purged = 0;
  const failures = new PartialFailures(
    blobs,
    'bytes that were set aside could not be deleted or brought back',
  );
  for await (const entries of inTurns(blobs.listQuarantine())) {
    const ours = entries.filter(({ fileId }) => fileId !== null);
    const isKnown = await findKnown({ files, blobs }, ours);
    for (const entry of ours) {
      signal.throwIfAborted();
      const { place, modifiedAt } = entry;
      if (isKnown(entry)) await failures.attempt(() => blobs.restore(place));
      else if (modifiedAt < purgedBefore && (await failures.attempt(() => blobs.purge(place)))) purged += 1;
    }
  }
  failures.throwIfAny();
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
  if (turn.length > 0) yield turn;
}
