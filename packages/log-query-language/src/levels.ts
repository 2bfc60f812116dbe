/** The levels of entries, and the other words that programs and people use for them. */

/** The mildest first. */
export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

const spellings: Readonly<Record<Level, readonly string[]>> = {
  error: ['err', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic', 'dpanic', 'severe'],
  warn: ['warning', 'wrn'],
  info: ['notice', 'log', 'success', 'information', 'informational', 'inf'],
  debug: ['trace', 'verbose', 'silly', 'http', 'finest', 'finer', 'fine', 'dbg', 'trc'],
};

/** Words besides the four levels, in lower case. */
export const levelSynonyms: ReadonlyMap<string, Level> = new Map(
  levels.flatMap(level => spellings[level].map(word => [word, level] as const)),
);

/** Finds a level by any of its words, in any letter case; null if the word means none. */
export function readLevel(word: string): Level | null {
  const lower = word.toLowerCase();
  return levels.find(level => level === lower) ?? levelSynonyms.get(lower) ?? null;
}
