/** Starts the real service for a test in a new data directory on a free port, and removes everything afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Passwords } from '@tapedeck/domain/identity/passwords';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { buildMetadataStore, openMetadataDatabase } from '@tapedeck/metadata-store';
import pino from 'pino';
import { startService } from '../../src/app.ts';
import { type Config, type Environment, readConfig } from '../../src/config.ts';
import type { Timeouts } from '../../src/http/server.ts';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { cheapPasswords } from './cheapPasswords.ts';
import { observeAnswer } from './observedErrors.ts';
import { endIdleEngines, holdWithSharedEngine, sharesEngines } from './sharedEngine.ts';

export type TestService = AsyncDisposable & {
  url: string;
  config: Config;
  dataDir: string;
  setUpCode: string | null;
  clock: TestClock;
  logged: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Opens the service's database directly, to set up data that would be slow to create over HTTP. */
  openStore(): Promise<MetadataStore>;
};

type TestOptions = {
  environment?: Environment;
  clock?: TestClock;
  dataDir?: string;
  timeouts?: Partial<Timeouts>;
  /** Cheap hashes by default. */
  passwords?: Passwords;
  /** Another service whose database and secret this one shares, as nodes do. */
  besides?: TestService;
};

const busyMsMax = 20_000; // a service's write takes milliseconds, but much longer on a busy machine

// Each thread of each store pipes into these; several services exceed Node.js's default limit.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(100);

/** The system's time, which the test moves forward. */
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

/** Makes a clock that only the test moves, so that no row depends on the machine's speed. */
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

/** Makes a directory that is removed on disposal. */
export async function makeDirectory(): Promise<AsyncDisposable & { path: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-test-'));
  return {
    path: directory,
    // A killed service's engine keeps writing for a moment.
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 20 }),
  };
}

/** Starts with a stopped clock, for tests that do not depend on passing time. */
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
    TAPEDECK_FAST_HTTP: process.env.TAPEDECK_FAST_HTTP, // lets every test run without it
    ...environment,
  });
  const asked = besides ? await shareDatabase(own, besides.config) : own;
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  if (!sharesEngines()) await endIdleEngines();
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
      // The service has migrated it. Without a look at that, no thread for reading starts.
      store ??= openMetadataDatabase(config.database).then(database => buildMetadataStore(database));
      return store;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Opens the service's SQLite file for reading. */
export function openDatabaseFile({ dataDir }: TestService): DatabaseSync {
  return new DatabaseSync(path.join(dataDir, 'tapedeck.db'));
}

/**
 * Changes the service's SQLite file directly, to break what tests cannot break otherwise. A transaction of the service needs this thread to end,
 * so each try is short and the next comes a moment later.
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
