/** Knows which words and pairs occur in entries before the engine is asked. */
import type { wordIndexes } from '../writer/schema/schema.ts';

export type WordColumn = keyof typeof wordIndexes;

/** What holds for every entry that was visible when it was asked for, whatever is merged or inserted afterwards. */
export type KnownWords = {
  /** Whether all of them lie in parts that have their indexes. */
  areMerged: boolean;
  /** Whether the column of one of them may contain these letters. */
  mayHold(column: WordColumn, letters: string): boolean;
  /** How many parts they lie in. */
  parts: number;
  /** Names of those that hold none of these pairs of path and value. A name never stands for another part. */
  listWithoutPairs(pairs: readonly string[]): readonly string[];
};
