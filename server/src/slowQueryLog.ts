/** Slow questions about logs, for operators: a line in the log for each, and the metrics of all. */

import { measureQueries, type QueryTime } from './domain/logs/search/queryTimes.ts';
import type { LogArrivals, LogQueries } from './domain/ports/logQueries.ts';
import type { Metrics } from './http/metrics.ts';
import type { OutageLog } from './outageLog.ts';

type Reporting = {
  log: Pick<OutageLog, 'warn'>;
  metrics: Pick<Metrics, 'noteQuery'>;
  slowMs: number;
};

/** The same questions, whose times are reported. */
export function reportSlowQueries(
  queries: LogQueries & LogArrivals,
  { log, metrics, slowMs }: Reporting,
): LogQueries & LogArrivals {
  const note = (time: QueryTime) => {
    metrics.noteQuery(time);
    const { isSlow, project, kind, tookMs } = time;
    if (isSlow) log.warn({ project, kind, tookMs: Math.round(tookMs) }, 'a question about logs was slow');
  };
  return measureQueries(queries, { slowMs, note });
}
