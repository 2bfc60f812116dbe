/** Background jobs for log entries: expiry, backfill and sums by subject. */

import { makeLogBackfill } from '../domain/logs/backfill.ts';
import { dropExpiredLogs, removeLogsOfDeletedProjects } from '../domain/logs/expiry.ts';
import { withLease } from '../domain/operations/leases.ts';
import { makeSubjectSumming } from '../domain/subjects/summing.ts';
import { type Repeated, restAfter } from './scheduler.ts';

/** `isShared`: several nodes use the servers that hold the entries. */
type LogWorkDeps = Parameters<typeof makeLogBackfill>[0] &
  Parameters<typeof dropExpiredLogs>[0] &
  Parameters<typeof makeSubjectSumming>[0];

const expiryIntervalMs = 3_600_000; // days are the unit
const leaseMs = 600_000; // a node that died holds others up no longer than this
const backfillIntervalMs = 15_000; // it goes on by itself as long as it can
const summingIntervalMs = 1_000; // a look at projects in memory, until a round is due

export function listLogJobs(deps: LogWorkDeps): Repeated[] {
  const expire = async (signal: AbortSignal) => {
    await dropExpiredLogs(deps, { now: deps.clock.now(), signal });
    await removeLogsOfDeletedProjects(deps, signal);
  };
  const lease = { name: 'expire logs', leaseMs, restMs: restAfter(expiryIntervalMs) };
  const expireAlone = (stopped: AbortSignal) => withLease(deps, { ...lease, signal: stopped }, expire);
  return [
    { name: lease.name, intervalMs: expiryIntervalMs, work: deps.isShared ? expireAlone : expire },
    { name: 'backfill logs', intervalMs: backfillIntervalMs, work: makeLogBackfill(deps) },
    { name: 'sum up subjects', intervalMs: summingIntervalMs, work: makeSubjectSumming(deps) },
  ];
}
