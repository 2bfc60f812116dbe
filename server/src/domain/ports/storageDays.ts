/** Port to the daily storage records of projects. */
import type { StorageKind } from '../../vocabulary.ts';

/** Bytes. */
export type StoredBytes = Readonly<Record<StorageKind, number>>;

export type StorageDay = StoredBytes & {
  project: string;
  /** Since 1970-01-01, in UTC. */
  day: number;
  /** When it was looked at. */
  at: number;
};

export interface StorageDays {
  /** The first note for a day and project counts. */
  note(day: StorageDay): Promise<void>;
  /** Lists days from this one on, oldest first; of one project, or of all with null. */
  list(query: { project: string | null; fromDay: number }): Promise<StorageDay[]>;
  removeBefore(day: number): Promise<void>;
}
