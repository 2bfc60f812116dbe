/** Checks that a blob store belongs to this installation, by its owner id or, without one, by its records. */
import { predatesOwnership, requireOwnStore } from '../operations/installation.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { isTooMuch } from './blobSweep.ts';
import { listBlobs, type OrphanDeps } from './orphans.ts';
import type { Sweeper } from './sweeping.ts';

type Deps = Pick<OrphanDeps, 'files' | 'blobs'> & {
  store: Pick<MetadataStore, 'read'>;
  installationId: string;
};

const turnsMax = 2; // so that a start does not list the whole bucket

/**
 * Marks the store as this installation's if it is empty or holds blobs of its files. Throws if it belongs to another installation, or if nobody knows
 * its blobs.
 */
export function requireOwnBlobs(deps: Deps): Promise<void> {
  return requireOwnStore(deps.blobs, deps.installationId, () => areKnown(deps));
}

/** Makes sweeps check first whose blobs these are, in case the store was away at the start. */
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

/** A few blobs without a record matter only if no blob has one. */
async function areKnown(deps: Deps): Promise<boolean> {
  let seen = 0;
  let unknown = 0;
  let turns = 0;
  for await (const turn of listBlobs(deps, new AbortController().signal)) {
    seen += turn.seen;
    unknown += turn.withoutFile.filter(({ fileId }) => fileId !== null).length;
    turns += 1;
    if (turns >= turnsMax) break;
  }
  if (isTooMuch(unknown, seen)) return false;
  return unknown === 0 || unknown < seen || (await predatesOwnership(deps));
}
