/**
 * Gathers the rows of requests, and keeps each group as an object in the bucket and a row in the registry, in this order. An object
 * without a row counts for nothing, and no row comes to an object that is old: so a group that was not registered in time never
 * comes back, and its requests may be refused.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@tapedeck/failures';
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
import type { Entered, KeyRecord } from '../journal.ts';
import type { DatabaseTime } from './databaseTime.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { encodeObject, nameSegment } from './segmentObject.ts';
import type { SegmentRegistry } from './segmentRegistry.ts';

type WriterDeps = {
  log: Logger;
  bucket: SegmentBucket;
  registry: SegmentRegistry;
  time: DatabaseTime;
  /** The mark of the shard that the next segment should go to. */
  nextShard(): string;
  /** A segment was acknowledged. */
  onWritten(name: string, bytes: Buffer): void;
};

type Waiter = { resolve: () => void; reject: (error: unknown) => void };

type Group = {
  columns: LogColumns;
  keys: KeyRecord[];
  waiters: Waiter[];
  isSpread: boolean;
  begunAt: number;
};

const gatherMs = 100; // as many requests as come in that time share an object and a transaction
const groupBytesMax = 32 * 1024 * 1024; // of the group that is gathered; further requests are refused
const groupBytesFull = 8 * 1024 * 1024; // it leaves as soon as there is a place for it
const underWayMax = 4; // with the one that is gathered: what all of this takes of memory
const retryMs = 500;
const retryAfterSeconds = 2;

/** A segment is registered so soon after it was named, or never. Objects that are much older than that, and have no row, are swept. */
export const registeredMsMax = 60_000;

export class SegmentWriter implements AsyncDisposable {
  readonly #deps: WriterDeps;
  #filling = createGroup();
  readonly #resting: LogColumns[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #trouble: LogStoreFailure | null = null;
  readonly #stopping = new AbortController();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** How often bucket or database did not keep what they were given. */
  failures = 0;

  /** Why nothing is taken at present. */
  get trouble(): LogStoreFailure | null {
    return this.#trouble;
  }

