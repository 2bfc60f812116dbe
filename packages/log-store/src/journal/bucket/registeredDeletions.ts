/** Finds deletions for a segment that still waits in the bucket. Both times are by the database's clock. */

import type { Segment } from '../journal.ts';
import type { LogDeletions } from '../logDeletions.ts';
import type { PendingDeletion } from '../pendingDeletions.ts';

export function findRegisteredDeletions(deletions: LogDeletions) {
  return async ({ extents: { writtenAts } }: Segment): Promise<PendingDeletion[]> => {
    const first = writtenAts.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
    if (first === Number.POSITIVE_INFINITY) return [];
    const since = await deletions.listSince(first);
    // Entries acknowledged before a deletion was sent were registered before it was recorded.
    return since.map(deletion => ({ ...deletion, writtenUntil: deletion.deletedAt }));
  };
}
