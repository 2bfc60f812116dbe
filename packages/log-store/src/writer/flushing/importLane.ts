/**
 * Imports segments from the bucket into one shard, while this node holds the shard's lane. A node that slept and
 * wrongly believes that it still holds the lane does no harm:
 *
 * 1. Before the first byte is sent, the registry binds the segments to one import and this shard. From then on they
 *    cannot go to another shard.
 * 2. A statement of an import has no effect if it begins later than the registry says, by the shard's clock.
 * 3. Another import of these segments begins after that time, when nothing runs under their name, and inserts only what
 *    the shard lacks.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@tapedeck/values/random-ids';
import { chooseDue } from '../../journal/bucket/dueSegments.ts';
import type { RegistryWatch } from '../../journal/bucket/registryWatch.ts';
import { joinBlocks } from '../../journal/bucket/segmentObject.ts';
import type { ReadSegment, SegmentReading } from '../../journal/bucket/segmentReading.ts';
import type { RegistryLook, SegmentRegistry, WaitingSegment } from '../../journal/bucket/segmentRegistry.ts';
import { queryRows } from '../engine/statements.ts';
import type { PartitionSplit } from './partitionSplit.ts';
import { type InsertDeps, insertSegment, nameInsert } from './segmentInsert.ts';
import type { Shard } from './shardQueue.ts';

type ImportDeps = InsertDeps & {
  registry: SegmentRegistry;
  watch: RegistryWatch;
  reading: SegmentReading;
  spreading: PartitionSplit;
  stopping: AbortSignal;
  /** Receives the number of rows that an import added. */
  onImported(rows: number): void;
};

type ImportLaneOptions = {
  shard: Shard;
  mark: string;
  /** The marks of all shards that this node knows. */
  marks: readonly string[];
  nodeId: string;
};

const heldMs = 5_000;
const holdAgainMs = 1_500;
const othersMs = 1_000; // between checks whether another node has let go
const pollMs = 100; // how long queries at other nodes wait
const beginMsMax = 10_000; // a statement must begin within this time after its segments are bound
const retryMsMin = 50;
const retryMsMax = 1_000;
const failuresKept = 3; // after so many failures another node may try to reach the shard
const failuresBetweenReports = 20;
const answerMsMax = 3_000;
const answerAgeMsMax = 1_000; // a shard that answered this recently is up

export class ImportLane {
  readonly #deps: ImportDeps;
  readonly #options: ImportLaneOptions;
  readonly #work: Promise<void>;
  #shardClock = { aheadMs: 0, at: Number.NEGATIVE_INFINITY };
  /** The import that this lane sent last, while its outcome is unknown. */
  #own = '';
  #heldAt = Number.NEGATIVE_INFINITY;
  /** Failed imports since the start. */
  failedImports = 0;
  #isHurried = false;
  #wake: (() => void) | null = null;
  /** Consecutive failures. */
  #failures = 0;

  constructor(deps: ImportDeps, options: ImportLaneOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#work = this.#run();
  }

  get mark(): string {
    return this.#options.mark;
  }

  /** True if the shard refused the last import. */
  get isAway(): boolean {
    return this.#failures > 0;
  }

  /** Called when a query at this node waits for the segments. */
  hurry(): void {
    this.#isHurried = true;
    this.#wake?.();
  }

  async finish(): Promise<void> {
    await this.#work;
  }

  async #run(): Promise<void> {
    const { registry, stopping } = this.#deps;
    const { mark, nodeId } = this.#options;
    while (!stopping.aborted) {
      try {
        const isHeld = await this.#hold();
        const isDone = isHeld && (await this.#importSome());
        if (isHeld) this.#failures = 0;
        if (!isDone) await this.#pause(isHeld ? pollMs : othersMs);
      } catch (error) {
        if (stopping.aborted) break;
        await this.#bear(error);
      }
    }
    if (this.#heldAt > Number.NEGATIVE_INFINITY) await registry.releaseLane(mark, nodeId).catch(() => {}); // the hold expires by itself
  }

  async #hold(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#heldAt < holdAgainMs) return true;
    const { mark, nodeId } = this.#options;
    const isHeld = await this.#deps.registry.holdLane(mark, nodeId, heldMs);
    this.#heldAt = isHeld ? now : Number.NEGATIVE_INFINITY;
    return isHeld;
  }

