/** Reads the words that loggers use for levels. */
import type { LogLevel } from './entryText.ts';

const words: Readonly<Record<LogLevel, readonly string[]>> = {
  error: ['error', 'err', 'fatal', 'critical', 'crit', 'alert', 'emerg', 'emergency', 'panic'],
  warn: ['warn', 'warning'],
  info: ['info', 'notice', 'log', 'success'],
  debug: ['debug', 'trace', 'verbose', 'silly', 'http', 'finest', 'finer', 'fine'],
};
const levels = Object.keys(words) as LogLevel[]; // the keys of `words`

/** Ignores letter case. Returns undefined if the word means no level. */
export function readLevelWord(word: string): LogLevel | undefined {
  const lower = word.toLowerCase();
  return levels.find(level => words[level].includes(lower));
}
