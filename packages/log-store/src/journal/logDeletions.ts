/** Port to recorded deletions of entries, for nodes that still hold some of them. */

/** A dataset, or with null all of the project. */
export type DeletedPlace = { project: string; dataset: string | null };

/** Everything in the place that was acknowledged until then goes, at whichever node it waits. */
export type LogDeletion = DeletedPlace & {
  /** Unix milliseconds, by the clock of the database, which is one for all nodes. */
  deletedAt: number;
};

export interface LogDeletions {
  /** Records a deletion of everything acknowledged so far. */
  record(place: DeletedPlace): Promise<void>;
  /** Each place's last one, of those that were recorded then or later. */
  listSince(deletedAt: number): Promise<LogDeletion[]>;
  /** Unix milliseconds, by the clock of the database. */
  readClock(): Promise<number>;
}
