/**
 * Caches how patterns were merged. The result depends only on the set of patterns, not on their frequencies, so it stays valid until a
 * new pattern arrives or one leaves the times of the query.
 */
import { createHash } from 'node:crypto';

/** A merged template and the digits of its patterns. */
export type MergedRow = {
  readonly template: string;
  readonly patterns: readonly string[];
  readonly isNamed: boolean;
};

const rememberedMax = 300_000; // patterns, about 10 MB
const questionsMax = 64;

export class MergeMemo {
  readonly #known = new Map<string, { rows: Promise<readonly MergedRow[]>; size: number }>();
  #size = 0;

  /** Concurrent callers share the result. `patterns` must be ordered by digits. */
  find(
    step: string,
    patterns: readonly string[],
    merge: () => Promise<readonly MergedRow[]>,
  ): Promise<readonly MergedRow[]> {
    const key = `${step} ${createHash('sha256').update(patterns.join()).digest('base64')}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known); // moves it to the end: the oldest are removed first
      return known.rows;
    }
    const rows = merge();
    this.#known.set(key, { rows, size: patterns.length });
    this.#size += patterns.length;
    rows.catch(() => this.#forget(key)); // callers get the error
    this.#makeRoom();
    return rows;
  }

  #makeRoom(): void {
    while (this.#known.size > 1 && (this.#size > rememberedMax || this.#known.size > questionsMax)) {
      const [oldest = ''] = this.#known.keys();
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#size -= this.#known.get(key)?.size ?? 0;
    this.#known.delete(key);
  }
}
