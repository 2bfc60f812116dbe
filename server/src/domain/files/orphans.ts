/**
 * Finds blobs without a record, left behind when the process ends during an upload or a deletion. They are set aside first and deleted
 * a week later, so that a mistake can be undone.
 */
import { dayMs } from '../instants.ts';
import type { BlobEntry, BlobPlace, BlobStore } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords } from '../ports/files.ts';
import { nameBlob } from './naming.ts';
import { PartialFailures } from './partialFailures.ts';

export type OrphanDeps = { files: FileRecords; blobs: BlobStore; clock: Clock };

/** Blobs in listed order. */
type BlobTurn = {
  /** The last place; another listing continues from here. */
  last: BlobPlace;
  /** How many of them this service wrote. */
  seen: number;
  /** Blobs without a record, including those of uploads in progress, and foreign files. */
  withoutFile: BlobEntry[];
};

const youngMs = 3_600_000; // an upload under way has its blob before its record
const quarantineMs = 7 * dayMs; // a week in which somebody may notice
const entriesPerTurn = 500; // one query's worth of ids

/** The service never touches files that it did not write. */
export function isOrphan({ fileId, modifiedAt }: BlobEntry, now: number): boolean {
  return fileId !== null && modifiedAt < now - youngMs;
}

/** Tells of all blobs, or of those behind a place, by turns. */
export async function* lookThroughBlobs(
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
 * A deleted file keeps its own blobs until they are removed: set aside, they would outlive its deletion by a week. Bytes at a
 * place that their file has left are without a record.
 */
async function findKnown(
  { files, blobs }: Pick<OrphanDeps, 'files' | 'blobs'>,
  entries: readonly BlobEntry[],
): Promise<(entry: BlobEntry) => boolean> {
  const ids = [...new Set(entries.flatMap(({ fileId }) => (fileId === null ? [] : [fileId])))];
  const recorded = new Map((await files.findMany(ids)).map(file => [file.id, file]));
  // Looked up second: what is deleted in between is found here.
  const removed = new Set(await files.findRemovals(ids.filter(id => !recorded.has(id))));
  return ({ place, fileId }) => {
    if (fileId === null) return false;
    const file = recorded.get(fileId);
    return file === undefined ? removed.has(fileId) : blobs.isPlaceOf(place, nameBlob(file));
  };
}

/**
 * Deletes what was set aside a week ago. What has a record, for the database was another one when it was set aside, comes
 * back instead.
 */
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
