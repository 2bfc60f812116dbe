/**
 * Remembers how patterns were merged. This depends on which patterns there are, and not on how often each occurs: so it holds until a
 * new kind of entry comes in or one leaves the times of the question.
 */
import { createHash } from 'node:crypto';

/** By the digits of their patterns. */
export type MergedRow = {
  readonly template: string;
  readonly patterns: readonly string[];
  readonly isNamed: boolean;
};

const rememberedMax = 300_000; // patterns, some 10 MB
const questionsMax = 64;

export class MergeMemo {
  readonly #known = new Map<string, { rows: Promise<readonly MergedRow[]>; size: number }>();
  #size = 0;

  /** Questions at the same time share an answer. `patterns`: in the order of their digits. */
  find(
    step: string,
    patterns: readonly string[],
    merge: () => Promise<readonly MergedRow[]>,
  ): Promise<readonly MergedRow[]> {
    const key = `${step} ${createHash('sha256').update(patterns.join()).digest('base64')}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known); // what was asked for last is forgotten last
      return known.rows;
    }
    const rows = merge();
    this.#known.set(key, { rows, size: patterns.length });
    this.#size += patterns.length;
    rows.catch(() => this.#forget(key)); // whoever asked hears of it
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
