/** Starts the real service for a test: own data directory, free port, everything gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { startService } from '../../src/app.ts';
import { type Config, type Environment, readConfig } from '../../src/config.ts';
import type { Passwords } from '../../src/domain/identity/passwords.ts';
import type { Clock } from '../../src/domain/ports/clock.ts';
import type { MetadataStore } from '../../src/domain/ports/metadata.ts';
import type { Timeouts } from '../../src/http/server.ts';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { openMetadataStore } from '../../src/stores/metadata/store.ts';
import { cheapPasswords } from './cheapPasswords.ts';
import { observeAnswer } from './observedErrors.ts';
import { holdWithSharedEngine, sharesEngines } from './sharedEngine.ts';

export type TestService = AsyncDisposable & {
  url: string;
  config: Config;
  dataDir: string;
  setUpCode: string | null;
  clock: TestClock;
  /** The lines that the service has logged. */
  logged: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A second way to the service's own database, to arrange what would take long over HTTP. */
  openStore(): Promise<MetadataStore>;
};

type TestOptions = {
  environment?: Environment;
  clock?: TestClock;
  dataDir?: string;
  timeouts?: Partial<Timeouts>;
  /** Hashes cheaply by default. */
  passwords?: Passwords;
  /** Another service whose database, and secret, this one shares, as nodes do. */
  besides?: TestService;
};

const busyMsMax = 20_000; // a write of the service takes milliseconds, and much longer on a busy machine

// Each thread of each store pipes into these; several services at once are more than Node.js expects.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(100);

/** The system's time, moved on by the test. */
type TestClock = Clock & { advance(ms: number): void };

export function makeTestClock(): TestClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    micros: () => (Date.now() + ahead) * 1000,
    advance: ms => {
      ahead += ms;
    },
  };
}

/** Stands still but for the test, so that no row depends on how quick the machine is. */
export function makeStoppedClock(): TestClock {
  let now = Date.now();
  return {
    now: () => now,
    micros: () => now * 1000,
    advance: ms => {
      now += ms;
    },
  };
}

/** Gone when disposed of. */
export async function makeDirectory(): Promise<AsyncDisposable & { path: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-test-'));
  return {
    path: directory,
    // The engine of a service that was killed writes for a moment more.
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 20 }),
  };
}

/** With a stopped clock: sure, for tests that have nothing to do with the time that passes. */
export function startQuietService(options: TestOptions = {}): Promise<TestService> {
  return startTestService({ clock: makeStoppedClock(), ...options });
}

export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const {
    environment = {},
    clock = makeTestClock(),
    dataDir,
    timeouts,
    besides,
    passwords = cheapPasswords,
  } = options;
  await using opened = new AsyncDisposableStack();
  const directory = dataDir ?? opened.use(await makeDirectory()).path;
  const own = readConfig({
    TAPEDECK_HOST: '127.0.0.1',
    TAPEDECK_PORT: '0',
    TAPEDECK_DATA_DIR: directory,
    TAPEDECK_FAST_HTTP: process.env.TAPEDECK_FAST_HTTP, // so that every test can be run without it
    ...environment,
  });
  const asked = besides ? await shareDatabase(own, besides.config) : own;
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const isLent = dataDir === undefined && asked.logs.kind === 'embedded' && sharesEngines();
  const { config, held } = isLent ? await holdWithSharedEngine(asked, log) : { config: asked };
  const given = { ...(timeouts && { timeouts }), ...(held && { held }) };
  const service = opened.use(await startService(config, { log, clock, passwords, ...given }));
  let store: Promise<MetadataStore> | null = null;
  opened.defer(async () => (await store)?.[Symbol.asyncDispose]());
  const running = opened.move();
  return {
    url: service.url,
    config,
    dataDir: directory,
    setUpCode: service.setUpCode,
    clock,
    logged,
    fetch: async (route, init) => {
      const response = await fetch(`${service.url}${route}`, { redirect: 'manual', ...init });
      await observeAnswer(init?.method ?? 'GET', route, response);
      return response;
    },
    openStore: () => {
      store ??= openMetadataStore(config.database);
      return store;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Opens the service's SQLite file beside it, for reading. */
export function openDatabaseFile({ dataDir }: TestService): DatabaseSync {
  return new DatabaseSync(path.join(dataDir, 'tapedeck.db'));
}

/**
 * Changes the service's SQLite file beside it, to break what nothing else breaks. A transaction of the service ends only
 * while this thread goes on: so each try is short, and the next one comes a moment later.
 */
export async function changeDatabase(service: TestService, sql: string): Promise<void> {
  using database = openDatabaseFile(service);
  for (const deadline = performance.now() + busyMsMax; ; await wait(10)) {
    try {
      database.exec('BEGIN IMMEDIATE');
      break;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
  database.exec(`${sql}; COMMIT`);
}

async function shareDatabase(own: Config, { database, dataDir, secret }: Config): Promise<Config> {
  return { ...own, database, secret: secret ?? (await keepSecret(dataDir)) };
}
