/** What is done about rows of the database that nobody reads any more. */
import type { Repeated } from './backgroundWork.ts';
import type { ManagementDeps } from './domain/management.ts';
import { quietSessionsMs } from './domain/sdkSessions.ts';
import { forgetStaleSignIns } from './domain/staleSignIns.ts';
import { rateWindowMs } from './http/rateLimit.ts';

export const staleRowsIntervalMs = 3_600_000; // what they take up is small

export function listStaleRowsWork(management: ManagementDeps): Repeated[] {
  const { store, clock } = management;
  return [
    { intervalMs: staleRowsIntervalMs, work: () => forgetStaleSignIns(management) },
    {
      intervalMs: staleRowsIntervalMs,
      work: () => store.sdkSessions.removeExpired(clock.now() - quietSessionsMs),
    },
    {
      intervalMs: staleRowsIntervalMs,
      work: () => store.rateWindows.removeEnded(clock.now() - rateWindowMs),
    },
  ];
}
