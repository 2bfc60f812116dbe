/** Reads levels from numbers, on the two common scales. */
import type { LogLevel } from '@tapedeck/log-entries';

/** Reads levels of Node.js loggers (10 is trace, 60 fatal) and of syslog (0 is emergency, 7 debug). Returns null for other numbers. */
export function readLevelNumber(value: unknown): LogLevel | null {
  const number = typeof value === 'string' && /^\d{1,2}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= 99)) return null;
  return number < 10 ? readSyslogSeverity(number) : readLoggerLevel(number);
}

function readSyslogSeverity(number: number): LogLevel | null {
  if (number > 7) return null;
  if (number <= 3) return 'error';
  if (number === 4) return 'warn';
  return number <= 6 ? 'info' : 'debug';
}

function readLoggerLevel(number: number): LogLevel {
  if (number >= 50) return 'error';
  if (number >= 40) return 'warn';
  return number >= 30 ? 'info' : 'debug';
}
