/** Runs the service behind a wiretap in a separate process, and kills and restarts it while clients send. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../src/config.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import type { Entry } from '../support/storedEntries.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { openWiretap, type Wiretap } from './wiretap.ts';

const patienceMs = 60_000; // clients wait seconds before they retry

export type KilledService = AsyncDisposable & {
  wiretap: Wiretap;
  token: string;
  /** Kills the service and its engine with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Returns entries in order of time once `count` are stored. */
  read(dataset: string, count: number): Promise<Entry[]>;
};

export async function startKilledService(environment: Environment = {}): Promise<KilledService> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory());
  const wiretap = opened.use(await openWiretap());
  const token = 'logs-token-of-the-tested-clients';
  let service: ServiceProcess;
  const start = async () => {
    const own = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_LOGS_TOKEN: token };
    service = await startProcess({ ...environment, ...own });
    await wiretap.lead(service.url);
  };
  await start();
  opened.defer(() => service[Symbol.asyncDispose]());
  const list = async (dataset: string): Promise<Entry[] | null> => {
    const path = `/api/v3/logs/export?order=asc&dataset=${encodeURIComponent(dataset)}`;
    const response = await fetch(`${service.url}${path}`, { headers: { authorization: token } });
    const text = await response.text();
    if (response.status === 503) return null; // the engine is restarting or busy
    assert.equal(response.status, 200, text);
    const lines = text.split('\n').filter(Boolean);
    return lines.map(line => JSON.parse(line) as Entry); // the contract's shape
  };
  const running = opened.move();
  return {
    wiretap,
    token,
    start,
    kill: async () => {
      const engine = await findEngineProcess(service.child.pid!);
      service.child.kill('SIGKILL');
      await wiretap.cut();
      if (engine !== null) process.kill(engine, 'SIGKILL');
      await service.exit;
    },
    read: async (dataset, count) => {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const entries = await list(dataset);
        if (entries !== null && entries.length >= count) return entries;
        const came = entries?.map(({ body }) => body).join(', ');
        assert.ok(performance.now() < deadline, `fewer than ${count} entries arrived: ${came}`);
        await wait(50);
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
