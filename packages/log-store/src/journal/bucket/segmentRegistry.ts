/**
 * The segments that wait in the bucket, as rows of a database that all nodes share. An object counts once its row exists, and until its
 * entries are in ClickHouse. Times are Unix milliseconds by the database's clock unless stated otherwise.
 */
import type { KeyRecord } from '../journal.ts';

export type NewSegment = {
  /** That of its object, never given twice. Begins with a time, and sorts by it. */
  name: string;
  /** The mark of the shard that it should go to, if that one lives. */
  shard: string;
  rows: number;
  /** Before they are compressed: what an import holds in memory. */
  bytes: number;
  /** A batch in it reaches over several days, and perhaps over several partitions. */
  isSpread: boolean;
};

/** Some segments that go into one shard in one insert. */
type SegmentImport = {
  name: string;
  /** It must not begin later, by the clock of the shard. */
  until: number;
};

export type WaitingSegment = NewSegment & {
  /** Before anybody was answered. */
  registeredAt: number;
  /** A question waits for it. */
  isWanted: boolean;
  /** null: it may go anywhere. */
  import: SegmentImport | null;
};

/** A node that takes entries in, and whose lease has ended: it may have kept registrations as notes in the bucket. */
export type SilentWriter = {
  id: string;
  leasedUntil: number;
  /** So many of its notes were taken over. */
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

/** A segment as stored in a note. */
export type NotedSegment = NewSegment & { registeredAt: number };

export interface SegmentRegistry {
  /**
   * Resolves to true once the segment counts and its keys are taken, and both survive power cuts. Resolves to false if
   * it never will: it is later than `until`, or another request took one of the keys. Repeating the call changes
   * nothing. After a rejection it may count or not.
   */
  register(segment: NewSegment, options: { until: number; keys: readonly KeyRecord[] }): Promise<boolean>;
  /** The oldest segments that wait, so many at most, and all writers whose lease has ended. */
  look(limit: number): Promise<RegistryLook>;
  /** How much waits, and since when (null: nothing does). Rejects also where the registry can be read, and takes no changes. */
  measure(): Promise<RegistryMeasures>;
  want(names: readonly string[]): Promise<void>;
  /** Binds segments that may go anywhere to a shard and an import: all of them and true, or none. */
  begin(started: SegmentImport & { shard: string }, names: readonly string[]): Promise<boolean>;
  /** Lets the import begin later than it could. False when somebody else did that. */
  extend(started: SegmentImport, until: number): Promise<boolean>;
  /** The segments of the import are in ClickHouse. */
  end(importName: string): Promise<void>;
  /** Frees segments that are bound to other shards than these; returns how many segments that is, or would be. */
  release(bound: { except: readonly string[]; isDryRun: boolean }): Promise<number>;
  /** The segment is damaged, and waits for nothing any more. */
  setAside(name: string): Promise<void>;
  /** Returns those of the given names whose objects are still needed. */
  listNeeded(names: readonly string[]): Promise<string[]>;
  /** Forgets segments whose import ended before. */
  forgetEnded(before: number): Promise<void>;
  /** True when the holder alone may import into the shard for so long: it is free, or theirs already. */
  holdLane(shard: string, holder: string, forMs: number): Promise<boolean>;
  releaseLane(shard: string, holder: string): Promise<void>;
  /** Rejects also where the registry can be read, and takes no changes. */
  readClock(): Promise<number>;
  /** The writer is known, and none of its notes was taken over. */
  openWriter(id: string, until: number): Promise<void>;
  /** Gives the writer a lease until then. Not when it began other notes than were taken over, and when nobody knows it. */
  holdWriter(lease: { id: string; until: number; notes: number }): Promise<{ isHeld: boolean; now: number }>;
  /** null: nobody knows it any more. */
  findWriter(id: string): Promise<SilentWriter | null>;
  listWriters(): Promise<SilentWriter[]>;
  /** Forgets the writer if its lease is as described; null: with any lease. */
  closeWriter(writer: { id: string; notes: number; leasedUntil: number | null }): Promise<void>;
  /** Registers what stands in the writer's notes from the first until before the last one, unless another did that: then false. */
  takeNotes(
    range: { writer: string; from: number; to: number },
    segments: readonly NotedSegment[],
  ): Promise<boolean>;
}
