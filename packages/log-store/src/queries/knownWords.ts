/** Knows which words occur in entries before the engine is asked. */
import type { wordIndexes } from '../writer/schema/schema.ts';

export type WordColumn = keyof typeof wordIndexes;

/** What holds for every entry that was visible when it was asked for, whatever is merged or inserted afterwards. */
export type KnownWords = {
  /** Whether all of them lie in parts that have their indexes. */
  areMerged: boolean;
  /** Whether the column of one of them may contain these letters. */
  mayHold(column: WordColumn, letters: string): boolean;
};
