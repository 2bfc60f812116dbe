/** Sends through a winston logger. */
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { loadSettings, readEntryLines } from './entryLines.ts';

type Stream = NodeJS.EventEmitter & { writableLength: number; readableLength: number };
type Transport = Stream & {
  level?: string;
  flush?(): Promise<void>;
  close?(): unknown;
};
type Logger = Stream & {
  level: string;
  transports: Transport[];
  log(level: string, message: string, metadata: object): boolean;
  end(): void;
};

const logger = await loadSettings<Logger>();
logger.level = 'debug';
const { transports } = logger;
for (const transport of transports) {
  transport.level = 'debug';
  transport.on('error', () => {}); // the logger also receives it until the logger has ended
}
logger.on('error', error => process.stderr.write(`${error}\n`)); // errors of a transport
for await (const { level, message, metadata } of readEntryLines()) {
  if (!logger.log(level, message, metadata)) await once(logger, 'drain');
}
// An ended logger loses what it has not yet passed to its transports.
const isBusy = () => [logger, ...transports].some(each => each.writableLength > 0 || each.readableLength > 0);
while (isBusy()) await wait(20);
const finished = once(logger, 'finish');
logger.end();
await finished;
for (const transport of transports) await transport.close?.();
