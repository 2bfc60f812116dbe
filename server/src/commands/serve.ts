/** `tapedeck serve`: runs the service until it is stopped. */
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import pino, { type Logger } from 'pino';
import type { Service, ServiceOptions } from '../app.ts';
import { type Config, type Environment, findUnknownSettings } from '../config.ts';
import { recordAddress } from '../stores/dataDirectory/dataDirectory.ts';
import { limits } from '../vocabulary.ts';
import { startWatchdog } from '../watchdog/watchdog.ts';
import type { Command } from './command.ts';
import { recordService } from './runningServices.ts';

const startStopMsMax = 8_000; // within the ten seconds of CONTRACT.md, 1
const leavingOfManyMs = 3_000; // load balancers look every second or two
const repeatMsMax = 1_000; // npm and process groups pass on a signal that the service has got already

export const serve: Command = {
  name: 'serve',
  usage: '',
  about: 'Run the service, as `npm start` does.',
  options: {},
  ignoresServices: true,
  positionals: { min: 0, max: 0 },
  run: async (config, { environment }) => {
    // Writes in the background, so that a reader who is slow stops nothing.
    const output = pino.destination({ sync: false });
    const log = createLog(output);
    for (const name of findUnknownSettings(environment))
      log.warn({ name }, 'this is no setting; `tapedeck config` lists them all');
    const signals = listenForSignals();
    void signals.first.then(signal => log.info({ signal }, 'stopping'));
    const leavingMs = config.database.kind === 'sqlite' ? 0 : leavingOfManyMs;
    const timeouts = { stopGraceMsMax: limits.stopGraceMsMax - leavingMs };
    const service = await startUnlessTold(signal => start(config, { log, signal, timeouts }), signals);
    if (service !== null) {
      await using _record = await recordPlace(config, environment, { log, url: service.url });
      using _watchdog = startWatchdog(log);
      tellReady(service, { log, output });
      flushCompileCache(); // else it is written at the end, which may be a crash
      await signals.first;
      // Load balancers have time to see that this node leaves; until then it answers.
      if (leavingMs > 0) service.leave();
      await wait(leavingMs);
      await service[Symbol.asyncDispose]();
    }
    log.info('stopped');
    return 0;
  },
};

const spawnMsMax = 100; // parts may have to be synced before

/** The engine starts while the rest is loaded. Both are loaded here: the other commands start in half the time without them. */
async function start(config: Config, options: ServiceOptions): Promise<Service> {
  const { holdPlace } = await import('../earlyStart.ts');
  await using opened = new AsyncDisposableStack();
  const held = opened.use(await holdPlace(config, options));
  await Promise.race([held.engine?.spawned, wait(spawnMsMax)]);
  const { startService } = await import('../app.ts');
  opened.move(); // the service ends it, from the first step of its start
  return await startService(config, { ...options, held });
}

/** For commands in other terminals; the service does without. */
async function recordPlace(
  config: Config,
  environment: Environment,
  { log, url }: { log: Logger; url: string },
): Promise<AsyncDisposable> {
  try {
    await recordAddress(config.dataDir, url);
    return await recordService(config, environment, url);
  } catch (err) {
    log.warn({ err }, 'commands find the service only if they are given its settings');
    return new AsyncDisposableStack();
  }
}

type LogOutput = ReturnType<typeof pino.destination>;
type Logging = { log: Logger; output: LogOutput };

function tellReady({ setUpCode, url, publicUrl }: Service, { log, output }: Logging): void {
  if (setUpCode !== null)
    log.info({ setUpCode }, `open ${publicUrl} and enter the set-up code to create the owner`);
  log.info({ url, publicUrl }, 'ready');
  if (setUpCode === null) return;
  const notice = `\nTapedeck is ready. Open ${publicUrl} and enter this set-up code to create the owner:\n\n    ${setUpCode}\n`;
  // For who reads it in a terminal, below the lines of the log; programs find the code there.
  output.once('drain', () => process.stderr.write(notice));
}

/** One JSON object a line on standard output. */
function createLog(output: LogOutput): Logger {
  const options = {
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, output);
}

/** null: a signal came before the service was ready, and what had been started is ended. */
async function startUnlessTold(
  start: (signal: AbortSignal) => Promise<Service>,
  signals: Signals,
): Promise<Service | null> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isStarting = true;
  void signals.first.then(() => {
    if (!isStarting) return;
    stopping.abort();
    // The start may still wait for something: nothing was acknowledged yet, and child processes end with this one.
    timer = setTimeout(() => process.exit(0), startStopMsMax);
  });
  try {
    return await start(stopping.signal);
  } catch (error) {
    signals.ignore();
    if (stopping.signal.aborted) return null;
    throw error;
  } finally {
    isStarting = false;
    clearTimeout(timer);
  }
}

type Signals = { first: Promise<string>; ignore(): void };

/** The first signal begins the end; another one, later, is impatience and ends at once. */
function listenForSignals(): Signals {
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