  /** Returns false when nothing is due. */
  async #importSome(): Promise<boolean> {
    const { mark: shard, marks: shards } = this.#options;
    const isHurried = this.#isHurried;
    this.#isHurried = false;
    const look = await this.#deps.watch.look();
    this.#deps.watch.notice(look);
    const begun = look.segments.find(segment => segment.import !== null && segment.shard === shard)?.import;
    if (begun && (await this.#repeat(begun, look))) return true;
    const due = chooseDue(look, { shard, shards, isHurried });
    if (due.length > 0) await this.#begin(due, look);
    return due.length > 0;
  }

  async #begin(due: readonly WaitingSegment[], { now }: RegistryLook): Promise<void> {
    const { registry, reading } = this.#deps;
    const { mark: shard } = this.#options;
    const name = newId();
    const [read, shardNow] = await Promise.all([reading.readAll(due, now), this.#readShardClock(name)]);
    if (read.length === 0) return;
    const until = shardNow + beginMsMax;
    const names = read.map(segment => segment.name);
    if (!(await registry.begin({ name, shard, until }, names))) return; // another node was faster
    this.#own = name;
    await this.#send(read, { name, until, isRepeated: false });
  }

  /** Repeats an import whose outcome is unknown. */
  async #repeat(begun: { name: string; until: number }, { now, segments }: RegistryLook): Promise<boolean> {
    const { registry, reading } = this.#deps;
    const shard = await this.#askShard(begun.name);
    const isOver = this.#own === begun.name || shard.now > begun.until;
    if (shard.isRunning || !isOver) return false;
    const bound = segments.filter(segment => segment.import?.name === begun.name);
    const read = await reading.readAll(bound, now);
    const until = shard.now + beginMsMax;
    if (!(await registry.extend(begun, until))) return false;
    this.#own = begun.name;
    await this.#send(read, { name: begun.name, until, isRepeated: true });
    return true;
  }

  async #send(
    read: readonly ReadSegment[],
    { name, until, isRepeated }: { name: string; until: number; isRepeated: boolean },
  ): Promise<void> {
    const { registry, reading, spreading, stopping, onImported } = this.#deps;
    const segment = joinBlocks(name, read);
    segment.isUncertain = isRepeated;
    if (segment.isSpread) await spreading.begin(stopping);
    try {
      stopping.throwIfAborted();
      await insertSegment(this.#deps, this.#options.shard.access, { segment, until });
    } finally {
      if (segment.isSpread) spreading.end();
    }
    await registry.end(name);
    onImported(segment.rows);
    reading.forget(read.map(each => each.name));
  }

  /** Estimates the shard's clock, in whole milliseconds, from its last answer if that is recent; otherwise asks the shard. */
  async #readShardClock(name: string): Promise<number> {
    const { aheadMs, at } = this.#shardClock;
    if (performance.now() - at < answerAgeMsMax) return Math.trunc(performance.now() + aheadMs);
    return (await this.#askShard(name)).now;
  }

  /** Returns the shard's clock, and whether a statement runs under the name. Rejects if the shard does not answer; then nothing is bound to it. */
  async #askShard(name: string): Promise<{ now: number; isRunning: boolean }> {
    const { access } = this.#options.shard;
    const [row] = await queryRows(access, {
      sql: `SELECT toUnixTimestamp64Milli(now64(3)), count() FROM system.processes WHERE startsWith(query_id, {name:String})`,
      parameters: { name: nameInsert({ name }) },
      signal: AbortSignal.timeout(answerMsMax),
    });
    const [now, running] = row as [number, number]; // as selected: an aggregate has one row
    const at = performance.now();
    this.#shardClock = { aheadMs: now - at, at };
    return { now, isRunning: running > 0 };
  }

  async #bear(error: unknown): Promise<void> {
    this.failedImports++;
    if (this.#failures++ % failuresBetweenReports === 0) {
      const { url } = this.#options.shard;
      this.#deps.log.warn(
        { err: error, shard: url },
        'entries could not be inserted; they wait in the bucket',
      );
    }
    if (this.#failures >= failuresKept) await this.#release();
    await this.#pause(Math.min(retryMsMin * 2 ** Math.min(this.#failures, 10), retryMsMax));
  }

  async #release(): Promise<void> {
    const { mark, nodeId } = this.#options;
    this.#heldAt = Number.NEGATIVE_INFINITY;
    await this.#deps.registry.releaseLane(mark, nodeId).catch(() => {}); // the hold expires by itself
  }

  /** Ends early if a query waits for the segments and this lane can import them. */
  async #pause(ms: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#deps.stopping, ended.signal]);
    const canHurry = this.#failures === 0 && this.#heldAt > Number.NEGATIVE_INFINITY;
    if (canHurry && this.#isHurried) return;
    this.#wake = canHurry ? resolve : null;
    await Promise.race([wait(ms, undefined, { signal, ref: false }).catch(() => {}), woken]);
    this.#wake = null;
    ended.abort();
  }
}
