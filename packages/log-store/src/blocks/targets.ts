/** The destination of a batch: project, dataset and retention. */
export type LogTarget = { project: string; dataset: string };

/** With the days that the dataset keeps its entries for at present; null: for ever. Those of one span expire together. */
export type BatchTarget = LogTarget & { retentionDays: number | null };
