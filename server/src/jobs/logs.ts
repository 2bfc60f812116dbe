/** Lists the background jobs for log entries: expiry, backfill and sums by subject. */

import { makeLogBackfill } from '@tapedeck/domain/logs/backfill';
import { dropExpiredLogs, removeLogsOfDeletedProjects } from '@tapedeck/domain/logs/expiry';
import { withLease } from '@tapedeck/domain/operations/leases';
import { makeSubjectSumming } from '@tapedeck/domain/subjects/sumMaintenance';
import { computePauseMs, type Repeated } from './scheduler.ts';

/** `isShared`: several nodes use the same log servers. */
type LogWorkDeps = Parameters<typeof makeLogBackfill>[0] &
  Parameters<typeof dropExpiredLogs>[0] &
  Parameters<typeof makeSubjectSumming>[0];

const expiryIntervalMs = 3_600_000; // retention counts days
const leaseMs = 600_000; // how long a node that died can block others
const backfillIntervalMs = 15_000; // each run continues by itself as long as it can
const summingIntervalMs = 1_000; // only looks at projects in memory, until a round is due

export function listLogJobs(deps: LogWorkDeps): Repeated[] {
  const expire = async (signal: AbortSignal) => {
    await dropExpiredLogs(deps, { now: deps.clock.now(), signal });
    await removeLogsOfDeletedProjects(deps, signal);
  };
  const lease = { name: 'expire logs', leaseMs, restMs: computePauseMs(expiryIntervalMs) };
  const expireAlone = (stopped: AbortSignal) => withLease(deps, { ...lease, signal: stopped }, expire);
  return [
    { name: lease.name, intervalMs: expiryIntervalMs, work: deps.isShared ? expireAlone : expire },
    { name: 'backfill logs', intervalMs: backfillIntervalMs, work: makeLogBackfill(deps) },
    { name: 'sum up subjects', intervalMs: summingIntervalMs, work: makeSubjectSumming(deps) },
  ];
}
