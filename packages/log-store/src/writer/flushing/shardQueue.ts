/**
 * Inserts the segments of one shard, one after another, and repeats each insert until the shard confirms it. It knows
 * neither other shards nor the journal that the segments come from.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Journal, Segment } from '../../journal/journal.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { mendBrokenParts } from './brokenParts.ts';
import { InsertError } from './insert.ts';
import type { PartitionSplit } from './partitionSplit.ts';
import { type InsertDeps, insertSegment } from './segmentInsert.ts';

/** A place where a part of the entries is stored. */
export type Shard = { url: string; access: EngineAccess };

/** Stays the same when shards are listed in another order: eight hexadecimal digits. */
export function shardMark(shardUrl: string): string {
  return crc32(shardUrl).toString(16).padStart(8, '0');
}

export type ShardQueueDeps = InsertDeps & {
  /** The reserve on the shard's disk; null when the shard stores on another machine. */
  room: Pick<Journal, 'giveReserve'> | null;
  spreading: PartitionSplit;
  /** Whether a crash may have broken what was inserted since the last checkpoint. */
  mayBreak: boolean;
  /** Aborts when the service stops: then the lane begins no insert any more. */
  stopping: AbortSignal;
};

type LaneOptions = {
  shard: Shard;
  /** The rows of the segment are visible, and the lane does not read its file any more. */
  onInserted(segment: Segment): void;
  /** The lane has inserted every segment that it was given. */
  onIdle(): void;
};

const retryDelayMsMin = 50;
const retryDelayMsMax = 1_000;
/** Inserts that questions ask for leave the processors to the questions for so many times as long as they took. */
const restPerInsert = 2;
const restMsMax = 200;
const failuresBetweenReports = 20; // one line in the log for many failures of the same kind

export class ShardQueue {
  readonly #deps: ShardQueueDeps;
  readonly #options: LaneOptions;
  readonly #queue: Segment[] = [];
  #work: Promise<void> | null = null;
  /** Inserts that failed, since the start. */
  failedInserts = 0;
  /** In a row, since the last insert that succeeded. */
  #failures = 0;
  #isChecked: boolean;
  #restsUntil = 0;

  constructor(deps: ShardQueueDeps, options: LaneOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#isChecked = !deps.mayBreak;
  }

  get isIdle(): boolean {
    return this.#work === null;
  }

  /** How long the next insert should wait for others to join it. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - performance.now());
  }

  get isOpen(): boolean {
    return this.#options.shard.access.endpoint() !== null;
  }

  /** The shard did not take the last insert, or its engine is known to be down. */
  get isAway(): boolean {
    return this.#failures > 0 || !this.isOpen;
  }

  add(segment: Segment): void {
    this.#queue.push(segment);
    this.#work ??= this.#insertAll();
  }

  /** Resolves once no insert is under way. To be called after `stopping` was aborted. */
  async finish(): Promise<void> {
    await this.#work;
  }

  async #insertAll(): Promise<void> {
    const { stopping, spreading } = this.#deps;
    for (let segment = this.#queue[0]; segment && !stopping.aborted; segment = this.#queue[0]) {
      if (segment.isSpread && this.#failures === 0) await spreading.begin(stopping);
      const startedAt = performance.now();
      try {
        if (segment.isUncertain) await this.#checkOnce(segment);
        await insertSegment(this.#deps, this.#options.shard.access, { segment, until: null });
      } catch (error) {
        if (stopping.aborted) break;
        this.#reportFailure(error);
        if (!(await this.#makeRoom(error))) await this.#pauseAfterFailure();
        continue;
      }
      this.#queue.shift();
      this.#failures = 0;
      const endedAt = performance.now();
      this.#restsUntil = endedAt + Math.min((endedAt - startedAt) * restPerInsert, restMsMax);
      if (segment.isSpread) spreading.end();
      this.#options.onInserted(segment);
    }
    this.#work = null;
    if (!stopping.aborted) this.#options.onIdle();
  }

  /** Before anything is compared with the table for the first time. The segment is the oldest that an earlier run left. */
  async #checkOnce({ extents }: Segment): Promise<void> {
    if (this.#isChecked) return;
    await mendBrokenParts(this.#options.shard.access, this.#deps.log, extents.writtenAts[0] ?? 0);
    this.#isChecked = true;
  }

  /** Gives up the reserve of a full disk. The next attempt uses it at once, so that no other program takes the room. */
  async #makeRoom(error: unknown): Promise<boolean> {
    const { room } = this.#deps;
    return room !== null && error instanceof InsertError && error.isDiskFull && (await room.giveReserve());
  }

  #reportFailure(error: unknown): void {
    this.failedInserts++;
    if (this.#failures++ % failuresBetweenReports !== 0) return;
    this.#deps.log.warn(
      { err: error },
      'the log engine did not take the entries; they are kept and sent again',
    );
  }

  /** Ends early when the engine comes up, or the service stops. */
  async #pauseAfterFailure(): Promise<void> {
    const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(this.#failures, 10), retryDelayMsMax);
    const up = Promise.withResolvers<void>();
    const unsubscribe = this.#options.shard.access.onUp(up.resolve);
    const pause = wait(delayMs, undefined, { signal: this.#deps.stopping, ref: false });
    await Promise.race([pause.catch(() => {}), up.promise]);
    unsubscribe();
  }
}
