/** `tapedeck serve`: the service, from the ready line to the last answer. */
import { flushCompileCache } from 'node:module';
import pino, { type Logger } from 'pino';
import { findUnknownSettings } from '../config.ts';
import type { Command } from './command.ts';

const repeatMsMax = 1_000; // npm and process groups pass on a signal that the service has got already

export const serve: Command = {
  name: 'serve',
  usage: '',
  about: 'Serve until told to stop.',
  options: {},
  positionals: { min: 0, max: 0 },
  run: async (config, { environment }) => {
    const log = createLog();
    for (const name of findUnknownSettings(environment))
      log.warn({ name }, 'this is no setting; `tapedeck config` lists them all');
    const signals = listenForSignals();
    // Loaded here: the other commands start in half the time without it.
    const { startService } = await import('../app.ts');
    const service = await startService(config, { log }).catch(error => {
      signals.ignore();
      throw error;
    });
    if (service.setUpCode !== null) {
      log.info(
        { setUpCode: service.setUpCode },
        `open ${service.publicUrl} and enter the set-up code to create the owner`,
      );
    }
    log.info({ url: service.url, publicUrl: service.publicUrl }, 'ready');
    flushCompileCache(); // else it is written at the end, which may be a crash
    const signal = await signals.first;
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

/** The first signal begins the end; another one, later, is impatience and ends at once. */
function listenForSignals(): { first: Promise<string>; ignore(): void } {
  const names = ['SIGTERM', 'SIGINT'] as const;
  const first = Promise.withResolvers<string>();
  let heardAt: number | null = null;
  const hear = (signal: string) => {
    heardAt ??= performance.now();
    if (performance.now() - heardAt > repeatMsMax) process.exit(1);
    first.resolve(signal);
  };
  for (const name of names) process.on(name, hear);
  return {
    first: first.promise,
    ignore: () => {
      for (const name of names) process.off(name, hear);
    },
  };
}
