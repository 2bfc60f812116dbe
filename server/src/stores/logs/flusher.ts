/**
 * Hands the journal's segments to ClickHouse: each goes to the shard in its name, as one insert, which is repeated until
 * it has returned. Shards do not wait for each other. What is inserted is cleared away from the journal.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createAgents } from './engine/requests.ts';
import type { EngineAccess } from './engine/supervision.ts';
import { InsertError, insertBlocks, insertMissing } from './insert.ts';
import { Clearing, type ClearingDeps } from './journal/clearing.ts';
import type { Room } from './journal/room.ts';
import { dropDamagedBlocks, type Segment, shardMark } from './journal/segment.ts';
import { describeOutage } from './outage.ts';
import { readBlocks, splitSegment } from './segmentBlocks.ts';
import { Spreading } from './spreading.ts';

/** A place where a part of the entries is stored. */
export type Shard = { url: string; access: EngineAccess };

export type FlusherDeps = ClearingDeps & { room: Room };

export type FlusherOptions = {
  /** Of the journal. */
  directory: string;
  shards: readonly Shard[];
  /** Whether the engine stores on this machine's disk, so that its full disk is ours. */
  isLocal: boolean;
  /** Seals the segment that groups are appended to. */
  seal(): void;
};

type Lane = { shard: Shard; queue: Segment[]; run: Promise<void> | null; failures: number };

// Nobody waits for it: who asks has what was acknowledged inserted at once. Fewer inserts are fewer parts to merge, which
// costs the engine a third at 10,000 requests a second with one entry each: see bench/RESULTS.md.
const flushIntervalMs = 1_000;
/** So many rows ClickHouse takes in less than a second; with more of them waiting the intake is slowed down. */
const waitingRowsFree = 300_000;
const paceMsMax = 25; // each group waits so long at most: enough to halve the intake, little enough for an answer in 40 ms
const retryDelayMsMin = 50;
const retryDelayMsMax = 1_000;
const idleTimeMsMax = 20_000; // of a connection, below the engine's own limit
const failuresBetweenReports = 20; // one line in the log for many failures of the same kind

export class Flusher implements AsyncDisposable {
  readonly #deps: FlusherDeps;
  readonly #options: FlusherOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #agents = createAgents(idleTimeMsMax);
  readonly #stopping = new AbortController();
  readonly #waiters = new Set<{ group: number; resolve: () => void }>();
  /** In the order in which they were sealed, until their rows are visible. */
  readonly #pending = new Set<Segment>();
  readonly #spreading = new Spreading();
  #active: Segment | null = null;
  #isSealDue = false;
  #nextLane = 0;
  readonly #clearing: Clearing;
  #waitingBytes = 0;
  #insertedRows = 0;
  #waitingRows = 0;

  constructor(deps: FlusherDeps, options: FlusherOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#clearing = new Clearing(deps, options.directory);
    for (const shard of options.shards) {
      this.#lanes.set(shardMark(shard.url), { shard, queue: [], run: null, failures: 0 });
    }
  }

  /** Bytes of the segments that the journal still has to keep. */
  get handedBytes(): number {
    return this.#waitingBytes + this.#clearing.leftBytes;
  }

  /** Since the start. */
  get insertedRows(): number {
    return this.#insertedRows;
  }

