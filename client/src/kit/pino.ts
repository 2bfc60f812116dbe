/** A pino transport: `{ target: '@tapedeck/client/pino', options: { url, token } }`. */
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { openBackpressure } from './logs/backpressure.ts';
import type { LogLevel } from './logs/entryText.ts';
import { readLevelWord } from './logs/levels.ts';
import type { LogOptions } from './logs/options.ts';
import { Tapedeck } from './node.ts';

/** Options cross a thread boundary, so they hold no functions. */
export type TapedeckPinoOptions = { url: string; token: string } & Omit<LogOptions, 'onDrop' | 'onError'>;

export default function openTransport({ url, token, ...logs }: TapedeckPinoOptions): Writable {
  const tapedeck = new Tapedeck({ url, token, logs: { ...logs, onError: complain } });
  const waitForRoom = openBackpressure(tapedeck.logs);
  let rest = '';
  const take = async (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '' && !writeLine(tapedeck, line, logs.resource)) await waitForRoom();
    }
  };
  return new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      take(String(chunk)).then(() => done(), done);
    },
    final(done) {
      take('\n')
        .then(() => tapedeck.close())
        .then(() => done(), done);
    },
  });
}

/** Writes synchronously, because a thread's writes to `process.stderr` are lost when the program ends. */
function complain({ message }: Error): void {
  try {
    writeSync(2, `tapedeck: ${message}\n`);
  } catch {
    // The pipe is closed or full.
  }
}

function writeLine({ logs }: Tapedeck, line: string, resource: string | undefined): boolean {
  let read: Record<string, unknown>;
  try {
    read = JSON.parse(line);
  } catch {
    return logs.write({ level: 'info', message: line });
  }
  const { level, time, msg, name, ...rest } = read;
  const from = resource ?? (typeof name === 'string' ? name : undefined);
  const [known, timestamp] = [readLevel(level), readTime(time)];
  const { message, metadata } = takeMessage(msg, rest);
  return logs.write({
    level: known ?? 'info',
    message,
    // What is not understood stays readable.
    metadata: {
      ...metadata,
      ...(known === undefined && level !== undefined && { level }),
      ...(timestamp === undefined && time !== undefined && { time }),
      ...(name !== from && name !== undefined && { name }),
    },
    ...(from !== undefined && { resource: from }),
    ...(timestamp !== undefined && { timestamp }),
  });
}

type Message = { message: string; metadata: Record<string, unknown> };

/** pino's option `messageKey` is usually `message` if it is set. Errors without a text have their own. */
function takeMessage(msg: unknown, rest: Record<string, unknown>): Message {
  if (msg !== undefined) return { message: writeText(msg), metadata: rest };
  const { message, ...metadata } = rest;
  if (typeof message === 'string') return { message, metadata };
  return { message: readErrorMessage(rest.err ?? rest.error), metadata: rest };
}

function writeText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readErrorMessage(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : '';
}

/** Reads pino's numbers, or the words that a formatter writes. */
function readLevel(level: unknown): LogLevel | undefined {
  if (typeof level === 'string') return readLevelWord(level);
  if (typeof level !== 'number') return undefined;
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
}

const secondsMin = 1e8; // 1973; smaller numbers are no times of log entries
const secondsMax = 1e11; // as milliseconds this is 1973, as seconds the year 5138

/** Reads milliseconds, seconds as `pino.stdTimeFunctions.unixTime` writes them, and texts of any format that JavaScript reads. */
function readTime(time: unknown): number | string | undefined {
  if (typeof time === 'number' && time >= secondsMin) return time < secondsMax ? time * 1000 : time;
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) return undefined;
  const isInstant = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(time); // may be more precise than a Date
  return isInstant ? time : new Date(time).toISOString();
}
