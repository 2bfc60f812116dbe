/** Deletes outdated database rows every hour, on a single node. */

import { rememberedMs } from '@tapedeck/domain/files/folderMoves';
import { deleteStaleSignIns } from '@tapedeck/domain/identity/staleSignIns';
import { withLease } from '@tapedeck/domain/operations/leases';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { quietSessionsMs } from '@tapedeck/domain/projects/sdkSessions';
import { rateWindowMs } from '../http/rateLimit.ts';
import { computePauseMs, type Repeated } from './scheduler.ts';

type Forgetting = Pick<ManagementDeps, 'store' | 'clock'>;

const intervalMs = 3_600_000; // expired rows take little space
const leaseMs = 60_000; // a node that dies meanwhile blocks no other

/** The lease costs a node with its own database at most two rows an hour. */
export function forgetHourly(
  deps: Forgetting,
  rows: string,
  forget: (now: number) => Promise<unknown>,
): Repeated {
  const lease = { name: `forget ${rows}`, leaseMs, restMs: computePauseMs(intervalMs) };
  const work = async () => {
    await forget(deps.clock.now());
  };
  return { name: lease.name, intervalMs, work: signal => withLease(deps, { ...lease, signal }, work) };
}

export function listCleanupJobs(deps: Forgetting): Repeated[] {
  const { files, sdkSessions, rateWindows } = deps.store;
  return [
    forgetHourly(deps, 'stale rows', async now => {
      await deleteStaleSignIns(deps);
      await sdkSessions.removeExpired(now - quietSessionsMs);
      await rateWindows.removeEnded(now - rateWindowMs);
      await files.removeUploadKeys(now);
      await deps.store.write(({ folderMoves }) => folderMoves.forgetEnded(now - rememberedMs));
    }),
  ];
}
