/** Starts the real service for a test: own data directory, free port, everything gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { startService } from '../src/app.ts';
import { type Environment, readConfig } from '../src/config.ts';
import type { Clock } from '../src/domain/ports/clock.ts';
import { observeAnswer } from './observedErrors.ts';

export type TestService = AsyncDisposable & {
  url: string;
  dataDir: string;
  setUpCode: string | null;
  /** Lines the service has logged. */
  logged: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

export type TestOptions = { environment?: Environment; clock?: Clock; dataDir?: string };

export async function startTestService({
  environment = {},
  clock,
  dataDir,
}: TestOptions = {}): Promise<TestService> {
  await using opened = new AsyncDisposableStack();
  const directory = dataDir ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-test-')));
  if (dataDir === undefined) opened.defer(() => rm(directory, { recursive: true, force: true }));
  const config = readConfig({
    TAPEDECK_HOST: '127.0.0.1',
    TAPEDECK_PORT: '0',
    TAPEDECK_DATA_DIR: directory,
    ...environment,
  });
  const logged: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const service = opened.use(await startService(config, { log, ...(clock && { clock }) }));
  const running = opened.move();
  return {
    url: service.url,
    dataDir: directory,
    setUpCode: service.setUpCode,
    logged,
    fetch: async (route, init) => {
      const response = await fetch(new URL(route, service.url), { redirect: 'manual', ...init });
      await observeAnswer(init?.method ?? 'GET', route, response);
      return response;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
