/** Sends through a pino logger. */
import { once } from 'node:events';
import { loadSettings, readEntryLines } from './entryLines.ts';

type Logger = Record<'debug' | 'info' | 'warn' | 'error', (metadata: object, message: string) => void> & {
  level: string;
  [stream: symbol]: NodeJS.WritableStream;
};

const logger = await loadSettings<Logger>();
logger.level = 'debug';
for await (const { level, message, metadata } of readEntryLines()) logger[level]({ ...metadata }, message);
// Ends the transport's stream, which makes it send what it still holds.
const symbol = Object.getOwnPropertySymbols(logger).find(({ description }) => description === 'pino.stream');
const stream = logger[symbol!]!; // every logger has a stream
const waiting = setInterval(() => {}, 1000); // the transport's thread does not keep the process alive
stream.end();
await once(stream, 'close');
clearInterval(waiting);
