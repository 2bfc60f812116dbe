/**
 * Hands the journal's segments to ClickHouse. Each goes into the lane of the shard in its name, and lanes do not wait for
 * each other. The flusher tells the journal which segments were inserted.
 */

import { describeOutage } from '../../failures.ts';
import type { Journal, Segment, SegmentTaker } from '../../journal/journal.ts';
import { createAgents } from '../engine/requests.ts';
import { Checkpoints, type SyncedParts } from './checkpoint.ts';
import { PartSync } from './partSync.ts';
import { type Shard, ShardQueue, type ShardQueueDeps, shardMark } from './shardQueue.ts';

type FlusherDeps = { journal: Journal } & Pick<
  ShardQueueDeps,
  'log' | 'deletions' | 'confirm' | 'inserted' | 'onInsert' | 'spreading'
>;

type FlusherOptions = {
  shards: readonly Shard[];
  /** Directory of an embedded engine, which leaves syncing to us; null with external servers. */
  engineDirectory: string | null;
  /** Syncs that engine's parts, in place of a plain `PartSync`. */
  parts?: SyncedParts | null;
};

// No query waits for this interval, because a query has acknowledged entries inserted at once. Fewer inserts make fewer parts to merge: with one
// entry per request, the engine takes a third of the processor time that it takes at four flushes a second (DECISIONS.md, "The journal is
// flushed once a second").
const flushIntervalMs = 1_000;
/** ClickHouse inserts this many rows in less than a second. With a longer backlog, intake is slowed down. */
const waitingRowsFree = 300_000;
const paceMsMax = 25; // the longest delay of a group: enough to halve the intake, and short enough for an answer in 40 ms
const idleTimeMsMax = 20_000; // of a connection, below the engine's own limit

/** `oldestAt`: Unix milliseconds; null when nothing waits. */
export type WaitingEntries = { entries: number; bytes: number; oldestAt: number | null };

export const nothingWaits: WaitingEntries = { entries: 0, bytes: 0, oldestAt: null };

export class Flusher implements SegmentTaker, AsyncDisposable {
  readonly #journal: Journal;
  /** Queues by the mark in their segments' names. */
  readonly #lanes = new Map<string, ShardQueue>();
  readonly #agents = createAgents(idleTimeMsMax);
  readonly #stopping = new AbortController();
  readonly #checkpoints: Checkpoints | null;
  readonly #listeners = new Set<() => void>();
  readonly #waiters = new Set<{ group: number; resolve: () => void }>();
  /** Sealed segments in order, until their rows are visible. */
  readonly #pending = new Set<Segment>();
  #active: Segment | null = null;
  /** Number of the last acknowledged group. */
  #written = 0;
  #isSealDue = false;
  #resting: NodeJS.Timeout | null = null;
  #nextLane = 0;
  #pendingRows = 0;
  #insertedRows = 0;

  constructor({ journal, ...deps }: FlusherDeps, options: FlusherOptions) {
    this.#journal = journal;
    const { engineDirectory } = options;
    const isLocal = engineDirectory !== null;
    const parts = options.parts ?? (isLocal ? new PartSync(engineDirectory) : null);
    const forget = (segment: Segment) => journal.forget(segment);
    this.#checkpoints = parts && new Checkpoints({ log: deps.log, parts, forget });
    const laneDeps = {
      ...deps,
      room: isLocal ? journal : null,
      mayBreak: isLocal,
      agents: this.#agents,
      stopping: this.#stopping.signal,
    };
    for (const shard of options.shards) {
      const lane: ShardQueue = new ShardQueue(laneDeps, {
        shard,
        onInserted: segment => this.#release(segment),
        onIdle: () => this.#sealIfDue(lane),
      });
      this.#lanes.set(shardMark(shard.url), lane);
    }
  }

  /** Rows inserted since the start. */
  get insertedRows(): number {
    return this.#insertedRows;
  }

  /** Whether entries may be visible that `insertedRows` does not count yet. */
  get isInserting(): boolean {
    return this.#pending.size > 0;
  }

