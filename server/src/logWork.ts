/** What is done about log entries beside the requests: those whose time has come go, and older ones are completed. */
import type { Repeated } from './backgroundWork.ts';
import { makeLogBackfill } from './domain/logs/backfill.ts';
import { dropExpiredLogs, removeLogsOfDeletedProjects } from './domain/logs/expiry.ts';

type LogWorkDeps = Parameters<typeof makeLogBackfill>[0] & Parameters<typeof dropExpiredLogs>[0];

const expiryIntervalMs = 3_600_000; // days are the unit
const backfillIntervalMs = 15_000; // it goes on by itself as long as it can

export function listLogWork(deps: LogWorkDeps): Repeated[] {
  const dropExpired = (signal: AbortSignal) => dropExpiredLogs(deps, { now: deps.clock.now(), signal });
  return [
    { intervalMs: expiryIntervalMs, work: dropExpired },
    { intervalMs: expiryIntervalMs, work: signal => removeLogsOfDeletedProjects(deps, signal) },
    { intervalMs: backfillIntervalMs, work: makeLogBackfill(deps) },
  ];
}
