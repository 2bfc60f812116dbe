/**
 * Sends every kind of query while one project holds long bodies and another holds short entries. Each query must get an answer in both projects,
 * within the engine's memory.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeLongEntry, questionsOfLongBodies } from '../server/tests/support/longBodies.ts';
import { createProject, createToken } from './administration.ts';
import { type Bench, printTable } from './bench.ts';
import { makeEntry } from './logEntries.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readResidentMegabytes } from './processTimes.ts';

const longEntries = Number(process.env.BENCH_ENTRIES ?? 100_000);
const longProject = 'dumps';
const shortEntries = 20_000;
const longEachRequest = 40; // 2.6 MB
const shortEachRequest = 1_000;
const requestsAtOnce = 3;
const tailMs = 500;
const mergeMs = 60_000; // small parts merge in pairs once no more arrive
const memorySampleMs = 100;

type Asked = { status: number; tookMs: number };

export const longBodies: Bench = {
  name: 'long-bodies',
  about: `every kind of question beside ${longEntries} bodies of 64 KiB in one project, ms`,
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    const environment = { TAPEDECK_DATA_DIR: directory };
    try {
      await using service = await startBenchService(environment, null);
      const callers = openCallers(service, directory);
      await fill(callers);
      console.log('\nRight after the entries came, before all parts were merged:\n');
      await askAll(service, callers);
      await wait(mergeMs);
      console.log('\nLater:\n');
      await askAll(service, callers);
    } finally {
      if (keptDirectory === null) await rm(directory, { recursive: true });
    }
  },
};

type Caller = { project: string; call(path: string, body?: string): Promise<Response> };
type Callers = Readonly<Record<'long' | 'short', Caller>>;

function openCallers({ port }: BenchService, directory: string): Callers {
  createProject(directory, longProject); // refused if it exists
  const open = (project: string): Caller => {
    const admin = createToken(directory, 'admin', project);
    const logs = createToken(directory, 'logs', project);
    return {
      project,
      call: (path, body) =>
        fetch(`http://127.0.0.1:${port}/api${path}`, {
          headers: {
            authorization: path.startsWith('/manage') ? admin : logs,
            'content-type': 'application/json',
          },
          ...(body === undefined ? {} : { method: 'POST', body }),
        }),
    };
  };
  return { long: open(longProject), short: open('default') };
}

async function countStored({ call }: Caller): Promise<number> {
  const response = await call('/v3/logs?limit=1&includeTotal=true');
  // Per the contract.
  return ((await response.json()) as { pagination: { total: number } }).pagination.total;
}

/** Skips entries that an earlier run has stored. */
async function fill({ long, short }: Callers): Promise<void> {
  const startedAt = performance.now();
  const [longStored, shortStored] = await Promise.all([countStored(long), countStored(short)]);
  await Promise.all([
    send(long, { first: longStored, end: longEntries, eachRequest: longEachRequest, make: makeLongEntry }),
    send(short, { first: shortStored, end: shortEntries, eachRequest: shortEachRequest, make: makeEntry }),
  ]);
  console.log(`Sent in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}

type Sending = { first: number; end: number; eachRequest: number; make(number: number): object };

async function send({ call }: Caller, { first, end, eachRequest, make }: Sending): Promise<void> {
  let next = first;
  const run = async () => {
    while (next < end) {
      const from = next;
      next += eachRequest;
      const count = Math.min(eachRequest, end - from);
      const body = JSON.stringify(Array.from({ length: count }, (_, index) => make(from + index)));
      for (;;) {
        const response = await call('/v3/logs', body);
        const answer = await response.text();
        if (response.status === 200) break;
        if (response.status !== 503 && response.status !== 429)
          throw new Error(`${response.status} ${answer}`);
        await wait(1_000); // the service accepts no more for a moment
      }
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, run));
}

async function askAll(service: BenchService, callers: Callers): Promise<void> {
  const rows: string[][] = [];
  for (const [name, path] of Object.entries(questionsOfLongBodies)) {
    const cells = [name];
    for (const caller of [callers.long, callers.short]) {
      const asked = await watchMemory(service, () => measure(caller, path));
      const outcome = asked.answer.status === 200 ? '' : ` (${asked.answer.status})`;
      cells.push(`${asked.answer.tookMs.toFixed(0)}${outcome}`, asked.megabytes.toFixed(0));
    }
    rows.push(cells);
  }
  rows.push([
    'tail, first entry',
    (await measureTail(callers.long)).toFixed(0),
    '',
    (await measureTail(callers.short)).toFixed(0),
    '',
  ]);
  printTable(
    ['question', 'long bodies, ms', 'engine, MB', 'short entries beside them, ms', 'engine, MB'],
    rows,
  );
}

async function measure(
  { project, call }: Caller,
  path: (project: string, traceId: string) => string,
): Promise<Asked> {
  // Per the contract.
  const newest = (await (await call('/v3/logs?limit=1')).json()) as { data?: { traceId: string }[] };
  const startedAt = performance.now();
  const response = await call(path(project, newest.data?.[0]?.traceId ?? 'none'));
  await response.body?.pipeTo(new WritableStream()); // read and discarded
  return { status: response.status, tookMs: performance.now() - startedAt };
}

/** Measures the time from sending an entry to receiving it. */
async function measureTail({ call }: Caller): Promise<number> {
  const response = await call('/v3/logs/tail');
  await wait(tailMs);
  const startedAt = performance.now();
  await call('/v3/logs', JSON.stringify([{ level: 'info', message: 'x'.repeat(60_000) }]));
  let told = '';
  for await (const chunk of response.body ?? []) {
    told += Buffer.from(chunk).toString();
    if (told.includes('xxxx')) break;
  }
  return performance.now() - startedAt;
}

async function watchMemory<Answer>(
  { pid }: BenchService,
  run: () => Promise<Answer>,
): Promise<{ answer: Answer; megabytes: number }> {
  let megabytes = 0;
  const note = async () => {
    megabytes = Math.max(megabytes, (await readResidentMegabytes(pid)).engine);
  };
  const timer = setInterval(() => void note(), memorySampleMs);
  try {
    const answer = await run();
    await note();
    return { answer, megabytes };
  } finally {
    clearInterval(timer);
  }
}