  /**
   * How long the next group is to wait so that what was acknowledged is found within a second. While a shard is away there is
   * nothing to wait for.
   */
  get paceMs(): number {
    const share = (this.#waitingRows - waitingRowsFree) / waitingRowsFree;
    if (share <= 0) return 0;
    const lanes = [...this.#lanes.values()];
    const isAway = lanes.some(({ failures, shard }) => failures > 0 || shard.access.endpoint() === null);
    return isAway ? 0 : Math.min(paceMsMax, Math.ceil(share * paceMsMax));
  }

  /** Shards take turns. */
  nextShard(): string {
    const marks = [...this.#lanes.keys()];
    return marks[this.#nextLane++ % marks.length] ?? '';
  }

  /** A group was appended to the segment: it is due in a while. */
  noteWritten(segment: Segment): void {
    if (this.#active === segment) return;
    this.#active = segment;
    setTimeout(() => this.#demandSeal(segment), flushIntervalMs).unref();
  }

  /** What was written is due now. */
  hurry(): void {
    if (this.#active !== null) this.#demandSeal(this.#active);
  }

  /** Takes over a segment that will not change any more. */
  take(segment: Segment): void {
    if (this.#active === segment) {
      this.#active = null;
      this.#isSealDue = false;
    }
    this.#waitingBytes += segment.length;
    this.#waitingRows += segment.rows;
    this.#pending.add(segment);
    const lane = this.#laneOf(segment);
    lane.queue.push(segment);
    lane.run ??= this.#run(lane);
  }

  /** Resolves once all groups up to the given one are visible. Rejects when that takes longer than the given time. */
  async settle(group: number, timeMsMax: number): Promise<void> {
    if (this.#isSettled(group)) return;
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

  /** Resolves once all groups up to the given one are visible, and the journal will bring none of them back. */
  async settleCleared(group: number, timeMsMax: number): Promise<void> {
    const startedAt = performance.now();
    await this.settle(group, timeMsMax);
    await this.#clearing.finish(Math.max(0, timeMsMax - (performance.now() - startedAt)));
  }

  /** Resolves once no batch is visible in part, nor will be before a question sent now has looked which parts there are. */
  steady(timeMsMax: number, signal?: AbortSignal): Promise<void> {
    return this.#spreading.steady(timeMsMax, signal);
  }

  /** Ends what is under way. What was not handed over by then waits in the journal for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    await Promise.all([...this.#lanes.values()].map(lane => lane.run));
    await this.#clearing[Symbol.asyncDispose]();
    for (const segment of this.#pending) await segment.file.close();
  }

  /** At once when the lane is free; otherwise when it becomes free, so that much load makes few large inserts. */
  #demandSeal(segment: Segment): void {
    if (this.#active !== segment) return;
    this.#isSealDue = true;
    if (this.#laneOf(segment).run === null) this.#options.seal();
  }

  /** A segment of a shard that is not configured any more goes to the first one. */
  #laneOf(segment: Segment): Lane {
    return this.#lanes.get(segment.shard) ?? this.#lanes.values().next().value!;
  }

  #isSettled(group: number): boolean {
    if (this.#active !== null && this.#active.firstGroup <= group) return false;
    // All of them: shards are not equally fast, so that a younger segment may be through before an older one.
    for (const segment of this.#pending) if (segment.firstGroup <= group) return false;
    return true;
  }

  async #run(lane: Lane): Promise<void> {
    const { signal } = this.#stopping;
    for (let segment = lane.queue[0]; segment && !signal.aborted; segment = lane.queue[0]) {
      if (segment.isSpread && lane.failures === 0) await this.#spreading.begin(signal);
      try {
        await this.#insert(lane.shard, segment);
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#reportFailure(lane, error);
        if (!(await this.#makeRoom(error))) await this.#pauseAfterFailure(lane);
        continue;
      }
      lane.queue.shift();
      lane.failures = 0;
      if (segment.isSpread) this.#spreading.end();
      this.#release(segment);
    }
    lane.run = null;
    const isDue = this.#isSealDue && this.#active !== null && this.#laneOf(this.#active) === lane;
    if (isDue && !this.#stopping.signal.aborted) this.#options.seal();
  }

  async #insert(shard: Shard, segment: Segment): Promise<void> {
    if (segment.isUncertain) await this.#checkBlocks(segment);
    if (segment.blockBytes === 0) return;
    const endpoint = shard.access.endpoint();
    if (endpoint === null) throw new InsertError('The log engine is not running.');
    const { range, isUncertain } = segment;
    const name = `tapedeck-${segment.name}`;
    const insert = { name, range, blocks: readBlocks(segment) };
    segment.isUncertain = true; // until the answer is there
    try {
      await (isUncertain ? insertMissing : insertBlocks)(this.#agents, endpoint, insert);
    } catch (error) {
      if (!(error instanceof InsertError && error.isOutOfMemory)) throw error;
      // What does not fit now may never fit; smaller pieces take less.
      for (const [index, piece] of splitSegment(segment).entries()) {
        const part = { name: `${name}-${index}`, range, blocks: readBlocks(piece) };
        await insertMissing(this.#agents, endpoint, part);
      }
    }
  }

  async #checkBlocks(segment: Segment): Promise<void> {
    const dropped = await dropDamagedBlocks(segment);
    if (dropped === 0) return;
    segment.isDamaged = true;
    this.#deps.log.error(
      { segment: segment.name, dropped },
      'groups of entries in the journal are damaged and lost',
    );
  }

  /** The rows are visible: whoever waits for them goes on, and the segment is cleared away. */
  #release(segment: Segment): void {
    this.#pending.delete(segment);
    this.#waitingRows -= segment.rows;
    this.#waitingBytes -= segment.length;
    this.#insertedRows += segment.rows;
    this.#clearing.add(segment);
    for (const waiter of this.#waiters) {
      if (this.#isSettled(waiter.group)) waiter.resolve();
    }
  }

  /** On this machine's disk. Given up only now and used at once, the reserve goes to nobody else. */
  async #makeRoom(error: unknown): Promise<boolean> {
    const isFull = this.#options.isLocal && error instanceof InsertError && error.isDiskFull;
    return isFull && (await this.#deps.room.giveReserve());
  }

  #reportFailure(lane: Lane, error: unknown): void {
    if (lane.failures++ % failuresBetweenReports !== 0) return;
    this.#deps.log.warn(
      { err: error },
      'the log engine did not take the entries; they are kept and sent again',
    );
  }

  /** Ends early when the engine comes up. */
  async #pauseAfterFailure(lane: Lane): Promise<void> {
    const delayMs = Math.min(retryDelayMsMin * 2 ** Math.min(lane.failures, 10), retryDelayMsMax);
    const up = Promise.withResolvers<void>();
    const unsubscribe = lane.shard.access.onUp(up.resolve);
    await Promise.race([this.#pause(delayMs), up.promise]);
    unsubscribe();
  }

  async #pause(timeMs: number): Promise<void> {
    await wait(timeMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
  }
}
