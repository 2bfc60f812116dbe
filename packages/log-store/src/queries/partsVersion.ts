/** Tells whether the table's parts changed between two looks at them. Results stay valid while they did not. */
import { createHash } from 'node:crypto';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { listParts, type Part } from './parts.ts';
import type { Runner } from './queryRunner.ts';

type PartsWatchDeps = {
  runner: Runner;
  shard: EngineAccess;
  /** Grows with every insert of this process. A part that came and went between two looks leaves no other trace. */
  countInserted(): number;
};

/**
 * The maximum age of the look before a query. Only a restore inserts from another process without being counted. It takes
 * longer than this, so none of its parts come and go between the look and the query.
 */
const freshMs = 5_000;
const changesApartMs = 5_000; // without inserts, merges are rarer
const restlessMs = 2_000;

/** The parts that existed at a look, and how often this process had inserted before. */
export type PartsLook = { parts: readonly Part[]; inserted: number };

export class PartsVersion {
  readonly #deps: PartsWatchDeps;
  #latest: string | null = null;
  #latestLook: PartsLook | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #next: Promise<string> | null = null;
  #changedAt = Number.NEGATIVE_INFINITY;
  #restlessUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: PartsWatchDeps) {
    this.#deps = deps;
  }

  /** The hash of the parts at the last look; null if that was too long ago. */
  get latest(): string | null {
    return performance.now() - this.#lookedAt < freshMs ? this.#latest : null;
  }

  /** null if the last look was too long ago. */
  get latestLook(): PartsLook | null {
    return this.latest === null ? null : this.#latestLook;
  }

  countInserted(): number {
    return this.#deps.countInserted();
  }

  get isRestless(): boolean {
    return performance.now() < this.#restlessUntil;
  }

  /** Resolves to a hash of the parts that exist after the call. Concurrent callers share a look. */
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
    const noDeadline = new AbortController().signal; // a caller that leaves must not cancel the shared look
    const parts = await listParts(runner, shard, noDeadline);
    const hash = createHash('sha256').update(`${inserted}`);
    for (const { key } of parts) hash.update(`\n${key}`);
    const standing = hash.digest('base64');
    if (this.#latest !== null && this.#latest !== standing) this.#noteChange();
    this.#latest = standing;
    this.#latestLook = { parts, inserted };
    this.#lookedAt = lookedAt;
    return standing;
  }

  #noteChange(): void {
    const now = performance.now();
    if (now - this.#changedAt < changesApartMs) this.#restlessUntil = now + restlessMs;
    this.#changedAt = now;
  }
}
