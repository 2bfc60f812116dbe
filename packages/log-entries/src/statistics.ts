/** What can be told of the entries in a span of time: how many, or something about the values of a field. */
export const logStatistics = ['count', 'unique', 'min', 'max', 'avg', 'sum', 'p50', 'p95', 'p99'] as const;
export type LogStatistic = (typeof logStatistics)[number];
