/**
 * Gathers the rows of requests. Keeps each group as an object in the bucket, and then registers it. An object without a
 * registration doesn't count, and an old object never gets one. So a group that was not registered in time never comes back,
 * and its requests may be refused. Requests with keys form separate groups: only the database can settle those, and other
 * requests should not wait for it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@tapedeck/values/failure';
import {
  countColumnBytes,
  createColumns,
  encodeBlock,
  type LogColumns,
  type RowRange,
  resetColumns,
} from '../../blocks/native.ts';
import { LogStoreFailure } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { Entered, Entering, KeyRecord } from '../journal.ts';
import { AbandonedSegment, type Registrar, UnansweredSegment } from './registrar.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { encodeObject, nameSegment, type ObjectBlock } from './segmentObject.ts';

type WriterDeps = {
  log: Logger;
  bucket: SegmentBucket;
  registrar: Registrar;
  /** Estimates the database's time. */
  readTime(): Promise<number>;
  /** Returns the mark of the shard that the next segment should go to. */
  nextShard(): string;
  /** Called when a segment was acknowledged. */
  onWritten(name: string, content: ObjectBlock): void;
};

type Waiter = { resolve: () => void; reject: (error: unknown) => void };

type Group = {
  columns: LogColumns;
  keys: KeyRecord[];
  waiters: Waiter[];
  isSpread: boolean;
  begunAt: number;
};

/** State of requests with keys, or of those without: the group being gathered, and the number of groups being stored. */
type Gathering = {
  group: Group;
  underWay: number;
  readonly underWayMax: number;
  timer: NodeJS.Timeout | null;
};

const gatherMs = 100; // requests within this time share an object and a transaction
const groupBytesMax = 32 * 1024 * 1024; // of the group being gathered; further requests are refused
const groupBytesFull = 8 * 1024 * 1024; // a group of this size is sent as soon as there is a place for it
const underWayMax = 4; // of all groups; with those being gathered, this bounds memory
const keyedUnderWayMax = 2; // leaves places for requests without keys while the database is slow
const lateMs = 2_000; // after this, a group with keys gives up its place
const lateMax = 16; // late groups; beyond this, requests with keys are refused
const retryMs = 500;
const retryAfterSeconds = 2;

export class SegmentWriter implements AsyncDisposable {
  readonly #deps: WriterDeps;
  readonly #plain = createGathering(underWayMax);
  readonly #keyed = createGathering(keyedUnderWayMax);
  readonly #resting: LogColumns[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #late = new Set<Promise<void>>();
  #trouble: LogStoreFailure | null = null;
  readonly #stopping = new AbortController();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  #failures = 0;

  /** Failed writes to bucket or database since the start. */
  get failures(): number {
    return this.#failures + this.#deps.registrar.failures;
  }

  /** The reason why intake is stopped now, or null. */
  get trouble(): LogStoreFailure | null {
    const unregistered = this.#deps.registrar.trouble;
    return this.#trouble ?? (unregistered === null ? null : describeTrouble(unregistered));
  }

  /** Returns the columns to append rows to. Append, and then call `enter` or cut the rows back, without waiting in between. */
  requireColumns({ isKeyed }: Entering): LogColumns {
    if (this.#stopping.signal.aborted)
      throw new LogStoreFailure('stopping', 'The service is stopping; send the entries again.');
    const { trouble } = this;
    if (trouble !== null) throw trouble;
    const { columns } = this.#gatheringOf(isKeyed).group;
    const isCrowded = isKeyed && this.#late.size >= lateMax;
    if (countColumnBytes(columns) <= groupBytesMax && !isCrowded) return columns;
    throw new LogStoreFailure(
      'overloaded',
      'Entries arrive faster than the bucket can store them; send them again later.',
      { retryAfterSeconds },
    );
  }

  /** Resolves once the rows appended since `requireColumns` are kept; rejects once they never will be. */
  enter({ key, isSpread }: Entered): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gathering = this.#gatheringOf(key !== null);
    const { group } = gathering;
    if (group.waiters.length === 0) group.begunAt = performance.now();
    group.isSpread ||= isSpread;
    group.waiters.push({ resolve, reject });
    if (key !== null) group.keys.push(key);
    this.#sendWhenDue(gathering);
    return promise;
  }

