/** The levels of entries. The caller supplies the other words that clients use for them. */

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Maps words in lower case to levels. */
export type LevelSynonyms = ReadonlyMap<string, LogLevel>;
