/**
 * Writes groups of entries into segments, one frame for each group:
 *
 * 1. A request is acknowledged only after the frame with all of its rows, and its key, was written and synced.
 * 2. Only one group is being written to the disk at a time. After a crash at most one frame can be unfinished, the last
 *    one of the newest segment, and its requests got no answer.
 * 3. A request is refused only after its frame, if any of it was written, was durably taken back. While a frame can
 *    neither be synced nor taken back, its requests get no answer.
 * 4. A segment is closed before it is handed over, and never written to again.
 */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isDiskFull } from '@tapedeck/durable-files';
import {
  countColumnBytes,
  createColumns,
  encodeBlock,
  type LogColumns,
  resetColumns,
} from '../../blocks/native.ts';
import { LogStoreFailure } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { Entered, KeyRecord } from '../journal.ts';
import type { JournalDisk } from './disk.ts';
import { diskFullError, type JournalSpace } from './journalQuota.ts';
import { appendFrame, createSegment, cutSegment, type FileSegment, removeSegment } from './segment.ts';

type GroupWriterDeps = { disk: JournalDisk; log: Logger; room: JournalSpace };

type GroupWriterOptions = {
  directory: string;
  /** Returns the mark of the shard for the next segment. */
  nextShard(): string;
  /** Bytes of the segments that were handed over and are not yet removed. */
  countHandedBytes(): number;
  /** Returns how long the next group must wait so that the flusher keeps up. */
  paceMs(): number;
  /** Takes over a segment that no longer changes. */
  onSealed(segment: FileSegment): void;
  /** Called when a group was acknowledged; its columns hold it until the call returns. */
  onWritten(segment: FileSegment): void;
};

type Waiter = { resolve: () => void; reject: (error: unknown) => void };

/** Rows of several requests that share a frame and a sync. */
type Group = { columns: LogColumns; keys: KeyRecord[]; waiters: Waiter[]; isSpread: boolean };

const segmentRowsMax = 200_000; // a second's worth of entries; large inserts leave less to merge
const segmentBytesMax = 32 * 1024 * 1024; // bounds the engine's memory for one insert
const groupBytesMax = 32 * 1024 * 1024; // of the group in memory that waits for a sync; further requests are refused
const retryIntervalMs = 1_000;
const retryAfterSeconds = 2;

export class GroupWriter implements AsyncDisposable {
  readonly #deps: GroupWriterDeps;
  readonly #options: GroupWriterOptions;
  #filling: Group = createGroup();
  #resting: Group = createGroup();
  #active: FileSegment | null = null;
  #spare: Promise<FileSegment> | null = null;
  /** Number of acknowledged groups. */
  #written = 0;
  #pump: Promise<void> | null = null;
  #isSealWanted = false;
  #refusal: LogStoreFailure | null = null;
  readonly #stopping = new AbortController();

