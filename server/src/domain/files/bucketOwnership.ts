/** Checks that a blob store belongs to this installation, by its owner id or, before it has one, by its records. */
import { predatesOwnership, requireOwnStore } from '../operations/installation.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { isTooMuch } from './blobSweep.ts';
import { lookThroughBlobs, type OrphanDeps } from './orphans.ts';
import type { Sweeper } from './sweeping.ts';

type Deps = Pick<OrphanDeps, 'files' | 'blobs'> & {
  store: Pick<MetadataStore, 'read'>;
  installationId: string;
};

const turnsMax = 2; // a start does not list a whole bucket

/** Marks a store that is new, empty, or known to the records; throws where it is another installation's, or nobody knows. */
export function requireOwnBlobs(deps: Deps): Promise<void> {
  return requireOwnStore(deps.blobs, deps.installationId, () => areKnown(deps));
}

/** Nothing is deleted before it is known whose the blobs are, which a store that was away at the start has not told yet. */
export function guardSweeper(sweeper: Sweeper, deps: Deps, isKnown: boolean): Sweeper {
  let isOwn = isKnown;
  const guard = (sweep: (signal: AbortSignal) => Promise<void>) => async (signal: AbortSignal) => {
    if (!isOwn) await requireOwnBlobs(deps);
    isOwn = true;
    await sweep(signal);
  };
  return {
    finishDeletions: guard(sweeper.finishDeletions),
    sweepOften: guard(sweeper.sweepOften),
    sweepDaily: guard(sweeper.sweepDaily),
  };
}

/** A few blobs without a record speak of a mistake only where none has one. */
async function areKnown(deps: Deps): Promise<boolean> {
  let seen = 0;
  let unknown = 0;
  let turns = 0;
  for await (const turn of lookThroughBlobs(deps, new AbortController().signal)) {
    seen += turn.seen;
    unknown += turn.withoutFile.filter(({ fileId }) => fileId !== null).length;
    turns += 1;
    if (turns >= turnsMax) break;
  }
  if (isTooMuch(unknown, seen)) return false;
  return unknown === 0 || unknown < seen || (await predatesOwnership(deps));
}
