/** Sends through a logger of winston. */
import { once } from 'node:events';
import { loadSettings, readEntryLines } from './entryLines.ts';

type Transport = NodeJS.EventEmitter & { flush?(): Promise<void>; close?(): unknown };
type Logger = NodeJS.EventEmitter & {
  level: string;
  transports: Transport[];
  log(level: string, message: string, metadata: object): boolean;
  end(): void;
};

const logger = await loadSettings<Logger>();
logger.level = 'debug';
logger.on('error', error => process.stderr.write(`${error}\n`)); // of a transport
for await (const { level, message, metadata } of readEntryLines()) {
  if (!logger.log(level, message, metadata)) await once(logger, 'drain');
}
const { transports } = logger;
const finished = once(logger, 'finish');
logger.end();
await finished;
for (const transport of transports) await transport.close?.();
