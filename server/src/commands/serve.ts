/** `tapedeck serve`: the service, from the ready line to the last answer. */
import { once } from 'node:events';
import pino, { type Logger } from 'pino';
import { startService } from '../app.ts';
import { findUnknownSettings } from '../config.ts';
import type { Command } from './command.ts';

export const serve: Command = {
  name: 'serve',
  usage: '',
  about: 'Serve until told to stop.',
  options: {},
  positionals: { min: 0, max: 0 },
  run: async config => {
    const log = createLog();
    for (const name of findUnknownSettings())
      log.warn({ name }, 'this is no setting; `tapedeck config` lists them all');
    const stopped = awaitStop();
    const service = await startService(config, { log });
    if (service.setUpCode !== null) {
      log.info(
        { setUpCode: service.setUpCode },
        `open ${service.url} and enter the set-up code to create the owner`,
      );
    }
    log.info({ url: service.url }, 'ready');
    const signal = await stopped;
    log.info({ signal }, 'stopping');
    await service[Symbol.asyncDispose]();
    log.info('stopped');
    return null;
  },
};

/** One JSON object a line on standard output. */
function createLog(): Logger {
  return pino({
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: { level: label => ({ level: label }) },
  });
}

/** The first signal begins the end; a second one is impatience, and ends at once. */
async function awaitStop(): Promise<string> {
  const signal = await Promise.race(['SIGTERM', 'SIGINT'].map(name => once(process, name).then(() => name)));
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => process.exit(1));
  return signal;
}