  /** Keeps what was gathered, and accepts nothing more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#deps.registrar.stop();
    const gatherings = [this.#plain, this.#keyed];
    while (gatherings.some(isWaiting) || this.#underWay.size + this.#late.size > 0) {
      for (const gathering of gatherings) this.#sendWhenDue(gathering);
      await Promise.race([...this.#underWay, ...this.#late]);
    }
    for (const { timer } of gatherings) if (timer !== null) clearTimeout(timer);
  }

  #gatheringOf(isKeyed: boolean): Gathering {
    return isKeyed ? this.#keyed : this.#plain;
  }

  #sendWhenDue(gathering: Gathering): void {
    const { begunAt, columns } = gathering.group;
    if (!isWaiting(gathering) || !this.#hasPlace(gathering)) return;
    const leftMs = this.#stopping.signal.aborted ? 0 : begunAt + gatherMs - performance.now();
    if (leftMs <= 0 || countColumnBytes(columns) >= groupBytesFull) {
      this.#send(gathering);
      return;
    }
    gathering.timer ??= setTimeout(() => {
      gathering.timer = null;
      this.#sendWhenDue(gathering);
    }, Math.ceil(leftMs));
  }

  #hasPlace(gathering: Gathering): boolean {
    return this.#underWay.size < underWayMax && gathering.underWay < gathering.underWayMax;
  }

  #send(gathering: Gathering): void {
    const { group } = gathering;
    gathering.group = createGroup(this.#resting.pop());
    gathering.underWay++;
    const sending = this.#keep(group).finally(() => {
      clearTimeout(timer);
      this.#late.delete(sending);
      this.#leave(sending, gathering);
    });
    this.#underWay.add(sending);
    const timer = setTimeout(() => {
      if (gathering === this.#plain) return;
      this.#late.add(sending);
      this.#leave(sending, gathering);
    }, lateMs);
  }

  /** Frees the place, and lets the group that waited longest go first. */
  #leave(sending: Promise<void>, gathering: Gathering): void {
    if (!this.#underWay.delete(sending)) return; // it was late, and has already left
    gathering.underWay--;
    const gatherings = [this.#plain, this.#keyed];
    gatherings.sort((one, other) => one.group.begunAt - other.group.begunAt);
    for (const waiting of gatherings) this.#sendWhenDue(waiting);
  }

  async #keep(group: Group): Promise<void> {
    const { columns, waiters, keys, isSpread } = group;
    try {
      const name = nameSegment(await this.#deps.readTime());
      const { rows, range }: { rows: number; range: RowRange } = columns;
      const content = { rows, range, block: Buffer.concat(encodeBlock(columns)) };
      resetColumns(columns);
      if (this.#resting.length < underWayMax) this.#resting.push(columns);
      await this.#deps.bucket.put(name, await encodeObject(name, content));
      const shard = this.#deps.nextShard();
      const segment = { name, shard, rows, bytes: content.block.length, isSpread };
      if (!(await this.#deps.registrar.register(segment, keys))) throw new RefusedSegment();
      this.#deps.onWritten(name, content);
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      this.#refuse(waiters, error);
    }
  }

  /** Refuses these waiters. If the bucket or database fails, also refuses those that arrived meanwhile, so that they need not wait. */
  #refuse(waiters: readonly Waiter[], error: unknown): void {
    if (error instanceof AbandonedSegment) return; // the outcome is unknown, so there is nothing to report
    if (error instanceof RefusedSegment) {
      for (const { reject } of waiters) reject(lateError(error));
      return;
    }
    if (error instanceof UnansweredSegment) {
      for (const { reject } of waiters) reject(unansweredError(error));
      return;
    }
    const trouble = this.#meetTrouble(error);
    const arrived = [this.#plain, this.#keyed].flatMap(gathering => {
      const { group } = gathering;
      gathering.group = createGroup();
      return group.waiters;
    });
    for (const { reject } of [...waiters, ...arrived]) reject(trouble);
  }

  /** Stops intake until the bucket takes writes again. */
  #meetTrouble(cause: unknown): LogStoreFailure {
    this.#failures++;
    if (this.#trouble === null) {
      this.#trouble = describeTrouble(cause);
      this.#deps.log.error(
        { err: cause },
        'could not write log entries to the bucket; refusing new entries for now',
      );
      void this.#untilOver();
    }
    return this.#trouble;
  }

  async #untilOver(): Promise<void> {
    const { bucket, log } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await wait(retryMs, undefined, { signal, ref: false }).catch(() => {});
      try {
        await bucket.check();
      } catch {
        continue;
      }
      this.#trouble = null;
      log.info('the bucket takes writes again; accepting log entries');
      return;
    }
  }
}

/** The registry will never accept the segment: it came too late, or another request took one of its keys. */
class RefusedSegment extends Error {}

function createGathering(groupsMax: number): Gathering {
  return { group: createGroup(), underWay: 0, underWayMax: groupsMax, timer: null };
}

function isWaiting({ group }: Gathering): boolean {
  return group.waiters.length > 0;
}

function createGroup(columns = createColumns()): Group {
  return { columns, keys: [], waiters: [], isSpread: false, begunAt: 0 };
}

function lateError(cause: unknown): LogStoreFailure {
  const sentence = 'The entries could not be stored in time; send them again.';
  return new LogStoreFailure('unavailable', sentence, { cause, retryAfterSeconds });
}

function unansweredError(cause: unknown): LogStoreFailure {
  const sentence =
    'The database did not say whether it has the entries. Send them again; with an Idempotency-Key none is stored twice.';
  return new LogStoreFailure('unavailable', sentence, { cause, retryAfterSeconds });
}

function describeTrouble(cause: unknown): LogStoreFailure {
  const isFull = cause instanceof Failure && cause.code === 'disk_full';
  const sentence = isFull
    ? 'The bucket of the service is full; free some space and send the entries again.'
    : 'The service cannot store entries in its bucket and its database right now; send them again later.';
  return new LogStoreFailure(isFull ? 'disk_full' : 'unavailable', sentence, { cause, retryAfterSeconds });
}
