/** Metrics of log queries: durations by kind, and slow queries by project. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { QueryTime } from '../domain/logs/search/queryTimes.ts';

/** Upper bounds in seconds, from a look-up to the time limit. */
const durationBuckets = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

export function addQueryMetrics(registry: Registry): (time: QueryTime) => void {
  const durations = new Histogram({
    name: 'tapedeck_log_query_duration_seconds',
    help: 'Time to the answer of a question about logs, waiting in line included; of an export to its first entries.',
    labelNames: ['kind'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const slow = new Counter({
    name: 'tapedeck_slow_log_queries_total',
    help: 'Questions about logs that took longer than TAPEDECK_SLOW_QUERY_SECONDS.',
    labelNames: ['project', 'kind'],
    registers: [registry],
  });
  return ({ project, kind, tookMs, isSlow }) => {
    durations.labels(kind).observe(tookMs / 1000);
    if (isSlow) slow.labels(project, kind).inc();
  };
}
