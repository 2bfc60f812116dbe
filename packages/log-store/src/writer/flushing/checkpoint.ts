/**
 * Removes segments from the journal once the parts with their rows are synced. Inserts into an embedded engine don't sync,
 * so that no query waits for the disk. One checkpoint syncs the parts of many inserts, most of which have been merged by
 * then.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { LogStoreFailure } from '../../failures.ts';
import type { Segment } from '../../journal/journal.ts';
import type { Logger } from '../../logger.ts';

/** Resolves once every part that existed before the call survives a power cut. */
export type SyncedParts = { sync(): Promise<unknown> };

type CheckpointDeps = {
  log: Logger;
  parts: SyncedParts;
  /** Removes the segment from the journal. */
  forget(segment: Segment): void;
};

// After a crash, the segments since the last checkpoint are compared with the engine before any query is answered: thirty milliseconds each, so
// about a second at most.
const intervalMs = 2_000;
const segmentsMax = 32;
const bytesMax = 16 * 1024 * 1024; // a large insert is not worth a delay
const retryIntervalMs = 1_000;
const retryAfterSeconds = 2;

export class Checkpoints implements AsyncDisposable {
  readonly #deps: CheckpointDeps;
  readonly #stopping = new AbortController();
  /** Segments that were inserted but not synced yet. */
  #segments: Segment[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** Called when the rows of the segment are visible. */
  add(segment: Segment): void {
    this.#segments.push(segment);
    this.#bytes += segment.length;
    if (this.#segments.length >= segmentsMax || this.#bytes >= bytesMax) void this.#begin();
    else this.#plan();
  }

  /** Resolves once every segment added before the call was forgotten. Rejects after the given time. */
  async finish(timeMsMax: number): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(describeDelay()), timeMsMax);
    try {
      await Promise.race([this.#finishAll(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tries once more. Segments that could not be synced stay in the journal, and the next start compares them with the engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#finishAll();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #finishAll(): Promise<void> {
    await this.#work; // it may have begun before the last segment came
    await this.#begin();
  }

  #begin(): Promise<void> {
    this.#work ??= this.#run().finally(() => {
      this.#work = null;
      if (this.#segments.length > 0 && !this.#stopping.signal.aborted) this.#plan();
    });
    return this.#work;
  }

  /** A checkpoint that is running when the next is due plans another at its end. */
  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#begin();
    }, intervalMs).unref();
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const segments = this.#segments;
    if (segments.length === 0) return;
    this.#segments = [];
    if (!(await this.#sync())) return; // the service stops: the segments stay in the journal
    for (const segment of segments) {
      this.#bytes -= segment.length;
      this.#deps.forget(segment);
    }
  }

  /** Retries until it succeeds, or the service stops. */
  async #sync(): Promise<boolean> {
    const { signal } = this.#stopping;
    for (;;) {
      try {
        await this.#deps.parts.sync();
        return true;
      } catch (error) {
        this.#deps.log.error(
          { err: error },
          'could not sync entries in the log engine yet; the journal keeps them',
        );
      }
      if (signal.aborted) return false;
      await wait(retryIntervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

function describeDelay(): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    'The disk of the log engine could not store the entries; try again later.',
    { retryAfterSeconds },
  );
}
