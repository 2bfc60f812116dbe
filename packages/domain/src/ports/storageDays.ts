/** Port to the daily storage records of projects. */
import type { StorageKind } from '../vocabulary.ts';

/** Bytes. */
export type StoredBytes = Readonly<Record<StorageKind, number>>;

export type StorageDay = StoredBytes & {
  project: string;
  /** Since 1970-01-01, in UTC. */
  day: number;
  /** When it was measured. */
  at: number;
};

export interface StorageDays {
  /** Keeps the first note for each day and project; ignores later ones. */
  note(day: StorageDay): Promise<void>;
  /** Lists days from this one on, oldest first; null lists all projects. */
  list(query: { project: string | null; fromDay: number }): Promise<StorageDay[]>;
  removeBefore(day: number): Promise<void>;
}
