/**
 * Sends the queries of a project's first page over HTTP, at a million entries of a few hundred patterns over eight days: each alone and all at once,
 * in milliseconds of wall and processor time. Adds entries before each turn, so that no answer comes from a cache.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { untilComplete } from './backfillWait.ts';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { fillLogStore } from './fillLogStore.ts';
import { formatHomeRows } from './homeRows.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';
import { type Ask, ownerSettings, signIn } from './session.ts';

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days = 8;
const turns = Number(process.env.BENCH_ROUNDS ?? 7);
const arrivingEntries = 200; // before each turn, as if half a minute had passed

export const home: Bench = {
  name: 'home',
  about: `what the first page of a project asks at ${entries} entries, over HTTP; medians of ${turns} turns`,
  run: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-'));
    try {
      await fill(directory);
      await using service = await start(directory);
      const ask = await signIn(service);
      const cold = await measure(service, () => askAll(ask));
      printTable(['cold', 'ms', 'processor ms'], [['all at once', ...format([cold])]]);
      const rows: string[][] = [];
      for (const [name, question] of Object.entries({ ...questions, ...later })) {
        const measured = await inTurns(service, () => ask(question()));
        rows.push([name, ...format(measured)]);
      }
      rows.push(['all at once', ...format(await inTurns(service, () => askAll(ask)))]);
      console.log();
      printTable(['warm', 'ms', 'processor ms'], rows);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};

async function fill(directory: string): Promise<void> {
  const endMicros = Date.now() * 1000;
  const intervalMicros = Math.floor((days * dayMs * 1000) / entries);
  const spread = { entries, startMicros: endMicros - entries * intervalMicros, intervalMicros };
  await fillLogStore(path.join(directory, 'logs'), spread, formatHomeRows(endMicros));
  await using service = await start(directory); // finds the patterns, so that the measured service has nothing else to do
  await untilComplete(service);
}

function start(directory: string): Promise<BenchService> {
  const settings = { ...ownerSettings, TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory };
  return startBenchService(settings, null);
}

const project = '/projects/default';
const instant = (at: number) => new Date(at).toISOString();
const logs = (room: string, parameters: Record<string, string | number>) => {
  const query = Object.entries({ dataset: '*', ...parameters }).map(pair =>
    pair.map(encodeURIComponent).join('='),
  );
  return `${project}/logs${room}?${query.join('&')}`;
};
const countsOf = (spanMs: number, buckets: number) => {
  const now = Date.now();
  return logs('/histogram', { from: instant(now - spanMs), to: instant(now - 1), buckets });
};

/** The queries of `dashboard/src/queries`, log store queries first. */
const questions: Readonly<Record<string, () => string>> = {
  'counts of each hour of a week': () => countsOf(169 * hourMs, 169),
  'counts of each five minutes': () => countsOf(6 * hourMs, 72),
  'patterns that are new today': () =>
    logs('/patterns', {
      from: instant(new Date().setHours(0, 0, 0, 0)),
      to: instant(Date.now()),
      new: 'true',
      buckets: 24,
    }),
  'newest errors': () => logs('', { level: 'error', from: instant(Date.now() - 7 * dayMs), limit: 5 }),
  storage: () => `${project}/storage`,
  rules: () => `${project}/rules`,
  channels: () => `${project}/channels`,
  'live servers': () => `${project}/sdk-sessions`,
  'any file': () => `${project}/files?limit=1`,
  machine: () => '/machine',
};

/** Sent once the others have been answered. */
const later = { 'usage of thirty days': () => `${project}/usage?days=30` };

async function askAll(ask: Ask): Promise<void> {
  for (const together of [questions, later])
    await Promise.all(Object.values(together).map(question => ask(question())));
}

type Measured = { tookMs: number; processorMs: number };

async function measure({ pid }: BenchService, act: () => Promise<void>): Promise<Measured> {
  const before = await readProcessorTimes(pid);
  const startedAt = performance.now();
  await act();
  const tookMs = performance.now() - startedAt;
  const after = await readProcessorTimes(pid);
  const processorMs = (after.service + after.engine - before.service - before.engine) / 1000;
  return { tookMs, processorMs };
}

async function inTurns(service: BenchService, act: () => Promise<void>): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    await sendEntries(service);
    measured.push(await measure(service, act));
  }
  return measured.slice(1);
}

async function sendEntries({ port }: BenchService): Promise<void> {
  const body = JSON.stringify(
    Array.from({ length: arrivingEntries }, (_, index) => ({
      level: 'info',
      message: `player ${index} saved after 12 ms`,
    })),
  );
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/api/v3/logs`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(await response.text());
  // Keeps earlier work from delaying the measurement.
  await fetch(`http://127.0.0.1:${port}/api/v3/logs?limit=1`, { headers: { authorization: token } });
}

function format(measured: readonly Measured[]): string[] {
  const processorMs = measured.reduce((sum, one) => sum + one.processorMs, 0) / measured.length;
  return [median(measured.map(({ tookMs }) => tookMs)).toFixed(0), processorMs.toFixed(0)];
}
