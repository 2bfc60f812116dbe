/** The port for words and pairs that are known to occur in entries, without asking the engine. */
import type { wordIndexes } from '../writer/schema/schema.ts';

export type WordColumn = keyof typeof wordIndexes;

/** Where letters may occur: in words, or in identifiers and `parentId`. */
export type LetterPlace = WordColumn | 'tokens';

/** Covers every entry that was visible at the request. Later merges and inserts do not change it. */
export type KnownWords = {
  /** Whether all parts have indexes. */
  areMerged: boolean;
  /** Whether an entry may have these letters there. */
  mayHold(place: LetterPlace, letters: string): boolean;
  parts: number;
  /** Lists parts in which none of these pairs of path and value occurs. A name never stands for another part. */
  listWithoutPairs(pairs: readonly string[]): readonly string[];
  /** Lists parts in whose identifiers some of these letters do not occur. */
  listWithoutLetters(letters: readonly string[]): readonly string[];
};
