/**
 * Sends entries, uploads and all kinds of queries for an hour (or `BENCH_SECONDS`), and prints memory, open files and latencies of each twelfth of it.
 * Queries are about the last ten minutes, so that what they read stays the same once ten minutes are over. At the end every acknowledged entry is counted.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { composeUpload, makePicture } from './files.ts';
import { makeRequests } from './logEntries.ts';
import { formatInstant } from './logQueryRequests.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';

const mediaToken = 'benchbenchbenchbenchbenchmedia12';
const seconds = Number(process.env.BENCH_SECONDS ?? 3_600);
const windows = 12;
const entriesPerRequest = 50;
const entriesPerSecond = 2_000;
const uploadsPerSecond = 5;
const uploadBytes = 100_000;
const connections = 4;
const pauseMs = 100; // between two queries, like a user's clicks
const recentMicros = 600_000_000;

/** Each turn sends another query. */
const paths: readonly ((turn: number) => string)[] = [
  turn => `/logs?limit=50&${recent(turn)}`,
  turn =>
    `/logs?limit=50&includeTotal=true&metadata.playerId=${100_000 + ((turn * 7_919) % 9_000)}&${recent(turn)}`,
  turn => `/logs?limit=50&query=%22%23${turn % 3_200}%22&${recent(turn)}`,
  turn => `/logs/histogram?buckets=60&${recent(turn)}`,
  turn => `/logs/facets?field=metadata.playerId&${recent(turn)}`,
  turn => `/logs/patterns?buckets=24&${recent(turn)}`,
  turn => `/logs/series?interval=60s&by=level&${recent(turn)}`,
  turn => `/logs/export?query=%22%23${turn % 3_200}%22&${recent(turn)}`,
];

/** `from` differs in each turn, so that no answer comes from a cache. */
function recent(turn: number): string {
  return `from=${formatInstant(Date.now() * 1000 - recentMicros + (turn % 1_000))}`;
}

export const mixedHour: Bench = {
  name: 'mixed-hour',
  about: `${seconds} s of ${entriesPerSecond} entries/s, ${uploadsPerSecond} uploads/s, a live tail and queries: memory and latencies`,
  run: async () => {
    await using service = await startBenchService(
      { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_MEDIA_TOKEN: mediaToken },
      null,
    );
    const tail = openTail(service);
    const rows: string[][] = [];
    let sent = 0;
    for (let window = 0; window < windows; window++) {
      const { accepted, cells } = await measureWindow(service, window);
      sent += accepted;
      rows.push([`${window + 1}`, ...cells, String(tail.read())]);
      console.error(rows.at(-1)?.join(' · '));
    }
    tail.stop();
    printTable(
      [
        'part',
        'entries p50 · p99 ms',
        'uploads p50 · p99 ms',
        'queries p50 · p90 · p99 ms',
        'service MB',
        'engine MB',
        'open files',
        'cores',
        'entries of the live tail',
      ],
      rows,
    );
    const { pagination } = (await (await ask(service, '/logs?limit=1&includeTotal=true')).json()) as Counted;
    console.log(`Acknowledged ${sent} entries, found ${pagination.total}.`);
    if (pagination.total !== sent) throw new Error('The numbers differ.');
  },
};

/** As documented. */
type Counted = { pagination: { total: number } };

async function measureWindow(
  service: BenchService,
  window: number,
): Promise<{ accepted: number; cells: string[] }> {
  const length = seconds / windows;
  const { port, pid } = service;
  const before = await readProcessorTimes(pid);
  const common = { port, connections, seconds: length };
  const load = Promise.all([
    runLoadProcess(
      {
        ...common,
        requests: makeRequests(entriesPerRequest, token),
        requestsPerSecondMax: entriesPerSecond / entriesPerRequest,
      },
      null,
    ),
    runLoadProcess(
      {
        ...common,
        requests: [composeUpload(makePicture(uploadBytes), mediaToken)],
        requestsPerSecondMax: uploadsPerSecond,
      },
      null,
    ),
  ]);
  const times = await askUntil(service, window * 100_000, load);
  const [entries, uploads] = await load;
  for (const { statuses } of [entries, uploads])
    if (Object.keys(statuses).join() !== '200') throw new Error(JSON.stringify(statuses));
  const [after, memory] = [await readProcessorTimes(pid), await readResidentMegabytes(pid)];
  const cores = (after.service - before.service + after.engine - before.engine) / length / 1e6;
  const files = await readdir(`/proc/${pid}/fd`);
  const cells = [
    `${entries.p50.toFixed(1)} · ${entries.p99.toFixed(1)}`,
    `${uploads.p50.toFixed(1)} · ${uploads.p99.toFixed(1)}`,
    [median(times), quantile(times, 0.9), quantile(times, 0.99)].map(ms => ms.toFixed(0)).join(' · '),
    memory.service.toFixed(0),
    memory.engine.toFixed(0),
    String(files.length),
    cores.toFixed(2),
  ];
  return { accepted: (entries.statuses['200'] ?? 0) * entriesPerRequest, cells };
}

async function askUntil(service: BenchService, firstTurn: number, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  for (let turn = firstTurn; !isOver; turn++) {
    const path = paths[turn % paths.length]!(turn);
    const startedAt = performance.now();
    const response = await ask(service, path);
    const answer = await response.text();
    if (!response.ok) throw new Error(`${path}: ${answer}`);
    times.push(performance.now() - startedAt);
    await wait(pauseMs);
  }
  return times;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Reads the live tail, and counts its entries since the last `read`. */
function openTail(service: BenchService): { read(): number; stop(): void } {
  const stopped = new AbortController();
  let entries = 0;
  const follow = async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/api/v3/logs/tail`, {
      headers: { authorization: token },
      signal: stopped.signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      entries += decoder.decode(chunk).split('"traceId"').length - 1;
  };
  follow().catch(error => {
    if (!stopped.signal.aborted) console.error(error);
  });
  return {
    read: () => {
      const seen = entries;
      entries = 0;
      return seen;
    },
    stop: () => stopped.abort(),
  };
}
