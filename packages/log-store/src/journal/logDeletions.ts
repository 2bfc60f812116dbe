/** Port to recorded deletions of entries, for nodes that still hold some of them. */

/** A dataset, or the whole project if `dataset` is null. */
export type DeletedPlace = { project: string; dataset: string | null };

/** Deletes everything in the place that was acknowledged until then, on whichever node it waits. */
export type LogDeletion = DeletedPlace & {
  /** Unix milliseconds by the database's clock, which all nodes share. */
  deletedAt: number;
};

export interface LogDeletions {
  /** Records a deletion of everything acknowledged so far. */
  record(place: DeletedPlace): Promise<void>;
  /** Lists the last deletion of each place, among those recorded then or later. */
  listSince(deletedAt: number): Promise<LogDeletion[]>;
  /** Unix milliseconds by the database's clock. */
  readClock(): Promise<number>;
}
