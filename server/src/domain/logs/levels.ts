/** Words that stand for levels. Which ones there are beside the four is for those to say who know the clients. */
import { type LogLevel, logLevels } from '../../vocabulary.ts';

/** Words in lower case, and what they mean. */
export type LevelSynonyms = ReadonlyMap<string, LogLevel>;

/** null when the word means no level. Case is ignored. */
export function readLevelSynonym(synonyms: LevelSynonyms, value: unknown): LogLevel | null {
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  return logLevels.find(level => level === word) ?? synonyms.get(word) ?? null;
}
