/** Runs the periodic sweeps of files, on the node that holds the lease. */
import type { ResumableUploads } from '@tapedeck/resumable-uploads';
import { withLease } from '../operations/leases.ts';
import type { PresignedUses } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { finishMoves, type RelocationSweepDeps, sweepRelocations } from './blobRelocation.ts';
import { type BlobSweepDeps, sweepBlobs } from './blobSweep.ts';
import { type ExpiryDeps, removeExpiredFiles, removeFilesOfDeletedProjects } from './expiry.ts';
import { finishRemovals } from './removal.ts';

export type SweepDeps = ExpiryDeps &
  RelocationSweepDeps &
  BlobSweepDeps & {
    store: MetadataStore;
    presignedUses: PresignedUses;
    resumable: Pick<ResumableUploads, 'sweepExpired' | 'sweepLeftovers'>;
    /** How long other nodes skip a finished sweep; absent: there is one node. */
    restMs?: Readonly<Record<'often' | 'daily', number>> | undefined;
  };

/** Each method ends soon after its signal is aborted. */
export type Sweeper = {
  /** Finishes deletions; runs on every node. Quick, unless the blob store is unreachable. */
  finishDeletions(signal: AbortSignal): Promise<void>;
  /** Runs the frequent sweeps. */
  sweepOften(signal: AbortSignal): Promise<void>;
  /** Sweeps the whole blob store, unless a node did so less than a day ago. Resumes an interrupted sweep. */
  sweepDaily(signal: AbortSignal): Promise<void>;
};

const leaseMs = 10 * 60_000; // a dead node blocks the others no longer than this

export function makeSweeper(deps: SweepDeps): Sweeper {
  const lease = (sweep: 'often' | 'daily') => ({ leaseMs, restMs: deps.restMs?.[sweep] });
  return {
    finishDeletions: signal =>
      doEach(signal, [
        () => deps.reserve.refill(),
        () => finishRemovals(deps, signal),
        () => finishMoves(deps, signal),
      ]),
    sweepOften: async stopped => {
      await withLease(deps, { ...lease('often'), name: 'sweep files', signal: stopped }, signal =>
        doEach(signal, [
          () => sweepRelocations(deps, { isForced: false, signal }),
          () => removeExpiredFiles(deps, { now: deps.clock.now(), dryRun: false, signal }),
          () => removeFilesOfDeletedProjects(deps, signal),
          () => deps.files.pruneChanges(),
          () => deps.presignedUses.forgetExpired(deps.clock.now()),
          () => deps.resumable.sweepExpired(signal),
        ]),
      );
    },
    sweepDaily: async stopped => {
      await withLease(deps, { ...lease('daily'), name: 'sweep blobs', signal: stopped }, signal =>
        doEach(signal, [
          () => sweepRelocations(deps, { isForced: true, signal }),
          () => sweepBlobs(deps, signal),
          () => deps.resumable.sweepLeftovers(signal),
        ]),
      );
    },
  };
}

/** Runs the steps in order. Failures do not stop the others; it reports them at the end. */
async function doEach(signal: AbortSignal, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    if (signal.aborted) break;
    await step().catch(error => failures.push(error));
  }
  const reported = failures.filter(error => error !== signal.reason);
  if (reported.length > 1) throw new AggregateError(reported, 'Several steps of a sweep failed.');
  if (reported.length > 0) throw reported[0];
}
