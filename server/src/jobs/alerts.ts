/** Opens alerting and lists its background jobs, which one of the nodes runs. */

import type { Config } from '../config.ts';
import { givenUpAfterMs } from '../domain/alerting/delivery/attempts.ts';
import { deliver } from '../domain/alerting/delivery/outboxWorker.ts';
import {
  evaluateRules,
  type WatchDeps,
  type WatchProgress,
} from '../domain/alerting/evaluation/evaluator.ts';
import { withLease } from '../domain/operations/leases.ts';
import type { LogArrivals, LogQueries } from '../domain/ports/logQueries.ts';
import type { Notifier } from '../domain/ports/notifier.ts';
import type { Metrics } from '../http/metrics.ts';
import type { OutageLog } from '../outageLog.ts';
import { openNotifier } from '../stores/notifiers/notifiers.ts';
import { forgetHourly } from './cleanup.ts';
import type { Repeated } from './scheduler.ts';

type AlertingDeps = Omit<WatchDeps, 'report' | 'logQueries' | 'arrivals' | 'note'> & {
  metrics: Pick<Metrics, 'showWatching'>;
  arrivals: LogQueries & LogArrivals;
  log: OutageLog;
  repeated: Repeated[];
};

const leaseMs = 12_000; // CONTRACT.md, 10: others go on within a minute; a rule fires within twenty seconds where that is possible
const tryIntervalMs = 1_000;
const othersIntervalMs = 4_000; // between looks whether another node has let go
const keptMs = 30 * 86_400_000; // CONTRACT.md, 10

export function openAlerting(
  { database, outgoingPrivate, mail }: Config,
  { log, repeated, metrics, ...deps }: AlertingDeps,
): { postman: Notifier; arrivals: LogArrivals } {
  const { store, clock, arrivals } = deps;
  const postman = openNotifier({ mayBePrivate: outgoingPrivate, mail, clock });
  const report = (err: unknown) => log.warn({ err }, 'rules could not be looked after; it is tried again');
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
  const note = (noted: WatchProgress | null) => {
    progress = noted;
  };
  metrics.showWatching(() => progress);
  const told = { ...deps, postman, note, report, logQueries: arrivals };
  repeated.push(
    alone('watch rules', signal => evaluateRules(told, signal)),
    alone('deliver', signal => deliver(told, signal)),
    forgetHourly(deps, 'old deliveries', now =>
      store.write(async ({ told, outbox }) => {
        await told.forgetBefore(now - keptMs);
        await outbox.giveUpStranded({ createdBefore: now - givenUpAfterMs, now });
      }),
    ),
  );
  return { postman, arrivals };
}
