/**
 * Counts durably acknowledged log entries per second, for the service and for a bare server with the same journal (the floor). Checks that
 * all are found, and how soon. Also measures the intake during ten scans.
 */

import { type Bench, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import type { LoadResult } from './load.ts';
import { makeRequests } from './logEntries.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const floorProgram = 'bench/logFloor.ts';
const scans = 10;

type Trial = {
  entries: number;
  connections: number;
  seconds: number;
  program: string | null;
  scans: number;
  target: string;
};

const batches = { entries: 100, connections: 32, seconds: 60, program: null, scans: 0 };
const trials: readonly Trial[] = [
  { ...batches, target: '200,000/s, p99 40 ms, 1,000 ms' },
  { ...batches, seconds: 20, program: floorProgram, target: '' },
  { ...batches, entries: 1, connections: 128, seconds: 20, target: '14,000/s' },
  { ...batches, entries: 1, connections: 128, seconds: 20, program: floorProgram, target: '' },
  { ...batches, connections: 8, seconds: 20, scans, target: 'p99 100 ms' },
];

const head = [
  'what',
  'entries/s',
  'p50 ms',
  'p99 ms',
  'all found after ms',
  'target',
  'µs/entry load',
  'service',
  'engine',
];

export const logIntake: Bench = {
  name: 'log-intake',
  about: 'log entries acknowledged a second; service, engine and load on all cores',
  run: async () => {
    const rows: string[][] = [];
    for (const trial of trials) rows.push(await measure(trial));
    printTable(head, rows);
  },
};

async function measure(trial: Trial): Promise<string[]> {
  const { entries, connections, seconds, program, target } = trial;
  await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null, program);
  const requests = makeRequests(entries, token);
  const before = await readProcessorTimes(service.pid);
  const scanning = new AbortController();
  const scanned = Promise.all(
    Array.from({ length: trial.scans }, () => keepScanning(service, scanning.signal)),
  );
  const result = await runLoadProcess({ port: service.port, connections, seconds, requests }, null);
  const endedAt = performance.now();
  scanning.abort();
  const taken = countTaken(result) * entries;
  const found = program === null ? await waitForAll(service, taken, endedAt) : '';
  const after = await readProcessorTimes(service.pid);
  await scanned;
  const each = (micros: number) => (micros / taken).toFixed(2);
  return [
    `${entries} a request${program === null ? '' : ', floor'}${trial.scans > 0 ? `, ${trial.scans} scans` : ''}`,
    (result.requestsPerSecond * entries).toFixed(0),
    result.p50.toFixed(1),
    result.p99.toFixed(1),
    found,
    target,
    each(result.processorSeconds * 1e6),
    each(after.service - before.service),
    each(after.engine - before.engine),
  ];
}

function countTaken({ statuses }: LoadResult): number {
  const { '200': taken = 0, ...others } = statuses;
  if (Object.keys(others).length > 0) throw new Error(`Answers: ${JSON.stringify(statuses)}`);
  return taken;
}

/** The first query must find all entries; there is no second one. */
async function waitForAll(service: BenchService, expected: number, sinceMs: number): Promise<string> {
  const answer = await ask(service, '/logs?limit=1&includeTotal=true');
  if (answer.status !== 200)
    throw new Error(`The count is answered with ${answer.status}: ${await answer.text()}`);
  // Per the contract.
  const { pagination } = (await answer.json()) as { pagination: { total: number } };
  if (pagination.total !== expected) {
    throw new Error(`Of ${expected} acknowledged entries ${pagination.total} are found.`);
  }
  return (performance.now() - sinceMs).toFixed(0);
}

/** Each scan reads the metadata of all entries, because no index counts its values. */
async function keepScanning(service: BenchService, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(service, '/logs/facets?field=metadata.playerId');
    await answer.arrayBuffer();
  }
}
