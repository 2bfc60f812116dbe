/**
 * Compares LogQL with the service's own questions about the same entries: counts over time by Loki's API against `/series`, and a line
 * filter against a search. Each turn asks about another range, so that no answer is remembered. `-- --data=DIRECTORY` keeps the entries.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { token } from './asking.ts';
import { type Bench, median, printTable } from './bench.ts';
import { untilComplete } from './completing.ts';
import { fillLogStore, type Spread } from './logFilling.ts';
import { formatInstant } from './logQuestions.ts';
import { formatRows, rareWord } from './logRows.ts';
import { type BenchService, startBenchService } from './processes.ts';

const entries = 1_000_000;
const repetitions = 11;
const dayMicros = 86_400_000_000;
const spread: Spread = {
  entries,
  startMicros: Date.UTC(2026, 9, 1) * 1000,
  intervalMicros: Math.floor((2 * dayMicros) / entries),
};

type Range = { fromMicros: number; toMicros: number };
type Row = { name: string; loki(range: Range): string; own(range: Range): string };

const lokiRange = ({ fromMicros, toMicros }: Range) =>
  `start=${fromMicros * 1000}&end=${(toMicros + 1) * 1000}`;
const ownRange = ({ fromMicros, toMicros }: Range) =>
  `dataset=*&from=${formatInstant(fromMicros)}&to=${formatInstant(toMicros)}`;
const inLoki = (query: string, rest: string) => (range: Range) =>
  `/loki/api/v1/query_range?query=${encodeURIComponent(query)}&${rest}&${lokiRange(range)}`;
const inOwn = (question: string) => (range: Range) => `/api/v3/logs${question}&${ownRange(range)}`;
const all = '{service_name=~".+"}';

const rows: readonly Row[] = [
  {
    name: 'count of a day by level, per minute',
    loki: inLoki(`sum by (level) (count_over_time(${all}[1m]))`, 'step=60'),
    own: inOwn('/series?by=level&interval=1m'),
  },
  {
    name: 'count of a day by service, per hour',
    loki: inLoki(`sum by (service_name) (count_over_time(${all}[1h]))`, 'step=3600'),
    own: inOwn('/series?by=resource&interval=1h'),
  },
  {
    name: 'lines with a rare word',
    loki: inLoki(`${all} |= "${rareWord}"`, 'limit=50'),
    own: inOwn(`?body=${rareWord}&limit=50`),
  },
];

export const logql: Bench = {
  name: 'logql',
  about: "milliseconds of LogQL beside the service's own questions at 1,000,000 entries, over HTTP",
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    try {
      await fillLogStore(path.join(directory, 'logs'), spread, formatRows);
      await compareAll(directory);
    } finally {
      if (keptDirectory === null) await rm(directory, { recursive: true });
    }
  },
};

async function compareAll(directory: string): Promise<void> {
  const environment = { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory };
  await using service = await startBenchService(environment, null);
  await untilComplete(service);
  const table: string[][] = [];
  for (const { name, loki, own } of rows) {
    const times = { loki: [] as number[], own: [] as number[] };
    for (let turn = 0; turn < repetitions; turn++) {
      // Behind each other, so that both have the same share of a busy machine.
      times.loki.push(await timeQuestion(service, loki(rangeOf(turn))));
      times.own.push(await timeQuestion(service, own(rangeOf(turn + repetitions))));
    }
    const [byLoki, byOwn] = [median(times.loki), median(times.own)];
    table.push([name, byLoki.toFixed(1), byOwn.toFixed(1), (byLoki / byOwn).toFixed(2)]);
  }
  printTable(['question', 'LogQL', 'own', 'ratio'], table);
}

/** A day that begins some minutes later each turn. */
function rangeOf(turn: number): Range {
  const fromMicros = spread.startMicros + turn * 7 * 60_000_000;
  return { fromMicros, toMicros: fromMicros + dayMicros - 1 };
}

async function timeQuestion({ port }: BenchService, question: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${question}`, { headers: { authorization: token } });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${question}: ${answer}`);
  return performance.now() - startedAt;
}
