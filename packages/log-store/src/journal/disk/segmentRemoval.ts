/**
 * Removes segments from the journal, one after another, once the engine has their entries. First stores the keys of each
 * segment in `KeyShelves`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { LogStoreFailure } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { JournalDisk } from './disk.ts';
import type { KeyShelves } from './keys.ts';
import { keepDamagedSegment } from './recovery.ts';
import { type FileSegment, removeSegment } from './segment.ts';

type ClearingDeps = {
  disk: JournalDisk;
  log: Logger;
  keys: KeyShelves;
  /** Called when the keys of a segment are stored. */
  onKeysStored(segment: FileSegment): void;
  /** Called when the segment uses no more disk space. */
  onCleared(segment: FileSegment): void;
};

const retryIntervalMs = 1_000;
const retryAfterSeconds = 2;

export class Clearing implements AsyncDisposable {
  readonly #deps: ClearingDeps;
  readonly #directory: string;
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(deps: ClearingDeps, directory: string) {
    this.#deps = deps;
    this.#directory = directory;
  }

  /** Takes over a segment that is no longer read. */
  add(segment: FileSegment): void {
    this.#work = this.#work.then(() => this.#clear(segment));
  }

  /**
   * Resolves once no restart can find the segments added before the call, not even after a power cut. Rejects after the
   * given time, or if the service stops first.
   */
  async finish(timeMsMax: number): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(describeDelay()), timeMsMax);
    try {
      await Promise.race([this.#finishAndSync(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tries each remaining segment once more; the next start finds those that stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #finishAndSync(): Promise<void> {
    await this.#work;
    if (this.#stopping.signal.aborted) throw describeDelay();
    try {
      await this.#deps.disk.syncDirectory(this.#directory);
    } catch (cause) {
      throw describeDelay(cause);
    }
  }

  /** Retries until it is done, or the service stops. */
  async #clear(segment: FileSegment): Promise<void> {
    const { signal } = this.#stopping;
    while (!(await this.#tryOnce(segment))) {
      if (signal.aborted) return;
      await wait(retryIntervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#deps.onCleared(segment);
  }

  async #tryOnce(segment: FileSegment): Promise<boolean> {
    const { disk, log, keys, onKeysStored } = this.#deps;
    try {
      if (segment.keys.length > 0) {
        await keys.add(segment.keys, Date.now());
        onKeysStored(segment);
        segment.keys = [];
      }
      await (segment.isDamaged ? keepDamagedSegment(disk, segment) : removeSegment(disk, segment));
      return true;
    } catch (error) {
      log.error({ err: error, segment: segment.name }, 'could not delete a segment of the journal yet');
      return false;
    }
  }
}

function describeDelay(cause?: unknown): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    'The service cannot delete entries that the log engine has already stored from its own disk; try again later.',
    { cause, retryAfterSeconds },
  );
}
