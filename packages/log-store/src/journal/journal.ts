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

/** Under which key a request stored its entries: a repeat within 24 hours is answered from this. Hashes are 16 bytes. */
export type KeyRecord = {
  /** Hash of token, route and key. */
  scopeHash: Buffer;
  /** Hash of the request's body: another body under the same key is an error. */
  bodyHash: Buffer;
  /** The traceId of the first stored entry, as 16 bytes. */
  traceId: Buffer;
  /** Unix milliseconds. */
  storedAt: number;
  /** The attempt that claimed the key, where nodes share keys. */
  attemptId?: string;
};

/** Positions of the segment's blocks, their checksums, and the times they were written (Unix milliseconds). */
export type BlockExtents = {
  offsets: number[];
  lengths: number[];
  checksums: number[];
  writtenAts: number[];
};

/** Some groups of entries, one block each, which are inserted in one go. */
export type Segment = {
  /**
   * Never given twice, not even after the journal was emptied: ClickHouse knows an insert that it has seen by this name.
   * Its beginning sorts by age.
   */
  readonly name: string;
  /** The mark of the shard that it goes to, as `nextShard` gave it. */
  readonly shard: string;
  /** Bytes in the journal. */
  length: number;
  rows: number;
  blockBytes: number;
  extents: BlockExtents;
  range: RowRange;
  /** Number of the first group in it, as `noteWritten` counts them; 0: of an earlier run. */
  firstGroup: number;
  /** A batch in it reaches over several days, and perhaps over several partitions. */
  isSpread: boolean;
  /**
   * Found at start, or sent before: an insert of it may have taken effect, wholly or in part. Its blocks are checked before
   * they are sent, for damage may be why it was not taken.
   */
  isUncertain: boolean;
  /** Fills the buffer from the position on; fewer bytes mean the end of the segment. */
  read(into: Buffer, position: number): Promise<number>;
  /** Leaves out damaged blocks, keeps their bytes aside, and returns how many there were. */
  dropDamaged(): Promise<number>;
};

/** The key that a request brings beside its rows, and whether the rows belong to several days. */
export type Entered = { key: KeyRecord | null; isSpread: boolean };

/** Whether the rows that are to come will have a key. */
export type Entering = { isKeyed: boolean };

/** Who takes segments over. */
export type SegmentTaker = {
  /** The mark of the shard that the next segment goes to. */
  nextShard(): string;
  /** How long the next group is to wait, so that the flusher keeps up. */
  paceMs(): number;
  /** Takes over a segment that will not change any more. */
  take(segment: Segment): void;
  /** A group was acknowledged: the first one since the start has the number 1, and so on. */
  noteWritten(segment: Segment): void;
  /** No room is left: what waits should be inserted now. */
  hurry(): void;
};

export interface Journal extends AsyncDisposable {
  /** Hands over what earlier runs left, oldest first, and takes entries from now on. To be called once. */
  begin(taker: SegmentTaker): Promise<void>;
  /** Throws `journal_full`, `disk_full`, `unavailable` or `stopping` while everything is refused for longer than a moment. */
  requireTaking(): void;
  /**
   * The columns that rows may be appended to, in one go with `enter` or with cutting them back. Throws `overloaded`,
   * `journal_full`, `disk_full`, `unavailable` or `stopping` when nothing can be taken.
   */
  requireColumns(entering: Entering): LogColumns;
  /** Resolves once the rows appended since `requireColumns` are durable; rejects once they are durably not there. */
  enter(entered: Entered): Promise<void>;
  /** Hands over the segment that groups are appended to, as soon as no group is being written to it. */
  seal(): void;
  /** Finds the record of a key from the last 24 hours. Throws `overloaded` when no more keys can be remembered. */
  findKey(scopeHash: Buffer): Promise<KeyRecord | null>;
  /** Takes away a segment whose entries the engine has, and goes on trying until it is gone. */
  forget(segment: Segment): void;
  /**
   * Resolves once no start finds the segments that were forgotten before the call, not even after a power cut. Rejects with
   * `unavailable` when that takes longer than the given time, or the service stops first.
   */
  finishForgetting(timeMsMax: number): Promise<void>;
  /** Gives up what is kept for a full disk of this machine. Resolves to whether that made room. */
  giveReserve(): Promise<boolean>;
  /** How many files of damaged entries are kept aside, and how many bytes may wait until nothing more is taken. */
  inspect(): Promise<{ damaged: number; bytesMax: number }>;
  /** The name of this journal among those of all nodes: made at the first call, and the same for ever. */
  keepNodeId(): Promise<string>;
  /** Writes the waiting groups, hands over every segment, and takes nothing more. */
  stop(): Promise<void>;
}
