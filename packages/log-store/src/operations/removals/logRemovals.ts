/** Port to the removal of entries, with the promises of each call. */

/** With null as `days`, a dataset keeps its entries forever. So does a dataset that is not named. */
export type DatasetRetention = { project: string; dataset: string; days: number | null };

/** Aborting the signal leaves the rest for another time, and rejects with the signal's reason. */
type LogExpiry = { nowMs: number; isDryRun: boolean; signal: AbortSignal };

/** Removes entries. Each call resolves once no query finds them any more. */
export interface LogRemovals {
  /** Returns the number of entries. No crash of this node stores any of them again. */
  deleteDataset(target: { project: string; dataset: string }): Promise<number>;
  /** Deletes, or only counts, entries that are older than their dataset keeps them. Returns their number. */
  dropExpired(retentions: readonly DatasetRetention[], expiry: LogExpiry): Promise<number>;
  /** Deletes everything in these projects. Costs little if they are empty. Returns the number of entries. */
  deleteProjects(projects: readonly string[], signal: AbortSignal): Promise<number>;
}
