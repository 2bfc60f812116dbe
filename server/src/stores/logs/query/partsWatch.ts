/** Looks which parts stand on all shards, and knows when looking is work for nothing: while entries come in. */
import type { EngineAccess } from '../engine/supervision.ts';
import { listParts } from './parts.ts';
import type { Runner } from './running.ts';

export type PartsWatchDeps = { runner: Runner; shards: readonly EngineAccess[] };

const changesApartMs = 5_000; // merges at rest are rarer
const restlessMs = 2_000;

export class PartsWatch {
  readonly #deps: PartsWatchDeps;
  #latest: string | null = null;
  #next: Promise<string> | null = null;
  #changedAt = Number.NEGATIVE_INFINITY;
  #restlessUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: PartsWatchDeps) {
    this.#deps = deps;
  }

  /** What stood at the last look. */
  get latest(): string | null {
    return this.#latest;
  }

  get isRestless(): boolean {
    return performance.now() < this.#restlessUntil;
  }

  /** What stands after the call. Who asks at the same time shares a look. */
  look(): Promise<string> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = null;
      return this.#look();
    });
    return this.#next;
  }

  async #look(): Promise<string> {
    const { runner, shards } = this.#deps;
    const unhurried = new AbortController().signal; // one that goes away must not take the answer from the others
    const listed = await Promise.all(shards.map(shard => listParts(runner, shard, unhurried)));
    const parts = JSON.stringify(listed.map(ofShard => ofShard.map(({ key }) => key)));
    if (this.#latest !== null && this.#latest !== parts) this.#noteChange();
    this.#latest = parts;
    return parts;
  }

  #noteChange(): void {
    const now = performance.now();
    if (now - this.#changedAt < changesApartMs) this.#restlessUntil = now + restlessMs;
    this.#changedAt = now;
  }
}
