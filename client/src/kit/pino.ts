/** A pino transport: `{ target: '@tapedeck/client/pino', options: { url, token } }`. */
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { openBackpressure } from './logs/backpressure.ts';
import type { LogLevel } from './logs/entryText.ts';
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
  const { level, time, msg, name, ...metadata } = read;
  const from = resource ?? (typeof name === 'string' ? name : undefined);
  return logs.write({
    level: readLevel(level),
    message: typeof msg === 'string' ? msg : readErrorMessage(metadata.err),
    metadata,
    ...(from !== undefined && { resource: from }),
    ...((typeof time === 'number' || typeof time === 'string') && { timestamp: time }),
  });
}

function readErrorMessage(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : '';
}

/** Reads pino's numbers, or the words that a formatter writes. */
function readLevel(level: unknown): LogLevel {
  if (typeof level === 'number') {
    if (level >= 50) return 'error';
    if (level >= 40) return 'warn';
    return level >= 30 ? 'info' : 'debug';
  }
  if (level === 'fatal' || level === 'error') return 'error';
  if (level === 'warn') return 'warn';
  return level === 'debug' || level === 'trace' ? 'debug' : 'info';
}
