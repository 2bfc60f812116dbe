/** Sends through a logger of pino. */
import { once } from 'node:events';
import { loadSettings, readEntryLines } from './entryLines.ts';

type Logger = Record<'debug' | 'info' | 'warn' | 'error', (metadata: object, message: string) => void> & {
  level: string;
  [stream: symbol]: NodeJS.WritableStream;
};

const logger = await loadSettings<Logger>();
logger.level = 'debug';
for await (const { level, message, metadata } of readEntryLines()) logger[level]({ ...metadata }, message);
// A transport sends what it holds once it is told that nothing more will come.
const symbol = Object.getOwnPropertySymbols(logger).find(({ description }) => description === 'pino.stream');
const stream = logger[symbol!]!; // every logger has one
const waiting = setInterval(() => {}, 1000); // its thread alone keeps no process
stream.end();
await once(stream, 'close');
clearInterval(waiting);
