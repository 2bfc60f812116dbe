/** The rounds that keep files tidy. One node of many makes them, whichever holds the lease. */
import { newId } from '../ids.ts';
import type { PresignedUses } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { type ExpiryDeps, removeExpiredFiles, removeFilesOfDeletedProjects } from './expiry.ts';
import { purgeQuarantine, quarantineOrphans } from './orphans.ts';
import { finishRemovals } from './removal.ts';

export type SweepDeps = ExpiryDeps & { store: MetadataStore; presignedUses: PresignedUses };
export type Sweeper = { sweepOften(): Promise<void>; sweepDaily(): Promise<void> };

const leaseMs = 10 * 60_000; // a node that died holds others up no longer than this
const holder = newId();

/** `sweepOften` looks at what is due; `sweepDaily` lists the whole blob store. */
export function makeSweeper(deps: SweepDeps): Sweeper {
  return {
    sweepOften: async () => {
      await finishRemovals(deps);
      await deps.reserve.refill();
      await withLease(deps, 'sweep files', async () => {
        await removeExpiredFiles(deps, { now: deps.clock.now(), dryRun: false });
        await removeFilesOfDeletedProjects(deps);
        await deps.presignedUses.forgetExpired(deps.clock.now());
      });
    },
    sweepDaily: () =>
      withLease(deps, 'sweep blobs', async () => {
        await quarantineOrphans(deps);
        await purgeQuarantine(deps);
      }),
  };
}

async function withLease(
  { store, clock }: SweepDeps,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const now = clock.now();
  const lease = { name, holder, expiresAt: now + leaseMs };
  if (!(await store.write(records => records.leases.acquire(lease, now)))) return;
  try {
    await work();
  } finally {
    await store.write(records => records.leases.release(name, holder));
  }
}
