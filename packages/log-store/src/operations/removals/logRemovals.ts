/** Port to the removal of entries, and what each call promises. */

/** null as `days` keeps for ever. A dataset that is not named keeps for ever. */
export type DatasetRetention = { project: string; dataset: string; days: number | null };

/** An aborted signal leaves the rest for another time, and rejects with the signal's reason. */
type LogExpiry = { nowMs: number; isDryRun: boolean; signal: AbortSignal };

/** How entries go. Each call resolves once no query finds them any more. */
export interface LogRemovals {
  /** Returns how many entries there were. No crash of this node stores any of them again. */
  deleteDataset(target: { project: string; dataset: string }): Promise<number>;
  /** Deletes what is older than its dataset keeps it, or only counts it. Returns how many entries that is. */
  dropExpired(retentions: readonly DatasetRetention[], expiry: LogExpiry): Promise<number>;
  /** Deletes everything in these projects. Costs little where nothing is. Returns how many entries there were. */
  deleteProjects(projects: readonly string[], signal: AbortSignal): Promise<number>;
}
