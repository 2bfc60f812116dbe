/** Opens alerting and lists its background jobs, which a single node runs. */

import {
  deliver,
  evaluateRules,
  type Facts,
  type Notifier,
  removeOld,
  type WatchProgress,
} from '@tapedeck/alerting';
import { openFacts } from '@tapedeck/domain/alerting/facts';
import { withLease } from '@tapedeck/domain/operations/leases';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import type { LogArrivals, LogQueries } from '@tapedeck/domain/ports/logQueries';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { SdkSessions } from '@tapedeck/domain/ports/sdkSessions';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics.ts';
import { openNotifier } from '../stores/notifiers/notifiers.ts';
import { forgetHourly } from './cleanup.ts';
import type { OutageLog } from './outageLog.ts';
import type { Repeated } from './scheduler.ts';

type AlertingDeps = {
  store: MetadataStore;
  clock: Clock;
  address: { publicUrl: string };
  sdkSessions: SdkSessions;
  files: FileRecords;
  metrics: Pick<Metrics, 'showWatching'>;
  arrivals: LogQueries & LogArrivals;
  log: OutageLog;
  repeated: Repeated[];
};

const leaseMs = 12_000; // CONTRACT.md, 10: another node takes over within a minute, and a rule fires within twenty seconds if possible
const tryIntervalMs = 1_000;
const othersIntervalMs = 4_000; // how often to check whether another node has released the lease

export function openAlerting(
  { database, outgoingPrivate, mail }: Config,
  { log, repeated, metrics, ...deps }: AlertingDeps,
): { notifier: Notifier; arrivals: LogArrivals; facts: Facts } {
  const { store, clock, arrivals } = deps;
  const notifier = openNotifier({ mayBePrivate: outgoingPrivate, mail, clock });
  const report = (err: unknown) => log.warn({ err }, 'could not evaluate alert rules; trying again');
  const isShared = database.kind === 'postgres';
  const alone = (name: string, work: (signal: AbortSignal) => Promise<void>): Repeated => {
    if (!isShared) return { name, intervalMs: tryIntervalMs, work };
    let triedAt = Number.NEGATIVE_INFINITY;
    return {
      name,
      intervalMs: tryIntervalMs,
      work: async signal => {
        if (performance.now() - triedAt < othersIntervalMs) return;
        const isDone = await withLease(deps, { name, leaseMs, signal }, work);
        triedAt = isDone ? Number.NEGATIVE_INFINITY : performance.now();
      },
    };
  };
  let progress: WatchProgress | null = null;
  const showProgress = (next: WatchProgress | null) => {
    progress = next;
  };
  metrics.showWatching(() => progress);
  const facts = openFacts(deps);
  const alertingDeps = { ...deps, notifier, facts, showProgress, report, logQueries: arrivals };
  repeated.push(
    alone('watch rules', signal => evaluateRules(alertingDeps, signal)),
    alone('deliver', signal => deliver(alertingDeps, signal)),
    forgetHourly(deps, 'old deliveries', now => removeOld(store, now)),
  );
  return { notifier, arrivals, facts };
}
