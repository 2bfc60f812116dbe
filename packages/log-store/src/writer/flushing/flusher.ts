/**
 * Hands the journal's segments to ClickHouse: each goes into the lane of the shard in its name. Lanes do not wait for
 * each other. The journal learns which segments were inserted.
 */

import { describeOutage } from '../../failures.ts';
import type { Journal, Segment, SegmentTaker } from '../../journal/journal.ts';
import { createAgents } from '../engine/requests.ts';
import { Checkpoints } from './checkpoint.ts';
import { PartSync } from './partSync.ts';
import { type Shard, ShardQueue, type ShardQueueDeps, shardMark } from './shardQueue.ts';

type FlusherDeps = { journal: Journal } & Pick<
  ShardQueueDeps,
  'log' | 'deletions' | 'confirm' | 'onInsert' | 'spreading'
>;

type FlusherOptions = {
  shards: readonly Shard[];
  /** The directory of an engine on this machine's disk that leaves syncing to us; null: elsewhere. */
  engineDirectory: string | null;
  /** Replaces the plain sync of its parts. */
  parts?: Pick<PartSync, 'sync'> | null;
};

// No question waits for it, for a question has the acknowledged entries inserted at once. Fewer inserts are fewer parts to
// merge: with one entry a request the engine takes a third of the processor time that it takes at four flushes a second
// (DECISIONS.md, "The journal is flushed once a second").
const flushIntervalMs = 1_000;
/** ClickHouse inserts so many rows in less than a second; with a longer backlog, intake is slowed down. */
const waitingRowsFree = 300_000;
const paceMsMax = 25; // each group waits so long at most: enough to halve the intake, little enough for an answer in 40 ms
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
  /** In the order in which they were sealed, until their rows are visible. */
  readonly #pending = new Set<Segment>();
  #active: Segment | null = null;
  /** Number of the last group that was acknowledged. */
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

  /** Since the start. */
  get insertedRows(): number {
    return this.#insertedRows;
  }

  /** Inserts that failed, since the start. */
  get failures(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.failedInserts, 0);
  }

  /** The backlog of ClickHouse. */
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
   * How long the next group is to wait so that its entries are found within a second of their acknowledgement. While a
   * shard is away, waiting would not help.
   */
  paceMs(): number {
    const share = (this.#pendingRows - waitingRowsFree) / waitingRowsFree;
    if (share <= 0) return 0;
    const isAway = [...this.#lanes.values()].some(lane => lane.isAway);
    return isAway ? 0 : Math.min(paceMsMax, Math.ceil(share * paceMsMax));
  }

  /** Shards take turns, but for those that are known to be down, or are not to be stored on yet. */
  nextShard(): string {
    const marks = [...this.#lanes].filter(([, { isOpen }]) => isOpen).map(([mark]) => mark);
    const able = marks.length > 0 ? marks : [...this.#lanes.keys()];
    return able[this.#nextLane++ % able.length] ?? '';
  }

  /** A group was appended to the segment: it is due in a while. */
  noteWritten(segment: Segment): void {
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

  /** The active segment is due now. */
  hurry(): void {
    if (this.#active !== null) this.#demandSeal(this.#active);
  }

  /** Takes over a segment that will not change any more. */
  take(segment: Segment): void {
    if (this.#active === segment) {
      this.#active = null;
      this.#isSealDue = false;
    }
    this.#pendingRows += segment.rows;
    this.#pending.add(segment);
    this.#laneOf(segment).add(segment);
  }

  /** Resolves once all groups acknowledged before the call are visible. Rejects when that takes longer than the given time. */
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

  /** Ends the inserts under way. Segments that were not inserted by then wait in the journal for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    if (this.#resting !== null) clearTimeout(this.#resting);
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    await Promise.all([...this.#lanes.values()].map(lane => lane.finish()));
    await this.#checkpoints?.[Symbol.asyncDispose]();
  }

  /** Waits until the lane is idle and rested, so that a heavy load makes few large inserts, which many queries share. */
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

  /** A segment of a shard that is not configured any more goes to the first one. */
  #laneOf(segment: Segment): ShardQueue {
    return this.#lanes.get(segment.shard) ?? this.#lanes.values().next().value!;
  }

  #isFlushed(group: number): boolean {
    if (this.#active !== null && this.#active.firstGroup <= group) return false;
    // All of them: shards are not equally fast, so that a younger segment may be through before an older one.
    for (const segment of this.#pending) if (segment.firstGroup <= group) return false;
    return true;
  }

  /** The rows of the segment are visible: settles the waiters for them, and lets the segment leave the journal once they are durable. */
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
