/**
 * Gathers the rows of requests, and keeps each group as an object in the bucket and a registration, in this order. An object
 * without one counts for nothing, and none comes to an object that is old: so a group that was not registered in time never
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
import { AbandonedSegment, type Registrar } from './registrar.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { encodeObject, nameSegment, type ObjectBlock } from './segmentObject.ts';

type WriterDeps = {
  log: Logger;
  bucket: SegmentBucket;
  registrar: Registrar;
  /** The database's, as far as it is known here. */
  readTime(): Promise<number>;
  /** The mark of the shard that the next segment should go to. */
  nextShard(): string;
  /** A segment was acknowledged. */
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

const gatherMs = 100; // as many requests as come in that time share an object and a transaction
const groupBytesMax = 32 * 1024 * 1024; // of the group that is gathered; further requests are refused
const groupBytesFull = 8 * 1024 * 1024; // it leaves as soon as there is a place for it
const underWayMax = 4; // with the one that is gathered: what all of this takes of memory
const lateMs = 2_000; // then a group with keys, which the database alone settles, gives its place away
const lateMax = 16; // such groups; while the database is away no new keys come
const retryMs = 500;
const retryAfterSeconds = 2;

export class SegmentWriter implements AsyncDisposable {
  readonly #deps: WriterDeps;
  #filling = createGroup();
  readonly #resting: LogColumns[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #late = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #trouble: LogStoreFailure | null = null;
  readonly #stopping = new AbortController();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  #failures = 0;

  /** How often bucket or database did not keep what they were given. */
  get failures(): number {
    return this.#failures + this.#deps.registrar.failures;
  }

  /** Why nothing is taken at present. */
  get trouble(): LogStoreFailure | null {
    const unregistered = this.#deps.registrar.trouble;
    return this.#trouble ?? (unregistered === null ? null : describeTrouble(unregistered));
  }

  /** The columns that rows may be appended to, in one go with `enter` or with cutting them back. */
  requireColumns(): LogColumns {
    if (this.#stopping.signal.aborted)
      throw new LogStoreFailure('stopping', 'The service is stopping; send the entries again.');
    const { trouble } = this;
    if (trouble !== null) throw trouble;
    const { columns } = this.#filling;
    if (countColumnBytes(columns) <= groupBytesMax && this.#late.size < lateMax) return columns;
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
    this.#deps.registrar.stop();
    while (this.#filling.waiters.length > 0 || this.#underWay.size + this.#late.size > 0) {
      this.#sendWhenDue();
      await Promise.race([...this.#underWay, ...this.#late]);
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
      clearTimeout(timer);
      this.#late.delete(sending);
      this.#leave(sending);
    });
    this.#underWay.add(sending);
    const timer = setTimeout(() => {
      if (group.keys.length === 0) return;
      this.#late.add(sending);
      this.#leave(sending);
    }, lateMs);
  }

  #leave(sending: Promise<void>): void {
    this.#underWay.delete(sending);
    this.#sendWhenDue();
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

  /** Nothing is taken until the bucket answers again. */
  #meetTrouble(cause: unknown): LogStoreFailure {
    this.#failures++;
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
      log.info('the bucket answers again; log entries are taken');
      return;
    }
  }
}

/** The registry will never have it: it came too late, or one of its keys was taken. */
class RefusedSegment extends Error {}

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
    : 'The service cannot keep entries in its bucket and its database at present; send them again later.';
  return new LogStoreFailure(isFull ? 'disk_full' : 'unavailable', sentence, { cause, retryAfterSeconds });
}
