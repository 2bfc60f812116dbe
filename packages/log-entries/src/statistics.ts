/** Statistics over a time span: the number of entries, or a statistic about a field's values. */
export const logStatistics = ['count', 'unique', 'min', 'max', 'avg', 'sum', 'p50', 'p95', 'p99'] as const;
export type LogStatistic = (typeof logStatistics)[number];
