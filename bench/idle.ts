/** Measures how soon the service is ready and at what cost, with and without compiled code from an earlier start, and how much memory it holds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { makeRequests } from './logEntries.ts';
import { runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';

const restSeconds = 45;
const load = { connections: 32, seconds: 10 };

export const idle: Bench = {
  name: 'idle',
  about: `milliseconds and processor time until ready, and megabytes in memory ${restSeconds} s after that and after a load`,
  run: async () => {
    const compiled = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-compiled-'));
    const head = [
      'start',
      'ready ms',
      'processor ms, service',
      'engine',
      'service MB',
      'engine MB',
      'together',
      'target',
    ];
    try {
      const rows = [
        ...(await measure('nothing compiled yet', compiled, false)),
        ...(await measure('compiled', compiled, true)),
      ];
      printTable(head, rows);
    } finally {
      await rm(compiled, { recursive: true });
    }
  },
};

async function measure(name: string, compiled: string, isLoaded: boolean): Promise<string[][]> {
  const startedAt = performance.now();
  const environment = { TAPEDECK_LOGS_TOKEN: token, NODE_COMPILE_CACHE: compiled };
  await using service = await startBenchService(environment, null);
  const readyMs = (performance.now() - startedAt).toFixed(0);
  const cost = await describeCost(service.pid);
  await wait(restSeconds * 1000);
  const rows = [[name, readyMs, ...cost, ...(await describeMemory(service.pid)), '700 ms, 250 MB']];
  if (!isLoaded) return rows;
  await runLoadProcess({ ...load, port: service.port, requests: makeRequests(100, token) }, null);
  await wait(restSeconds * 1000);
  rows.push([
    `${name}, after ${load.seconds} s of load`,
    '',
    '',
    '',
    ...(await describeMemory(service.pid)),
    '',
  ]);
  return rows;
}

/** Without set-up's check for changes, which runs earlier in a separate process. */
async function describeCost(pid: number): Promise<string[]> {
  const { service, engine } = await readProcessorTimes(pid);
  return [service, engine].map(micros => (micros / 1000).toFixed(0));
}

async function describeMemory(pid: number): Promise<string[]> {
  const { service, engine } = await readResidentMegabytes(pid);
  return [service, engine, service + engine].map(megabytes => megabytes.toFixed(0));
}
