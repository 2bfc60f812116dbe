/** Caches which files of a block matched the last few queries, because the next page of a list repeats the query. */
import { keyOfQuestion } from '@tapedeck/log-query-language';
import type { BlockColumns } from './block.ts';
import type { Mask } from './textColumn.ts';

const questionsMax = 8; // a megabyte each for a million files

/** A block never changes, so its mask stays right and is freed with it. Callers must not write into these masks. */
export type BlockMasks = WeakMap<BlockColumns, Mask>;

export class MatchCache {
  /** Ordered by last use, the latest last. */
  readonly #known = new Map<string, BlockMasks>();

  /** `question` holds all that the match depends on besides the block. */
  find(question: unknown): BlockMasks {
    const key = keyOfQuestion(question);
    const masks: BlockMasks = this.#known.get(key) ?? new WeakMap();
    this.#known.delete(key);
    this.#known.set(key, masks);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= questionsMax) break;
      this.#known.delete(oldest);
    }
    return masks;
  }
}
