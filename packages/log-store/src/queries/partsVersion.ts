/** Looks which parts stand, and knows when looking is work for nothing: while entries come in. */
import { createHash } from 'node:crypto';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { listParts } from './parts.ts';
import type { Runner } from './running.ts';

type PartsWatchDeps = {
  runner: Runner;
  shard: EngineAccess;
  /** Grows with every insert of this process: a part that came and went between two looks leaves no other trace. */
  countInserted(): number;
};

/**
 * How old the look before a question may be. Only a restore inserts from another process, uncounted. It takes longer, so that
 * nothing of it comes and goes between that look and the question.
 */
const freshMs = 5_000;
const changesApartMs = 5_000; // merges at rest are rarer
const restlessMs = 2_000;

export class PartsVersion {
  readonly #deps: PartsWatchDeps;
  #latest: string | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #next: Promise<string> | null = null;
  #changedAt = Number.NEGATIVE_INFINITY;
  #restlessUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: PartsWatchDeps) {
    this.#deps = deps;
  }

  /** The word for the parts at the last look; null when that was long ago. */
  get latest(): string | null {
    return performance.now() - this.#lookedAt < freshMs ? this.#latest : null;
  }

  get isRestless(): boolean {
    return performance.now() < this.#restlessUntil;
  }

  /** Resolves to a word for the parts that stand after the call. Questions that ask at the same time share a look. */
  look(): Promise<string> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = null;
      return this.#look();
    });
    return this.#next;
  }

  async #look(): Promise<string> {
    const { runner, shard, countInserted } = this.#deps;
    const lookedAt = performance.now();
    const inserted = countInserted();
    const unhurried = new AbortController().signal; // one that goes away must not take the answer from the others
    const parts = await listParts(runner, shard, unhurried);
    const hash = createHash('sha256').update(`${inserted}`);
    for (const { key } of parts) hash.update(`\n${key}`);
    const standing = hash.digest('base64');
    if (this.#latest !== null && this.#latest !== standing) this.#noteChange();
    this.#latest = standing;
    this.#lookedAt = lookedAt;
    return standing;
  }

  #noteChange(): void {
    const now = performance.now();
    if (now - this.#changedAt < changesApartMs) this.#restlessUntil = now + restlessMs;
    this.#changedAt = now;
  }
}
