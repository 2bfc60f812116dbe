/** How soon the service is ready, with and without compiled code from an earlier start, and how much memory it and its engine hold. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { token } from './asking.ts';
import { type Bench, printTable } from './bench.ts';
import { makeRequests } from './logEntries.ts';
import { runLoadProcess, startBenchService } from './processes.ts';
import { readResidentMegabytes } from './processTimes.ts';

const restSeconds = 45;
const load = { connections: 32, seconds: 10 };

export const idle: Bench = {
  name: 'idle',
  about: `milliseconds until ready, and megabytes in memory ${restSeconds} s after that and after a load`,
  run: async () => {
    const compiled = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-compiled-'));
    const head = ['start', 'ready ms', 'service MB', 'engine MB', 'together', 'target'];
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
  await wait(restSeconds * 1000);
  const rows = [[name, readyMs, ...(await describeMemory(service.pid)), '2,000 ms, 450 MB']];
  if (!isLoaded) return rows;
  await runLoadProcess({ ...load, port: service.port, requests: makeRequests(100, token) }, null);
  await wait(restSeconds * 1000);
  rows.push([`${name}, after ${load.seconds} s of load`, '', ...(await describeMemory(service.pid)), '']);
  return rows;
}

async function describeMemory(pid: number): Promise<string[]> {
  const { service, engine } = await readResidentMegabytes(pid);
  return [service, engine, service + engine].map(megabytes => megabytes.toFixed(0));
}
