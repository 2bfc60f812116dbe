/**
 * Sends a dashboard's queries at 500,000 entries, first at rest and then while entries and uploads arrive: median and 90th percentile of each. No two
 * requests are the same, so that no answer comes from a cache.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { untilComplete } from './backfillWait.ts';
import { type Bench, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { composeUpload, makePicture } from './files.ts';
import { fillLogStore } from './fillLogStore.ts';
import { makeRequests } from './logEntries.ts';
import { formatInstant } from './logQueryRequests.ts';
import { firstPlayer, formatNeedleRows, players, rareWords } from './needleRows.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';
import { makeRules } from './ruleMaking.ts';

const mediaToken = 'benchbenchbenchbenchbenchmedia12';
const entries = 500_000;
const dayMicros = 86_400_000_000;
const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const secondsToWarmUp = 5;
const pauseMs = 100; // between two queries, like a user's clicks

const entriesPerRequest = 50;
const entriesPerSecond = 2_000;
const uploadsPerSecond = 20;
const uploadBytes = 100_000;
const connections = 4;

/** The rules of a busy team; none of them fires. */
const watched = {
  rules: 20,
  make: (number: number) => ({ query: `level:error resource:server-${number} "zone spawn ${number}"` }),
};
const questionsPerSecond = 20;

/** Under load, a query may take this many times as long as at rest, plus this time. */
const slowdownMax = 2;
const slowdownMsMax = 20;
const ninthDecileMsMax = 250;

const startMicros = (Date.now() - 86_400_000) * 1000;

/** Each turn sends another query, about the whole day and about recent entries. */
const questions: Readonly<Record<string, (turn: number) => string>> = {
  'newest page': turn => `?limit=50&${since(turn)}`,
  'a player': turn => `?limit=50&metadata.player.id=${firstPlayer + ((turn * 7_919) % players)}`,
  'a rare word': turn => `?limit=50&query=${rareWords[turn % rareWords.length]}&${since(turn)}`,
  histogram: turn => `/histogram?buckets=60&${since(turn)}`,
  patterns: turn => `/patterns?buckets=24&${since(turn)}`,
};
const since = (turn: number) => `from=${formatInstant(startMicros + turn * 10_000)}`;

export const logMixed: Bench = {
  name: 'log-mixed',
  about: `questions at ${entries} entries, at rest and beside ${entriesPerSecond} entries/s and ${uploadsPerSecond} uploads/s, ms`,
  run: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-'));
    try {
      await fill(directory);
      await using service = await start(directory);
      await untilComplete(service);
      await askFor(service, 0, wait(secondsToWarmUp * 1000));
      const atRest = await askFor(service, 10_000, wait(seconds * 500));
      const load = sendLoad(service);
      await askFor(service, 20_000, wait(secondsToWarmUp * 1000));
      const underLoad = await askFor(service, 30_000, load);
      for (const result of await load) console.log(result);
      printComparison(atRest, underLoad);
      await makeRules(service, directory, watched);
      const crowd = sendLoad(service);
      const crowded = await askTogether(service, 40_000, crowd);
      console.log(`\nThe same load, ${watched.rules} rules, and ${questionsPerSecond} questions a second:`);
      for (const result of await crowd) console.log(result);
      printComparison(atRest, crowded);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};

async function fill(directory: string): Promise<void> {
  const spread = { entries, startMicros, intervalMicros: Math.floor(dayMicros / entries) };
  await fillLogStore(path.join(directory, 'logs'), spread, formatNeedleRows('few words'));
  await using service = await start(directory); // finds the patterns, as the intake would have
  await untilComplete(service);
}

function start(directory: string): Promise<BenchService> {
  const tokens = { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_MEDIA_TOKEN: mediaToken };
  return startBenchService({ ...tokens, TAPEDECK_DATA_DIR: directory }, null);
}

/** Resolves to a line for each kind of load once its time is over. */
async function sendLoad({ port, pid }: BenchService): Promise<string[]> {
  const before = await readProcessorTimes(pid);
  const common = { port, connections, seconds };
  const batches = makeRequests(entriesPerRequest, token);
  const uploads = [composeUpload(makePicture(uploadBytes), mediaToken)];
  const [sent, uploaded] = await Promise.all([
    runLoadProcess(
      { ...common, requests: batches, requestsPerSecondMax: entriesPerSecond / entriesPerRequest },
      null,
    ),
    runLoadProcess({ ...common, requests: uploads, requestsPerSecondMax: uploadsPerSecond }, null),
  ]);
  const after = await readProcessorTimes(pid);
  const share = (of: 'service' | 'engine') => `${((after[of] - before[of]) / seconds / 10_000).toFixed(0)} %`;
  const processor = `processor: service ${share('service')} of a core, engine ${share('engine')}`;
  const answers = Object.entries({ batches: sent, uploads: uploaded }).map(
    ([name, { requestsPerSecond, p50, p99, statuses }]) =>
      `${name}: ${requestsPerSecond.toFixed(1)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${JSON.stringify(statuses)}`,
  );
  return [...answers, processor];
}

type Times = Map<string, number[]>;

/** Sends queries one after another until the end. */
async function askFor(service: BenchService, firstTurn: number, end: Promise<unknown>): Promise<Times> {
  const times = openTimes();
  const isOver = watchEnd(end);
  for (let turn = firstTurn; !isOver(); turn++) {
    for (const name of times.keys()) {
      times.get(name)?.push(await measure(service, name, turn));
      await wait(pauseMs);
    }
  }
  await end;
  return times;
}

/** Sends queries at a fixed rate until the end, however long each takes. */
async function askTogether(service: BenchService, firstTurn: number, end: Promise<unknown>): Promise<Times> {
  const times = openTimes();
  const names = [...times.keys()];
  const isOver = watchEnd(end);
  const asked: Promise<unknown>[] = [];
  for (let number = 0; !isOver(); number++) {
    const name = names[number % names.length]!;
    const turn = firstTurn + Math.floor(number / names.length);
    asked.push(
      measure(service, name, turn).then(
        tookMs => times.get(name)?.push(tookMs),
        () => times.get(name)?.push(Number.POSITIVE_INFINITY), // refused after half a minute
      ),
    );
    await wait(1000 / questionsPerSecond);
  }
  await Promise.all(asked);
  return times;
}

function openTimes(): Times {
  return new Map(Object.keys(questions).map(name => [name, []]));
}

function watchEnd(end: Promise<unknown>): () => boolean {
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  return () => isOver;
}

async function measure(service: BenchService, name: string, turn: number): Promise<number> {
  const path = questions[name]?.(turn);
  const startedAt = performance.now();
  const response = await ask(service, `/logs${path}`);
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${answer}`);
  return performance.now() - startedAt;
}

function printComparison(atRest: Times, underLoad: Times): void {
  const rows = Array.from(atRest, ([name, resting]) => {
    const loaded = underLoad.get(name) ?? [];
    const [restMs, loadMs] = [quantile(resting, 0.5), quantile(loaded, 0.5)];
    const mayTakeMs = restMs * slowdownMax + slowdownMsMax;
    const isHeld = loadMs <= mayTakeMs && quantile(loaded, 0.9) <= ninthDecileMsMax;
    return [name, describe(resting), describe(loaded), mayTakeMs.toFixed(0), isHeld ? 'yes' : 'no'];
  });
  printTable(['question', 'at rest, p50 · p90', 'under load, p50 · p90', 'p50 at most', 'held'], rows);
}

function describe(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(0)} · ${quantile(times, 0.9).toFixed(0)}`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
