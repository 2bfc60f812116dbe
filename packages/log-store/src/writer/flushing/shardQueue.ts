/**
 * Inserts the segments of one shard, one after another, and repeats each insert until the shard confirms it. It knows
 * neither other shards nor the journal that the segments come from.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Journal, Segment } from '../../journal/journal.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { repairBrokenParts } from './brokenParts.ts';
import { InsertError } from './insert.ts';
import type { PartitionSplit } from './partitionSplit.ts';
import { type InsertDeps, insertSegment } from './segmentInsert.ts';

/** A server that stores some of the entries. */
export type Shard = { url: string; access: EngineAccess };

/** Returns eight hexadecimal digits that do not depend on the order of the shards. */
export function shardMark(shardUrl: string): string {
  return crc32(shardUrl).toString(16).padStart(8, '0');
}

export type ShardQueueDeps = InsertDeps & {
  /** The reserve on the shard's disk; null if the shard is on another machine. */
  room: Pick<Journal, 'releaseReserve'> | null;
  spreading: PartitionSplit;
  /** Whether a crash may have broken rows inserted since the last checkpoint. */
  mayBreak: boolean;
  /** Aborts when the service stops; the lane then begins no more inserts. */
  stopping: AbortSignal;
};

type ShardQueueOptions = {
  shard: Shard;
  /** Called when the segment's rows are visible, and the lane no longer reads its file. */
  onInserted(segment: Segment): void;
  /** Called when the lane has inserted every segment that it was given. */
  onIdle(): void;
};

const retryDelayMsMin = 50;
const retryDelayMsMax = 1_000;
/** After an insert, the lane rests for this many times its duration, to leave the processors to queries. */
const restPerInsert = 2;
const restMsMax = 200;
const failuresBetweenReports = 20; // one line in the log for many failures of the same kind

export class ShardQueue {
  readonly #deps: ShardQueueDeps;
  readonly #options: ShardQueueOptions;
  readonly #queue: Segment[] = [];
  #work: Promise<void> | null = null;
  /** Failed inserts since the start. */
  failedInserts = 0;
  /** Consecutive failures since the last insert that succeeded. */
  #failures = 0;
  #isChecked: boolean;
  #restsUntil = 0;

  constructor(deps: ShardQueueDeps, options: ShardQueueOptions) {
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

  /** True if the shard refused the last insert, or its engine is known to be down. */
  get isAway(): boolean {
    return this.#failures > 0 || !this.isOpen;
  }

  add(segment: Segment): void {
    this.#queue.push(segment);
    this.#work ??= this.#insertAll();
  }

  /** Resolves once no insert is running. Call it after `stopping` was aborted. */
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

  /** Repairs broken parts before the first comparison with the table. The segment is the oldest one left by an earlier run. */
  async #checkOnce({ extents }: Segment): Promise<void> {
    if (this.#isChecked) return;
    await repairBrokenParts(this.#options.shard.access, this.#deps.log, extents.writtenAts[0] ?? 0);
    this.#isChecked = true;
  }

  /** Releases the reserve of a full disk. The next attempt uses the room at once, so that no other program takes it. */
  async #makeRoom(error: unknown): Promise<boolean> {
    const { room } = this.#deps;
    return room !== null && error instanceof InsertError && error.isDiskFull && (await room.releaseReserve());
  }

  #reportFailure(error: unknown): void {
    this.failedInserts++;
    if (this.#failures++ % failuresBetweenReports !== 0) return;
    this.#deps.log.warn({ err: error }, 'the log engine refused entries; they are kept and sent again');
  }

  /** Ends early when the engine comes up or the service stops. */
  async #pauseAfterFailure(): Promise<void> {
    const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(this.#failures, 10), retryDelayMsMax);
    const up = Promise.withResolvers<void>();
    const unsubscribe = this.#options.shard.access.onUp(up.resolve);
    const pause = wait(delayMs, undefined, { signal: this.#deps.stopping, ref: false });
    await Promise.race([pause.catch(() => {}), up.promise]);
    unsubscribe();
  }
}
