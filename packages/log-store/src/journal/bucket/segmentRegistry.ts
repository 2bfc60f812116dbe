/**
 * Port to the rows of waiting segments, in a database that all nodes share. An object counts once its row exists, and until
 * its entries are in ClickHouse. Times are Unix milliseconds by the database's clock unless stated otherwise.
 */
import type { KeyRecord } from '../journal.ts';

export type NewSegment = {
  /** Name of its object, never reused. Begins with a time, and sorts by it. */
  name: string;
  /** The mark of the shard that it should go to, if that shard is up. */
  shard: string;
  rows: number;
  /** Uncompressed bytes: an import holds them in memory. */
  bytes: number;
  /** True if a batch in it spans several days, and so perhaps several partitions. */
  isSpread: boolean;
};

/** Segments that go into one shard in one insert. */
type SegmentImport = {
  name: string;
  /** The import must not begin later, by the clock of the shard. */
  until: number;
};

export type WaitingSegment = NewSegment & {
  /** A time before any request was answered. */
  registeredAt: number;
  /** True if a query waits for it. */
  isWanted: boolean;
  /** null if it may go to any shard. */
  import: SegmentImport | null;
};

/** A node that accepts entries and whose lease has ended. It may have kept registrations as notes in the bucket. */
export type SilentWriter = {
  id: string;
  leasedUntil: number;
  /** The number of its notes that were taken over. */
  notes: number;
};

export type RegistryLook = {
  now: number;
  segments: readonly WaitingSegment[];
  silent: readonly SilentWriter[];
};

type RegistryMeasures = {
  segments: number;
  rows: number;
  bytes: number;
  oldestMs: number | null;
  /** Segments that were set aside. */
  damaged: number;
};

export type NotedSegment = NewSegment & { registeredAt: number };

export interface SegmentRegistry {
  /**
   * Resolves to true once the segment counts and its keys are taken, and both survive power cuts. Resolves to false if it
   * never will: it is later than `until`, or another request took one of the keys. Repeating the call changes nothing. After
   * a rejection it may or may not count.
   */
  register(segment: NewSegment, options: { until: number; keys: readonly KeyRecord[] }): Promise<boolean>;
  /** Returns the oldest waiting segments, up to the limit, and all writers whose lease has ended. */
  look(limit: number): Promise<RegistryLook>;
  /** Returns how much waits, and since when (null if nothing does). Also rejects when the registry is read-only. */
  measure(): Promise<RegistryMeasures>;
  want(names: readonly string[]): Promise<void>;
  /** Binds unbound segments to a shard and an import. Binds all and returns true, or binds none. */
  begin(started: SegmentImport & { shard: string }, names: readonly string[]): Promise<boolean>;
  /** Lets the import begin later than before. Returns false if another node already did. */
  extend(started: SegmentImport, until: number): Promise<boolean>;
  /** Records that the import's segments are in ClickHouse. */
  end(importName: string): Promise<void>;
  /** Frees segments bound to shards other than these. Returns how many it freed, or would free. */
  release(bound: { except: readonly string[]; isDryRun: boolean }): Promise<number>;
  /** Marks a damaged segment, so that nothing waits for it any more. */
  setAside(name: string): Promise<void>;
  /** Returns those of the given names whose objects are still needed. */
  listNeeded(names: readonly string[]): Promise<string[]>;
  /** Forgets segments whose import ended before that time. */
  forgetEnded(before: number): Promise<void>;
  /** Returns true if the holder alone may import into the shard for that time: the lane was free, or already the holder's. */
  holdLane(shard: string, holder: string, forMs: number): Promise<boolean>;
  releaseLane(shard: string, holder: string): Promise<void>;
  /** Also rejects when the registry is read-only. */
  readClock(): Promise<number>;
  /** Adds a writer with a lease. None of its notes was taken over. */
  openWriter(id: string, until: number): Promise<void>;
  /** Gives the writer a lease, unless it is unknown, or the number of notes it began differs from the number taken over. */
  holdWriter(lease: { id: string; until: number; notes: number }): Promise<{ isHeld: boolean; now: number }>;
  /** Returns null if the registry does not know the writer. */
  findWriter(id: string): Promise<SilentWriter | null>;
  listWriters(): Promise<SilentWriter[]>;
  /** Forgets the writer if its notes and lease are as described; null fits any lease. */
  closeWriter(writer: { id: string; notes: number; leasedUntil: number | null }): Promise<void>;
  /** Registers the segments in the writer's notes `from` until before `to`. Returns false if another node already did. */
  registerNotes(
    range: { writer: string; from: number; to: number },
    segments: readonly NotedSegment[],
  ): Promise<boolean>;
}