  /** The columns that rows may be appended to, in one go with `enter` or with cutting them back. */
  requireColumns(): LogColumns {
    if (this.#stopping.signal.aborted)
      throw new LogStoreFailure('stopping', 'The service is stopping; send the entries again.');
    if (this.#trouble !== null) throw this.#trouble;
    const { columns } = this.#filling;
    if (countColumnBytes(columns) <= groupBytesMax) return columns;
    throw new LogStoreFailure(
      'overloaded',
      'More entries arrive than the bucket takes; send them again later.',
      { retryAfterSeconds },
    );
  }

  /** Resolves once the rows appended since `requireColumns` are kept; rejects once they never will be. */
  enter({ key, isSpread }: Entered): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const group = this.#filling;
    if (group.waiters.length === 0) group.begunAt = performance.now();
    group.isSpread ||= isSpread;
    group.waiters.push({ resolve, reject });
    if (key !== null) group.keys.push(key);
    this.#sendWhenDue();
    return promise;
  }

  /** Keeps what was gathered, and takes nothing more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    while (this.#filling.waiters.length > 0 || this.#underWay.size > 0) {
      this.#sendWhenDue();
      await Promise.race(this.#underWay);
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #sendWhenDue(): void {
    const { waiters, begunAt, columns } = this.#filling;
    if (waiters.length === 0 || this.#underWay.size >= underWayMax) return;
    const leftMs = this.#stopping.signal.aborted ? 0 : begunAt + gatherMs - performance.now();
    if (leftMs <= 0 || countColumnBytes(columns) >= groupBytesFull) {
      this.#sendFilling();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#sendWhenDue();
    }, Math.ceil(leftMs));
  }

  #sendFilling(): void {
    const group = this.#filling;
    this.#filling = createGroup(this.#resting.pop());
    const sending = this.#keep(group).finally(() => {
      this.#underWay.delete(sending);
      this.#sendWhenDue();
    });
    this.#underWay.add(sending);
  }

  async #keep(group: Group): Promise<void> {
    const { columns, waiters, keys, isSpread } = group;
    try {
      const name = nameSegment(await this.#deps.time.now());
      const { rows, range }: { rows: number; range: RowRange } = columns;
      const content = { rows, range, writtenAt: Date.now(), keys: [], block: encodeBlock(columns) };
      const bytes = encodeObject(name, content);
      resetColumns(columns);
      if (this.#resting.length < underWayMax) this.#resting.push(columns);
      await this.#deps.bucket.put(name, bytes);
      const shard = this.#deps.nextShard();
      await this.#register({ name, shard, rows, bytes: bytes.length, isSpread }, keys);
      this.#deps.onWritten(name, bytes);
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      this.#refuse(waiters, error);
    }
  }

  /** Until it is known whether the segment counts: whoever lost an answer asks again. */
  async #register(
    segment: Parameters<SegmentRegistry['register']>[0],
    keys: readonly KeyRecord[],
  ): Promise<void> {
    const until = Number.parseInt(segment.name, 10) / 1000 + registeredMsMax;
    for (;;) {
      try {
        if (await this.#deps.registry.register(segment, { until, keys })) return;
        throw new RefusedSegment();
      } catch (error) {
        if (error instanceof RefusedSegment) throw error;
        this.#meetTrouble(error);
        const { signal } = this.#stopping;
        await wait(retryMs, undefined, { signal, ref: false }).catch(() => {});
        if (signal.aborted) throw new AbandonedSegment();
      }
    }
  }

  /** Those that arrived meanwhile need not wait for what does not answer. */
  #refuse(waiters: readonly Waiter[], error: unknown): void {
    if (error instanceof AbandonedSegment) return; // nobody knows, and nobody is told
    if (error instanceof RefusedSegment) {
      for (const { reject } of waiters) reject(lateError(error));
      return;
    }
    const trouble = this.#meetTrouble(error);
    const arrived = this.#filling;
    this.#filling = createGroup();
    for (const { reject } of [...waiters, ...arrived.waiters]) reject(trouble);
  }

  /** Nothing is taken until bucket and database answer again. */
  #meetTrouble(cause: unknown): LogStoreFailure {
    this.failures++;
    if (this.#trouble === null) {
      this.#trouble = describeTrouble(cause);
      this.#deps.log.error(
        { err: cause },
        'log entries could not be kept in the bucket; none are taken for now',
      );
      void this.#untilOver();
    }
    return this.#trouble;
  }

  async #untilOver(): Promise<void> {
    const { bucket, registry, log } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await wait(retryMs, undefined, { signal, ref: false }).catch(() => {});
      try {
        await Promise.all([bucket.check(), registry.readClock()]);
      } catch {
        continue;
      }
      this.#trouble = null;
      log.info('bucket and database answer again; log entries are taken');
      return;
    }
  }
}

/** The registry will never have it: it came too late, or one of its keys was taken. */
class RefusedSegment extends Error {}

/** The service stopped before it was known whether the registry has it. */
class AbandonedSegment extends Error {}

function createGroup(columns = createColumns()): Group {
  return { columns, keys: [], waiters: [], isSpread: false, begunAt: 0 };
}

function lateError(cause: unknown): LogStoreFailure {
  const sentence = 'The entries could not be stored in time; send them again.';
  return new LogStoreFailure('unavailable', sentence, { cause, retryAfterSeconds });
}

function describeTrouble(cause: unknown): LogStoreFailure {
  const isFull = cause instanceof Failure && cause.code === 'disk_full';
  const sentence = isFull
    ? 'The bucket of the service is full; make room and send the entries again.'
    : 'The service cannot keep entries in its bucket at present; send them again later.';
  return new LogStoreFailure(isFull ? 'disk_full' : 'unavailable', sentence, { cause, retryAfterSeconds });
}
