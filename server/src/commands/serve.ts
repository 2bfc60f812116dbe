/** `tapedeck serve`: runs the service until it is stopped. */
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '@tapedeck/domain/vocabulary';
import pino, { type Logger } from 'pino';
import type { Service, ServiceOptions } from '../app.ts';
import { type Config, type Environment, findUnknownSettings } from '../config.ts';
import { keepMemoryLow } from '../jobs/idleMemory.ts';
import { recordAddress } from '../stores/dataDirectory/dataDirectory.ts';
import { startWatchdog } from '../watchdog/watchdog.ts';
import type { Command } from './command.ts';
import { recordService } from './runningServices.ts';

const startStopMsMax = 8_000; // within the ten seconds of CONTRACT.md, 1
const leavingOfManyMs = 3_000; // load balancers check every second or two
const repeatMsMax = 1_000; // npm and process groups repeat a signal that the service already has

export const serve: Command = {
  name: 'serve',
  usage: '',
  about: 'Run the service, as `npm start` does.',
  options: {},
  ignoresServices: true,
  run: async (config, { environment }) => {
    // Writes in the background, so that a slow reader blocks nothing.
    const output = pino.destination({ sync: false });
    const log = createLog(output);
    for (const name of findUnknownSettings(environment))
      log.warn({ name }, 'this setting does not exist; `tapedeck config` lists all settings');
    const signals = listenForSignals();
    void signals.first.then(signal => log.info({ signal }, 'stopping'));
    const leavingMs = config.database.kind === 'sqlite' ? 0 : leavingOfManyMs;
    const timeouts = { stopGraceMsMax: limits.stopGraceMsMax - leavingMs };
    const service = await startUnlessTold(signal => start(config, { log, signal, timeouts }), signals);
    if (service !== null) {
      await using _record = await recordPlace(config, environment, { log, url: service.url });
      using _watchdog = startWatchdog(log);
      using _memory = keepMemoryLow();
      reportReady(service, { log, output });
      flushCompileCache(); // otherwise Node.js writes it at exit, which may be a crash
      await signals.first;
      // Answers on while load balancers notice that this node is leaving.
      if (leavingMs > 0) service.leave();
      await wait(leavingMs);
      await service[Symbol.asyncDispose]();
    }
    log.info('stopped');
    return 0;
  },
};

const spawnMsMax = 100; // syncing parts may come first

/** Starts the engine while the rest loads. Loads both here: without them, other commands start in half the time. */
async function start(config: Config, options: ServiceOptions): Promise<Service> {
  const { startEarly } = await import('../composition/earlyStart.ts');
  await using opened = new AsyncDisposableStack();
  const held = opened.use(await startEarly(config, options));
  await Promise.race([held.engine?.spawned, wait(spawnMsMax)]);
  const { startService } = await import('../app.ts');
  opened.move(); // the service owns it from here on
  return await startService(config, { ...options, held });
}

/** For commands in other terminals. The service runs without it, too. */
async function recordPlace(
  config: Config,
  environment: Environment,
  { log, url }: { log: Logger; url: string },
): Promise<AsyncDisposable> {
  try {
    await recordAddress(config.dataDir, url);
    return await recordService(config, environment, url);
  } catch (err) {
    log.warn({ err }, 'commands find the service only if they get its settings');
    return new AsyncDisposableStack();
  }
}

type LogOutput = ReturnType<typeof pino.destination>;
type Logging = { log: Logger; output: LogOutput };

function reportReady({ setUpCode, url, publicUrl }: Service, { log, output }: Logging): void {
  if (setUpCode !== null)
    log.info({ setUpCode }, `open ${publicUrl} and enter the setup code to create the owner`);
  log.info({ url, publicUrl }, 'ready');
  if (setUpCode === null) return;
  const notice = `\nTapedeck is ready. Open ${publicUrl} and enter this setup code to create the owner:\n\n    ${setUpCode}\n`;
  // For people at a terminal, below the log lines. Programs find the code in the log.
  output.once('drain', () => process.stderr.write(notice));
}

/** Writes one JSON object per line to standard output. */
function createLog(output: LogOutput): Logger {
  const options = {
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, output);
}

/** null: a signal came before the service was ready, and all that had started is closed. */
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
    // The start may still be waiting. Nothing was acknowledged yet, and child processes end with this one.
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

/** The first signal begins the stop. A later one means impatience and exits at once. */
function listenForSignals(): Signals {
  const names = ['SIGTERM', 'SIGINT'] as const;
  const first = Promise.withResolvers<string>();
  let heardAt: number | null = null;
  const onSignal = (signal: string) => {
    heardAt ??= performance.now();
    if (performance.now() - heardAt > repeatMsMax) process.exit(1);
    first.resolve(signal);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    first: first.promise,
    ignore: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
