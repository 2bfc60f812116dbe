/**
 * Keeps queries apart from inserts into several partitions, which become visible part by part. A query waits until no
 * such insert is running. An insert waits until the queries sent before it have seen which parts there are, and lets
 * waiting queries go first. So neither makes the other wait for longer than one insert or one look.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { LogStoreFailure } from '../../failures.ts';

/** Within this time, a query has chosen the parts that it reads. */
const lookTimeMsMax = 100;

export class PartitionSplit {
  #underWay = 0;
  /** When the last query was let through. */
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #questions = new Set<() => void>();
  readonly #inserts = new Set<() => void>();

  /** Resolves when a query may be sent. Send it at once. */
  async waitForWholeBatches(timeMsMax: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#underWay === 0) {
      this.#askedAt = performance.now();
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(overloadedError()), timeMsMax);
    signal?.addEventListener('abort', leave);
    this.#questions.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      this.#questions.delete(resolve);
    }
  }

  /** Resolves when the insert may begin or the signal aborts. Call `end` in both cases. */
  async begin(stopping: AbortSignal): Promise<void> {
    while (this.#underWay > 0 && this.#questions.size > 0 && !stopping.aborted)
      await this.#untilLull(stopping);
    this.#underWay++;
    const timeLeftMs = this.#askedAt + lookTimeMsMax - performance.now();
    if (timeLeftMs > 0) await wait(timeLeftMs, undefined, { signal: stopping, ref: false }).catch(() => {});
  }

  end(): void {
    this.#underWay--;
    if (this.#underWay > 0) return;
    // The waiting queries go on in a moment. An insert that begins before that waits until they have looked.
    if (this.#questions.size > 0) this.#askedAt = performance.now();
    for (const release of this.#questions) release();
    this.#questions.clear();
    for (const goOn of this.#inserts) goOn();
  }

  async #untilLull(stopping: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const goOn = () => resolve();
    stopping.addEventListener('abort', goOn);
    this.#inserts.add(goOn);
    await promise;
    this.#inserts.delete(goOn);
    stopping.removeEventListener('abort', goOn);
  }
}

function overloadedError(): LogStoreFailure {
  return new LogStoreFailure('overloaded', 'Entries of many days are being stored; ask again in a moment.', {
    retryAfterSeconds: 2,
  });
}
