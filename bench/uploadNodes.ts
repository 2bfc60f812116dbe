/**
 * Compares uploads of one project by one node and by three that share a PostgreSQL: rate, processor time of each part, and connections that wait for
 * each other. Each node keeps its media separately and in memory, so that they share only the database.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../scripts/engines/postgres.ts';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { composeUpload, makePicture } from './files.ts';
import type { LoadResult } from './load.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const seconds = 8;
const turns = 3;
const connections = 48; // across all nodes
const sizeBytes = 1_000;
const sampleMs = 20;
const microsPerTick = 10_000; // Linux counts processor time in hundredths of a second

type Measured = {
  rate: number;
  p99: number;
  nodeMicros: number;
  databaseMicros: number;
  /** The mean number of connections that wait for each other's locks, and for the database's log. */
  locks: number;
  log: number;
};

export const uploadNodes: Bench = {
  name: 'upload-nodes',
  about: 'small uploads of one project by one node and by three on one PostgreSQL, in turns',
  run: async () => {
    await using postgres = await startPostgres({ isDurable: true });
    const url = postgres.urlOf('postgres');
    const environment = {
      TAPEDECK_DATABASE_URL: url,
      TAPEDECK_SECRET: 's'.repeat(40),
      TAPEDECK_MEDIA_TOKEN: token,
    };
    await using opened = new AsyncDisposableStack();
    const nodes: BenchService[] = [];
    for (let node = 0; node < 3; node++) nodes.push(opened.use(await startNode(environment, opened)));
    const all = new Map<number, Measured[]>([
      [1, []],
      [3, []],
    ]);
    const database = { url, server: await findServer(url) };
    for (const count of all.keys()) await measure(nodes.slice(0, count), database); // warm-up
    for (let turn = 0; turn < turns; turn++) {
      for (const [count, measured] of all) measured.push(await measure(nodes.slice(0, count), database));
    }
    const head = [
      'nodes',
      'uploads/s',
      'p99 ms',
      'node µs each',
      'PostgreSQL µs each',
      'wait for locks',
      'wait for its log',
    ];
    printTable(
      head,
      [...all].map(([count, measured]) => describe(count, measured)),
    );
  },
};

async function startNode(
  environment: Readonly<Record<string, string>>,
  opened: AsyncDisposableStack,
): Promise<BenchService> {
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const dataDir = await mkdtemp(path.join(memory, 'tapedeck-bench-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  return await startBenchService({ ...environment, TAPEDECK_DATA_DIR: dataDir }, null);
}

type SharedDatabase = { url: string; server: number };

async function measure(nodes: readonly BenchService[], { url, server }: SharedDatabase): Promise<Measured> {
  const requests = [composeUpload(makePicture(sizeBytes))];
  const before = await readTimes(nodes, server);
  const waits = sampleWaits(url);
  const results = await Promise.all(
    nodes.map(({ port }) =>
      runLoadProcess({ port, connections: connections / nodes.length, seconds, requests }, null),
    ),
  );
  const { locks, log } = await waits.end();
  const after = await readTimes(nodes, server);
  const rate = results.reduce((sum, result) => sum + requireTaken(result).requestsPerSecond, 0);
  const uploads = rate * seconds;
  return {
    rate,
    p99: Math.max(...results.map(({ p99 }) => p99)),
    nodeMicros: (after.nodes - before.nodes) / uploads,
    databaseMicros: (after.database - before.database) / uploads,
    locks,
    log,
  };
}

function requireTaken(result: LoadResult): LoadResult {
  if (Object.keys(result.statuses).join() !== '200')
    throw new Error(`Answers: ${JSON.stringify(result.statuses)}`);
  return result;
}

async function readTimes(
  nodes: readonly BenchService[],
  server: number,
): Promise<{ nodes: number; database: number }> {
  const times = await Promise.all(nodes.map(({ pid }) => readProcessorTimes(pid)));
  return { nodes: times.reduce((sum, { service }) => sum + service, 0), database: readDatabaseTime(server) };
}

/** Sums the processor time of PostgreSQL's processes, including ended ones, which the first process adds to its own. */
function readDatabaseTime(server: number): number {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ');
  let ticks = 0;
  for (const pid of [server, ...children]) {
    try {
      ticks += readStat(pid)
        .slice(13, 17)
        .reduce((sum, time) => sum + time, 0);
    } catch {
      // The process has ended.
    }
  }
  return ticks * microsPerTick;
}

/** Reads the fields of proc(5). Field 3 has index 2; the first two are 0. */
function readStat(pid: number | string): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return [
    0,
    0,
    ...text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number),
  ];
}

async function findServer(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const parent = readStat(rows[0]?.pid ?? 0)[3]!;
  await client.end();
  return parent;
}

function sampleWaits(url: string): { end(): Promise<{ locks: number; log: number }> } {
  let isOver = false;
  const sampling = (async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const sums = { locks: 0, log: 0, samples: 0 };
    while (!isOver) {
      const { rows } = await client.query<{ locks: string; log: string }>(
        `select count(*) filter (where wait_event_type = 'Lock') as locks,
           count(*) filter (where wait_event in ('WALSync', 'WalSync', 'WALWrite', 'WalWrite')) as log
         from pg_stat_activity where application_name = 'tapedeck'`,
      );
      sums.locks += Number(rows[0]?.locks);
      sums.log += Number(rows[0]?.log);
      sums.samples += 1;
      await wait(sampleMs);
    }
    await client.end();
    return { locks: sums.locks / sums.samples, log: sums.log / sums.samples };
  })();
  return {
    end: () => {
      isOver = true;
      return sampling;
    },
  };
}

function describe(count: number, measured: readonly Measured[]): string[] {
  const middle = (read: (each: Measured) => number) => median(measured.map(read));
  return [
    String(count),
    middle(({ rate }) => rate).toFixed(0),
    middle(({ p99 }) => p99).toFixed(0),
    middle(({ nodeMicros }) => nodeMicros).toFixed(0),
    middle(({ databaseMicros }) => databaseMicros).toFixed(0),
    middle(({ locks }) => locks).toFixed(1),
    middle(({ log }) => log).toFixed(1),
  ];
}
