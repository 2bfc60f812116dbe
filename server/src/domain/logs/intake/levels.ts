/** Reads words that stand for levels. The caller says which words clients use beside the four levels. */
import { type LogLevel, logLevels } from '../../../vocabulary.ts';

/** Words in lower case, each with its level. */
export type LevelSynonyms = ReadonlyMap<string, LogLevel>;

/** null when the word means no level. Case is ignored. */
export function readLevelSynonym(synonyms: LevelSynonyms, value: unknown): LogLevel | null {
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  return logLevels.find(level => level === word) ?? synonyms.get(word) ?? null;
}
