/** Opens the rate limiter and lists its background jobs. */
import { RateBudgets } from '@tapedeck/concurrency/rate-budgets';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { Config } from '../config.ts';
import { makeRateLimit, type RateLimit, rateWindowMs } from '../http/rateLimit.ts';
import type { OutageLog } from './outageLog.ts';
import type { Repeated } from './scheduler.ts';

type SharedAttributes = { log: OutageLog; clock: Clock; repeated: Repeated[] };

const unusedRatesIntervalMs = 1_000; // other nodes may use them within the same minute

/** Nodes that share the metadata store also share the limits. */
export function openRateLimit(
  { requestsPerMinuteMax, database }: Config,
  store: MetadataStore,
  { log, clock, repeated }: SharedAttributes,
): RateLimit | null {
  if (requestsPerMinuteMax === null) return null;
  const windows = database.kind === 'sqlite' ? null : store.rateWindows;
  const report = (err: unknown) => log.warn({ err }, 'cannot count requests together with other nodes');
  const budgets = new RateBudgets({
    requestsMax: requestsPerMinuteMax,
    windowMs: rateWindowMs,
    clock,
    windows,
    report,
  });
  repeated.push({
    name: 'give back rates',
    intervalMs: unusedRatesIntervalMs,
    work: () => budgets.returnUnused(),
  });
  return makeRateLimit({ requestsPerMinuteMax, budgets, clock });
}
