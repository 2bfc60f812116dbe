/** The destination of a batch: project, dataset and retention. */
export type LogTarget = { project: string; dataset: string };

/** Adds the days that the dataset keeps its entries now; null means forever. Entries of equal retention expire together. */
export type BatchTarget = LogTarget & { retentionDays: number | null };
