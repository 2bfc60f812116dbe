/**
 * The journal holds entries that were acknowledged and are not yet in ClickHouse. An implementation, such as the files
 * of `disk/`, promises at every instant, even after a crash:
 *
 * 1. A request is acknowledged only after all of its rows, and its key, survive a power cut.
 * 2. A request is refused only once none of its rows can come back. While rows can neither be kept nor taken back,
 *    their requests get no answer.
 * 3. A segment is closed before it is handed over, and its rows never change again.
 * 4. A segment is removed only after the flusher has inserted it and its keys are kept elsewhere.
 * 5. Names of segments are never used twice.
 */
import type { LogColumns, RowRange } from '../blocks/native.ts';

/** The key under which a request stored its entries, to answer a repeat within 24 hours. Hashes are 16 bytes. */
export type KeyRecord = {
  /** Hash of token, route and key. */
  scopeHash: Buffer;
  /** Hash of the request's body: another body under the same key is an error. */
  bodyHash: Buffer;
  /** The traceId of the first stored entry, as 16 bytes. */
  traceId: Buffer;
  /** Unix milliseconds. */
  storedAt: number;
  /** The attempt that claimed the key, if nodes share keys. */
  attemptId?: string;
};

/** Positions of the segment's blocks, their checksums, and the times they were written (Unix milliseconds). */
export type BlockExtents = {
  offsets: number[];
  lengths: number[];
  checksums: number[];
  writtenAts: number[];
};

/** Groups of entries, one block each, that are inserted together. */
export type Segment = {
  /** Never reused, not even after the journal was emptied: ClickHouse recognises a repeated insert by this name. Its prefix sorts by age. */
  readonly name: string;
  /** The mark of its shard, from `nextShard`. */
  readonly shard: string;
  /** Bytes in the journal. */
  length: number;
  rows: number;
  blockBytes: number;
  extents: BlockExtents;
  range: RowRange;
  /** Number of its first group, counted as in `onWritten`; 0 for a segment of an earlier run. */
  firstGroup: number;
  /** True if a batch in it spans several days, and so perhaps several partitions. */
  isSpread: boolean;
  /**
   * True if it was found at start or sent before: an insert of it may have taken effect, wholly or in part. Its blocks are
   * checked before they are sent, because damage may be why the insert failed.
   */
  isUncertain: boolean;
  /** Fills the buffer from the position on; fewer bytes mean the end of the segment. */
  read(into: Buffer, position: number): Promise<number>;
  /** Leaves out damaged blocks, keeps their bytes aside, and returns how many there were. */
  dropDamaged(): Promise<number>;
};

/** The key that a request brings beside its rows, and whether the rows span several days. */
export type Entered = { key: KeyRecord | null; isSpread: boolean };

/** Whether the rows that follow will have a key. */
export type Entering = { isKeyed: boolean };

/** Takes segments over from the journal. */
export type SegmentTaker = {
  /** Returns the mark of the shard for the next segment. */
  nextShard(): string;
  /** Returns how long the next group must wait so that the flusher keeps up. */
  paceMs(): number;
  /** Takes over a segment that no longer changes. */
  take(segment: Segment): void;
  /** Called when a group was acknowledged. Groups are numbered from 1 since the start. */
  onWritten(segment: Segment): void;
  /** Called when no room is left: the waiting segments should be inserted now. */
  hurry(): void;
};

export interface Journal extends AsyncDisposable {
  /** Hands over the segments of earlier runs, oldest first, and accepts entries from now on. Call it once. */
  begin(taker: SegmentTaker): Promise<void>;
  /** Throws `journal_full`, `disk_full`, `unavailable` or `stopping` while it refuses everything for longer than a moment. */
  requireTaking(): void;
  /**
   * Returns the columns to append rows to. Append, and then call `enter` or cut the rows back, without waiting in between.
   * Throws `overloaded`, `journal_full`, `disk_full`, `unavailable` or `stopping` when nothing can be taken.
   */
  requireColumns(entering: Entering): LogColumns;
  /** Resolves once the rows appended since `requireColumns` are durable; rejects once they are durably not there. */
  enter(entered: Entered): Promise<void>;
  /** Hands over the open segment as soon as no group is being written to it. */
  seal(): void;
  /** Finds the record of a key from the last 24 hours. Throws `overloaded` when no more keys can be remembered. */
  findKey(scopeHash: Buffer): Promise<KeyRecord | null>;
  /** Removes a segment whose entries the engine has, and retries until it is gone. */
  forget(segment: Segment): void;
  /**
   * Resolves once no restart can find the segments forgotten before the call, not even after a power cut. Rejects with
   * `unavailable` after the given time, or if the service stops first.
   */
  finishForgetting(timeMsMax: number): Promise<void>;
  /** Releases the space reserved for a full disk on this machine. Resolves to whether that made room. */
  releaseReserve(): Promise<boolean>;
  /** Returns the number of files of damaged entries, and how many bytes may wait before the journal refuses more. */
  inspect(): Promise<{ damaged: number; bytesMax: number }>;
  /** Returns the name of this journal, unique among all nodes. The first call creates it, and it never changes. */
  keepNodeId(): Promise<string>;
  /** Writes the waiting groups, hands over every segment, and accepts nothing more. */
  stop(): Promise<void>;
}
