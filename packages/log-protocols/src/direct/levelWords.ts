/** Reads level words straight from bytes and looks up each word once. */
import { type LevelSynonyms, type LogLevel, readLevelSynonym, type Slice } from '@tapedeck/log-entries';
import { readSlice } from './writer.ts';

export type LevelWords = { readonly levels: LevelSynonyms; readonly known: Map<string, LogLevel | null> };

const knownMax = 256; // loggers use far fewer words
const wordUnitsMax = 24; // includes surrounding blanks; longer texts are not level words and are not remembered

const tables = new WeakMap<LevelSynonyms, LevelWords>();

export function listLevelWords(levels: LevelSynonyms): LevelWords {
  let words = tables.get(levels);
  if (words === undefined) {
    words = { levels, known: new Map() };
    tables.set(levels, words);
  }
  return words;
}

/** Returns null if it is not a level. */
export function readLevelWord({ levels, known }: LevelWords, slice: Slice): LogLevel | null {
  const text = readSlice(slice);
  const found = known.get(text);
  if (found !== undefined) return found;
  const level = readLevelSynonym(levels, text);
  if (text.length <= wordUnitsMax && known.size < knownMax) known.set(text, level);
  return level;
}
