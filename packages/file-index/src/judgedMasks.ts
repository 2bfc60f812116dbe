/** Remembers which files of a block were meant by the last few questions: the next page of a list asks the same again. */
import { keyOfQuestion } from '@tapedeck/log-query-language';
import type { BlockColumns } from './block.ts';
import type { Mask } from './textColumn.ts';

const questionsMax = 8; // a megabyte each for a million files

/** A block never changes, so what was found in one stays right, and goes with it. Nobody may write into a mask from here. */
export type BlockMasks = WeakMap<BlockColumns, Mask>;

export class JudgedMasks {
  /** The one asked last stands last. */
  readonly #known = new Map<string, BlockMasks>();

  /** `question`: all that a judgement depends on beside the block. */
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
