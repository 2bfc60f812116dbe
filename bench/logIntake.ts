/** How many log entries a second are acknowledged durably, and what the door costs beside the journal and the engine. */
import { readFile } from 'node:fs/promises';
import { type Bench, printTable } from './bench.ts';
import { makeRequests } from './logEntries.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';

const seconds = 10;
const token = 'benchbenchbenchbenchbenchbench12';
const microsPerTick = 10_000; // Linux counts processor time in hundredths of a second

type Trial = { entries: number; connections: number };

const trials: readonly Trial[] = [
  { entries: 100, connections: 32 },
  { entries: 1, connections: 128 },
];

export const logIntake: Bench = {
  name: 'logIntake',
  about: 'log entries acknowledged a second, service, engine and load on all cores',
  run: async () => {
    const rows: string[][] = [];
    for (const trial of trials) {
      for (const program of ['bench/logFloor.ts', 'server/src/cli.ts']) {
        rows.push(await measure(trial, program));
      }
    }
    const head = [
      'entries',
      'program',
      'entries/s',
      'p50 ms',
      'p99 ms',
      'µs/entry service',
      'µs/entry engine',
    ];
    printTable([...head, 'statuses'], rows);
  },
};

async function measure({ entries, connections }: Trial, program: string): Promise<string[]> {
  await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null, program);
  const before = await readProcessorTimes(service);
  const load = { port: service.port, connections, seconds, requests: makeRequests(entries, token) };
  const { requestsPerSecond, p50, p99, statuses } = await runLoadProcess(load, null);
  const after = await readProcessorTimes(service);
  const taken = Object.values(statuses).reduce((sum, count) => sum + count, 0) * entries;
  const each = (micros: number) => (micros / taken).toFixed(2);
  return [
    String(entries),
    program,
    (requestsPerSecond * entries).toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    each(after.service - before.service),
    each(after.engine - before.engine),
    JSON.stringify(statuses),
  ];
}

/** Microseconds that the service and its engine have worked. */
async function readProcessorTimes(service: BenchService): Promise<{ service: number; engine: number }> {
  const children = await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').catch(
    () => '',
  );
  const [engine = ''] = children.trim().split(' ');
  return { service: await readProcessorTime(String(service.pid)), engine: await readProcessorTime(engine) };
}

async function readProcessorTime(pid: string): Promise<number> {
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [userTicks = 0, systemTicks = 0] = fields
    .slice(fields.lastIndexOf(')'))
    .split(' ')
    .slice(12, 14)
    .map(Number);
  return (userTicks + systemTicks) * microsPerTick;
}
