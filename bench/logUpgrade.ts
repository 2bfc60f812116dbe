/** Completes a log table of the first version while entries arrive and are searched: measures the duration and the delay for other requests. */
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  createFirstTable,
  type EngineAccess,
  localTable,
  runCommand,
  startEngine,
} from '@tapedeck/log-store/testing';
import { makeDirectory } from '../server/tests/support/service.ts';
import { isCompleting } from './backfillWait.ts';
import { type Bench, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { makeEntry } from './logEntries.ts';
import { formatRows } from './logRows.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const entries = 2_000_000;
const entriesPerInsert = 200_000; // the size of the journal's segments
const entriesPerRequest = 100;
const requestIntervalMs = 50;
const searchIntervalMs = 200;
const restMs = 20_000;
const engineMemoryBytes = 1_500_000_000;
const dayMicros = 86_400_000_000;

export const logUpgrade: Bench = {
  name: 'log-upgrade',
  about: `${entries.toLocaleString('en')} entries of the first version, completed beside 2,000 entries/s and five searches a second`,
  run: async () => {
    await using directory = await makeDirectory();
    await fill(path.join(directory.path, 'logs'));
    await using service = await startBenchService(
      { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory.path },
      null,
    );
    const completing = await measure('while it is completed', service, async () => {
      while (!(await isCompleting(service))) await wait(20);
      while (await isCompleting(service)) await wait(100);
    });
    const after = await measure('afterwards', service, () => wait(restMs));
    printTable(
      ['', 's', 'service, s of processor', 'engine', 'intake p50 ms', 'p99', 'search p50 ms', 'p99'],
      [completing, after],
    );
  },
};

async function fill(directory: string): Promise<void> {
  const engine = await startEngine({ directory, memoryBytesMax: engineMemoryBytes });
  const access: EngineAccess = { endpoint: () => engine.endpoint, onUp: () => () => {} };
  await createFirstTable(access);
  const columns = 'project, dataset, timestamp, identity, level, resource, parentId, body, metadata';
  const spread = {
    startMicros: (Date.now() - 3 * 86_400_000) * 1000,
    intervalMicros: Math.floor((3 * dayMicros) / entries),
  };
  for (let first = 0; first < entries; first += entriesPerInsert) {
    const rows = formatRows({ ...spread, first, count: entriesPerInsert });
    await runCommand(
      access,
      `INSERT INTO ${localTable} (${columns}) ${rows} SETTINGS max_insert_threads = 1`,
    );
  }
  await runCommand(access, `OPTIMIZE TABLE ${localTable} FINAL`);
  await engine.stop();
}

async function measure(
  phase: string,
  service: BenchService,
  awaitEnd: () => Promise<unknown>,
): Promise<string[]> {
  const before = await readProcessorTimes(service.pid);
  const startedAt = performance.now();
  const ended = new AbortController();
  const intake = repeat(() => send(service), requestIntervalMs, ended.signal);
  const searches = repeat(() => search(service), searchIntervalMs, ended.signal);
  await awaitEnd();
  const seconds = (performance.now() - startedAt) / 1000;
  ended.abort();
  const times = [await intake, await searches];
  const after = await readProcessorTimes(service.pid);
  const processor = [after.service - before.service, after.engine - before.engine].map(
    micros => micros / 1e6,
  );
  return [phase, ...[seconds, ...processor].map(number => number.toFixed(1)), ...times.flatMap(describe)];
}

/** Returns the milliseconds of each. Starts the next only after the last has ended. */
async function repeat(work: () => Promise<void>, intervalMs: number, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
    await wait(Math.max(0, intervalMs - (performance.now() - startedAt)));
  }
  return times;
}

function describe(times: readonly number[]): string[] {
  const sorted = times.toSorted((one, other) => one - other);
  return [0.5, 0.99].map(share => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0));
}

let sent = 0;

async function send({ port }: BenchService): Promise<void> {
  const batch = Array.from({ length: entriesPerRequest }, () => makeEntry(sent++));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const body = JSON.stringify(batch);
  const answer = await fetch(`http://127.0.0.1:${port}/api/v3/logs`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`entries are refused: ${answer.status}`);
}

let asked = 0;

/** Searches for a new missing word each time, so that no answer comes from a cache. */
async function search(service: BenchService): Promise<void> {
  const answer = await ask(
    service,
    `/logs?query=${encodeURIComponent(`body:absentword${asked++}x`)}&limit=50`,
  );
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`a search is refused: ${answer.status}`);
}