  private constructor(deps: GroupWriterDeps, options: GroupWriterOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Opens a writer in a directory whose earlier segments are already recovered. */
  static async open(deps: GroupWriterDeps, options: GroupWriterOptions): Promise<GroupWriter> {
    const writer = new GroupWriter(deps, options);
    writer.#spare = writer.#createSpare();
    await writer.#spare.catch(() => {}); // the first request reports the failure
    return writer;
  }

  /** Throws while every request is refused. A momentary overload of the disk does not count. */
  requireTaking(): void {
    if (this.#stopping.signal.aborted)
      throw new LogStoreFailure('stopping', 'The service is stopping; send the entries again.');
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#deps.room.refusal !== null) throw this.#deps.room.refusal;
    this.#requireRoomFor(countColumnBytes(this.#filling.columns));
  }

  /** Returns the columns to append rows to. Append, and then call `enter` or cut the rows back, without waiting in between. */
  requireColumns(): LogColumns {
    this.requireTaking();
    const { columns } = this.#filling;
    if (countColumnBytes(columns) > groupBytesMax) {
      throw new LogStoreFailure(
        'overloaded',
        'Entries arrive faster than the disk can store them; send them again later.',
        { retryAfterSeconds },
      );
    }
    return columns;
  }

  /** Requires room for the rows in memory beside those on the disk. */
  #requireRoomFor(waitingBytes: number): void {
    const writtenBytes = (this.#active?.length ?? 0) + this.#options.countHandedBytes();
    if (waitingBytes + writtenBytes <= this.#deps.room.journalBytesMax) return;
    throw new LogStoreFailure(
      'journal_full',
      'The log engine has been down for so long that no more entries can wait for it; send them again later.',
      { retryAfterSeconds },
    );
  }

  /** Resolves once the rows appended since `requireColumns` are durable; rejects once they are durably not there. */
  enter({ key, isSpread }: Entered): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#filling.isSpread ||= isSpread;
    this.#filling.waiters.push({ resolve, reject });
    if (key !== null) this.#filling.keys.push(key);
    this.#startPump();
    return promise;
  }

  /** Hands over the active segment as soon as no group is being written to it. */
  seal(): void {
    this.#isSealWanted = true;
    this.#startPump();
  }

  /** Writes the waiting groups, hands over every segment, and accepts nothing more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.seal();
    await this.#pump;
    const spare = await this.#spare?.catch(() => null);
    if (spare) await removeSegment(this.#deps.disk, spare);
  }

  #startPump(): void {
    this.#pump ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    await nextTurn(); // requests that have arrived already share the first group
    while (this.#filling.waiters.length > 0 || this.#isSealWanted) {
      if (this.#isSealWanted || isFull(this.#active)) this.#sealActive();
      if (this.#filling.waiters.length === 0) continue;
      await this.#keepPace();
      await this.#writeGroup();
    }
    this.#pump = null; // in the same step as the last check, so that no new request is missed
  }

  /** Waits as the flusher asks; more requests join the group meanwhile. */
  async #keepPace(): Promise<void> {
    const { signal } = this.#stopping;
    const paceMs = this.#options.paceMs();
    if (paceMs > 0 && !signal.aborted) await wait(paceMs, undefined, { signal }).catch(() => {});
  }

  async #writeGroup(): Promise<void> {
    const group = this.#filling;
    this.#filling = this.#resting;
    if (this.#written === 0) this.#deps.room.keepReserve(); // the first group is the first thing to need it
    try {
      this.#active ??= await this.#takeSpare();
      await this.#append(this.#active, group);
    } catch (error) {
      await this.#refuse(group, error);
    } finally {
      resetColumns(group.columns);
      this.#resting = createGroup(group.columns);
    }
  }

  async #append(segment: FileSegment, { columns, keys, waiters, isSpread }: Group): Promise<void> {
    await appendFrame(segment, {
      rows: columns.rows,
      range: columns.range,
      writtenAt: Date.now(),
      keys,
      block: encodeBlock(columns),
    });
    this.#written++;
    if (segment.firstGroup === 0) segment.firstGroup = this.#written;
    segment.isSpread ||= isSpread;
    this.#options.onWritten(segment);
    for (const waiter of waiters) waiter.resolve();
  }

  /** Refuses the requests that arrived meanwhile, too: they need not wait for a disk that just failed. */
  async #refuse(group: Group, error: unknown): Promise<void> {
    this.#refusal = describeFailure(error);
    if (isDiskFull(error)) this.#deps.room.reportFull();
    else this.#deps.log.error({ err: error }, 'could not write to the log journal');
    const arrived = this.#filling;
    this.#filling = createGroup();
    for (const waiter of arrived.waiters) waiter.reject(this.#refusal);
    if (!(await this.#takeBack())) return;
    for (const waiter of group.waiters) waiter.reject(this.#refusal);
    this.#refusal = null;
  }

  /** Returns true once nothing of the failed write can come back, or false if the service stops first. */
  async #takeBack(): Promise<boolean> {
    const { disk, log } = this.#deps;
    const segment = this.#active;
    while (segment !== null) {
      try {
        await cutSegment(disk, segment);
        if (segment.cutMark !== null) this.#sealActive();
        return true;
      } catch (error) {
        log.error({ err: error }, 'could not undo a failed write to the log journal; trying again');
      }
      if (this.#stopping.signal.aborted) return false;
      await wait(retryIntervalMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
    return true;
  }

  #sealActive(): void {
    this.#isSealWanted = false;
    const segment = this.#active;
    if (segment === null || (segment.rows === 0 && segment.cutMark === null)) return;
    this.#active = null;
    this.#options.onSealed(segment);
  }

  async #takeSpare(): Promise<FileSegment> {
    const spare = await (this.#spare ?? this.#createSpare());
    this.#spare = this.#createSpare();
    return spare;
  }

  /** Makes a segment ahead of its use, so that no request waits for the directory to be synced. */
  #createSpare(): Promise<FileSegment> {
    const spare = createSegment(this.#deps.disk, this.#options.directory, this.#options.nextShard());
    spare.catch(() => {
      if (this.#spare === spare) this.#spare = null; // the next group retries, and its requests get the error
    });
    return spare;
  }
}

function createGroup(columns = createColumns()): Group {
  return { columns, keys: [], waiters: [], isSpread: false };
}

function isFull(segment: FileSegment | null): boolean {
  return segment !== null && (segment.rows >= segmentRowsMax || segment.length >= segmentBytesMax);
}

function describeFailure(error: unknown): LogStoreFailure {
  if (isDiskFull(error)) return diskFullError(error);
  const sentence = 'The service cannot write to its disk; send the entries again later.';
  return new LogStoreFailure('unavailable', sentence, { cause: error, retryAfterSeconds });
}