  /** Failed inserts since the start. */
  get failures(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.failedInserts, 0);
  }

  get waiting(): WaitingEntries {
    const segments = this.#active === null ? [...this.#pending] : [...this.#pending, this.#active];
    const waiting: WaitingEntries = { ...nothingWaits };
    for (const { rows, length, extents } of segments) {
      waiting.entries += rows;
      waiting.bytes += length;
      const writtenAt = extents.writtenAts[0];
      if (writtenAt !== undefined) waiting.oldestAt = Math.min(waiting.oldestAt ?? writtenAt, writtenAt);
    }
    return waiting;
  }

  /**
   * Returns how long the next group must wait so that queries find its entries within a second of their acknowledgement.
   * While a shard is away, waiting would not help.
   */
  paceMs(): number {
    const share = (this.#pendingRows - waitingRowsFree) / waitingRowsFree;
    if (share <= 0) return 0;
    const isAway = [...this.#lanes.values()].some(lane => lane.isAway);
    return isAway ? 0 : Math.min(paceMsMax, Math.ceil(share * paceMsMax));
  }

  /** Takes shards in turn, and skips those that are down or not ready yet, unless all are. */
  nextShard(): string {
    const marks = [...this.#lanes].filter(([, { isOpen }]) => isOpen).map(([mark]) => mark);
    const able = marks.length > 0 ? marks : [...this.#lanes.keys()];
    return able[this.#nextLane++ % able.length] ?? '';
  }

  /** Called when a group was appended to the segment, which is due after the flush interval. */
  onWritten(segment: Segment): void {
    this.#written++;
    if (this.#active !== segment) {
      this.#active = segment;
      setTimeout(() => this.#demandSeal(segment), flushIntervalMs).unref();
    }
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener whenever a group was written, until unsubscribed. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the active segment due now. */
  hurry(): void {
    if (this.#active !== null) this.#demandSeal(this.#active);
  }

  take(segment: Segment): void {
    if (this.#active === segment) {
      this.#active = null;
      this.#isSealDue = false;
    }
    this.#pendingRows += segment.rows;
    this.#pending.add(segment);
    this.#laneOf(segment).add(segment);
  }

  /** Resolves once all groups acknowledged before the call are visible. Rejects after the given time. */
  async flush(timeMsMax: number): Promise<void> {
    const group = this.#written;
    if (this.#isFlushed(group)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { group, resolve };
    const timer = setTimeout(() => reject(describeOutage()), timeMsMax);
    this.#waiters.add(waiter);
    if (this.#active !== null && this.#active.firstGroup <= group) this.#demandSeal(this.#active);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** Resolves once all groups acknowledged before the call are visible, and the journal will bring none of them back. */
  async flushAndForget(timeMsMax: number): Promise<void> {
    const startedAt = performance.now();
    const msLeft = () => Math.max(0, timeMsMax - (performance.now() - startedAt));
    await this.flush(timeMsMax);
    await this.#checkpoints?.finish(msLeft());
    await this.#journal.finishForgetting(msLeft());
  }

  /** Aborts running inserts. Segments that were not inserted by then wait in the journal for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    if (this.#resting !== null) clearTimeout(this.#resting);
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    await Promise.all([...this.#lanes.values()].map(lane => lane.finish()));
    await this.#checkpoints?.[Symbol.asyncDispose]();
  }

  /** Seals the segment once the lane is idle and rested, so that a heavy load makes few large inserts, which many queries share. */
  #demandSeal(segment: Segment): void {
    if (this.#active !== segment) return;
    this.#isSealDue = true;
    this.#sealIfDue(this.#laneOf(segment));
  }

  #sealIfDue(lane: ShardQueue): void {
    const isNext = this.#active !== null && this.#laneOf(this.#active) === lane;
    if (!this.#isSealDue || !isNext || !lane.isIdle) return;
    if (lane.restMs === 0 || this.#stopping.signal.aborted) this.#journal.seal();
    else this.#resting ??= setTimeout(() => this.#endRest(), Math.ceil(lane.restMs));
  }

  #endRest(): void {
    this.#resting = null;
    if (this.#active !== null) this.#sealIfDue(this.#laneOf(this.#active));
  }

  /** Returns the lane of the segment's shard, or the first lane if that shard is no longer configured. */
  #laneOf(segment: Segment): ShardQueue {
    return this.#lanes.get(segment.shard) ?? this.#lanes.values().next().value!;
  }

  #isFlushed(group: number): boolean {
    if (this.#active !== null && this.#active.firstGroup <= group) return false;
    // Checks all of them: shards differ in speed, so a younger segment may be done before an older one.
    for (const segment of this.#pending) if (segment.firstGroup <= group) return false;
    return true;
  }

  /**
   * Called when the rows of the segment are visible. Settles the waiters for them, and lets the journal forget the segment
   * once they are durable.
   */
  #release(segment: Segment): void {
    this.#pending.delete(segment);
    this.#pendingRows -= segment.rows;
    this.#insertedRows += segment.rows;
    if (this.#checkpoints === null) this.#journal.forget(segment);
    else this.#checkpoints.add(segment);
    for (const waiter of this.#waiters) {
      if (this.#isFlushed(waiter.group)) waiter.resolve();
    }
  }
}
