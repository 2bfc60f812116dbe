/** The levels of entries, and words that stand for them: the caller says which words clients use beside the four levels. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Words in lower case, each with its level. */
export type LevelSynonyms = ReadonlyMap<string, LogLevel>;
