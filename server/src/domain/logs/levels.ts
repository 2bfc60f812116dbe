/** Words that clients write for levels (CONTRACT.md, 8.4). */
import { type LogLevel, logLevels } from '../../vocabulary.ts';

const synonyms = new Map<string, LogLevel>([
  ...logLevels.map(level => [level, level] as const),
  ['warning', 'warn'],
  ['err', 'error'],
  ['fatal', 'error'],
  ['critical', 'error'],
  ['trace', 'debug'],
  ['verbose', 'debug'],
  ['notice', 'info'],
  ['log', 'info'],
]);

/** null when the word means no level. Case is ignored. */
export function readLevelSynonym(value: unknown): LogLevel | null {
  return typeof value === 'string' ? (synonyms.get(value.toLowerCase()) ?? null) : null;
}
