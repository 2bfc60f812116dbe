/**
 * Compares LogQL with the service's own queries on the same entries: counts over time by Loki's API against `/series`, and line filters against
 * searches. Then measures how many lines per second it reads after parsers and other stages. Each turn uses another range, and metric queries another
 * matcher that every entry passes, so that no answer comes from a cache. `-- --data=DIRECTORY` keeps the entries, `BENCH_ENTRIES` is their number.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { untilComplete } from './backfillWait.ts';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { fillLogStore, type Spread } from './fillLogStore.ts';
import { formatJsonRows, jsonEach, jsonService, logfmtService } from './jsonRows.ts';
import { formatInstant } from './logQueryRequests.ts';
import { rareIdentifier, rareWord } from './logRows.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const entries = Number(process.env.BENCH_ENTRIES ?? 20_000_000);
const repetitions = 11;
const parsingRepetitions = 5;
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
  `/loki/api/v1/query_range?query=${encodeURIComponent(makeUnusual(query, range))}&${rest}&${lokiRange(range)}`;
/** Adds a matcher that every entry passes to a metric query. The service caches windows by query. */
const makeUnusual = (query: string, { fromMicros }: Range) =>
  query.startsWith('{')
    ? query
    : query.replace('{service_name', `{service_name!="at-${fromMicros}", service_name`);
const inOwn = (question: string) => (range: Range) => `/api/v3/logs${question}&${ownRange(range)}`;
const all = '{service_name=~".+"}';

const rows: readonly Row[] = [
  {
    name: 'count of a day of one service by level, per minute',
    loki: inLoki(`sum by (level) (count_over_time({service_name="${jsonService}"}[1m]))`, 'step=60'),
    own: inOwn(`/series?by=level&interval=1m&resource=${jsonService}`),
  },
  {
    name: 'count of a day by service, per hour',
    loki: inLoki(`sum by (service_name) (count_over_time(${all}[1h]))`, 'step=3600'),
    own: inOwn('/series?by=resource&interval=1h'),
  },
  ...[
    ['a rare word', `|= "${rareWord}"`, `body:${rareWord}`],
    ['a rare identifier', `|= "${rareIdentifier}"`, `body:${rareIdentifier}`],
    ['an absent word', '|= "qwqzzyx"', 'body:qwqzzyx'],
    ['two texts', `|= "${rareWord}" |= "${rareIdentifier}"`, `body:${rareWord} body:${rareIdentifier}`],
    ['one of two texts', `|= "${rareWord}" or "qwqzzyx"`, `body:(${rareWord},qwqzzyx)`],
    ['one text and not another', `|= "${rareWord}" != "qwqzzyx"`, `body:${rareWord} -body:qwqzzyx`],
    ['an expression with a rare word', `|~ "${rareWord} [0-9a-f]+"`, `body:${rareWord}`],
  ].map(([name, filter, query = '']) => ({
    name: `lines with ${name}`,
    loki: inLoki(`${all} ${filter}`, 'limit=50'),
    own: inOwn(`?query=${encodeURIComponent(query)}&limit=50`),
  })),
  {
    name: 'count of a rare word, per minute',
    loki: inLoki(`sum(count_over_time(${all} |= "${rareWord}" [1m]))`, 'step=60'),
    own: inOwn(`/series?interval=1m&query=body:${rareWord}`),
  },
  {
    name: 'count of an absent word, per minute',
    loki: inLoki(`sum(count_over_time(${all} |= "qwqzzyx" [1m]))`, 'step=60'),
    own: inOwn('/series?interval=1m&query=body:qwqzzyx'),
  },
];

const requests = `{service_name="${jsonService}"} | json`;

type Parsing = readonly { name: string; query: string }[];

/** Queries for numbers, with filters that pass few lines and filters that pass many. */
const parsing: Parsing = [
  { name: 'one status, counted', query: `sum(count_over_time(${requests} | status="500" [5m]))` },
  {
    name: 'slow ones, counted by level',
    query: `sum by (level) (count_over_time(${requests} | durationMs>900 [5m]))`,
  },
  {
    name: 'most statuses, counted by method',
    query: `sum by (method) (count_over_time(${requests} | status!="500" [5m]))`,
  },
  {
    name: 'a nested member, counted by status',
    query: `sum by (status) (count_over_time(${requests} | client_country="de" [5m]))`,
  },
  {
    name: 'durations of one method, by country',
    query: `quantile_over_time(0.99, ${requests} | method="PUT" | unwrap durationMs [5m]) by (client_country)`,
  },
];

const pairs = `{service_name="${logfmtService}"} | logfmt`;

const behindLogfmt: Parsing = [
  ['one status, counted', `sum(count_over_time(${pairs} | status="500" [5m]))`],
  ['slow ones, counted by level', `sum by (level) (count_over_time(${pairs} | durationMs>900 [5m]))`],
  ['most statuses, counted by method', `sum by (method) (count_over_time(${pairs} | status!="500" [5m]))`],
  [
    'a message, counted by status',
    `sum by (status) (count_over_time(${pairs} | msg="upstream timed out" [5m]))`,
  ],
  [
    'durations of one method, by country',
    `quantile_over_time(0.99, ${pairs} | method="PUT" | unwrap durationMs [5m]) by (country)`,
  ],
  ['unwrap duration(), by method', `sum by (method) (sum_over_time(${pairs} | unwrap duration(took) [5m]))`],
  ['unwrap bytes(), by method', `sum by (method) (sum_over_time(${pairs} | unwrap bytes(size) [5m]))`],
  ['a key, counted', `sum(count_over_time(${pairs} s="status" | s="500" [5m]))`],
].map(([name = '', query = '']) => ({ name, query }));

/** On the same lines, by stages that no index or column can answer. */
const byLine: Parsing = [
  ['json with a path', '| json country="client.country" | country="de"'],
  ['json, a nested label made anew', '| json | label_format where="{{.client_country}}" | where="de"'],
  ['pattern', '| pattern `{"method":"<method>","path":"<_>","status":<status>,<_>` | status="500"'],
  ['regexp', '| regexp `"status":(?P<status>[0-9]+)` | status="500"'],
  ['unpack', '| unpack | node!=""'],
  ['unpack, one node', '| unpack | node="srv-7"'],
  ['line_format', '| json | line_format "{{.method}} {{.path}}" |= "GET"'],
  ['label_format', '| json | label_format verb=method | verb="GET"'],
  ['keep', '| json | keep method, status | status="500"'],
  ['drop', '| json | drop method | status="404"'], // another status than `keep`, which the log store answers by the same statement
  ['decolorize', '| decolorize |= "500"'],
].map(([name = '', stages]) => ({
  name,
  query: `sum(count_over_time({service_name="${jsonService}"} ${stages} [5m]))`,
}));

const unwrapped: Parsing = [
  ['unwrap', 'durationMs'],
  ['unwrap bytes()', 'bytes(bytes)'],
].map(([name = '', label]) => ({
  name,
  query: `sum(sum_over_time({service_name="${jsonService}"} | json | unwrap ${label} | __error__="" [5m]))`,
}));

export const logql: Bench = {
  name: 'logql',
  about: "milliseconds of LogQL beside the service's own questions at 20,000,000 entries, over HTTP",
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    try {
      await fillLogStore(path.join(directory, 'logs'), spread, formatJsonRows);
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
  for (const [row, { name, loki, own }] of rows.entries()) {
    const times = { loki: [] as number[], own: [] as number[] };
    for (let turn = 0; turn < repetitions; turn++) {
      // One right after the other, so that both see the same load on a busy machine.
      times.loki.push(await timeQuestion(service, loki(rangeOf(turn, row))));
      times.own.push(await timeQuestion(service, own(rangeOf(turn + repetitions, row))));
    }
    const [byLoki, byOwn] = [median(times.loki), median(times.own)];
    table.push([name, byLoki.toFixed(1), byOwn.toFixed(1), (byLoki / byOwn).toFixed(2)]);
  }
  printTable(['question', 'LogQL', 'own', 'ratio'], table);
  await measureParsing(service, { title: 'behind `json`', questions: parsing, share: 1 });
  await measureParsing(service, { title: 'behind `logfmt`', questions: behindLogfmt, share: 1 });
  await measureParsing(service, {
    title: 'line by line',
    questions: [...byLine, ...unwrapped],
    share: 1 / 6,
  });
}

type Measured = {
  title: string;
  questions: Parsing;
  /** The share of a day. A whole day of 20,000,000 entries, line by line, takes longer than a query may. */
  share: number;
};

/** Measures how many lines of the range it reads per second, by wall time and by the processor time of both processes on two cores. */
async function measureParsing(service: BenchService, { title, questions, share }: Measured): Promise<void> {
  const table: string[][] = [];
  const lines = (entries / jsonEach / 2) * share; // the lines of one of two days
  for (const { name, query } of questions) {
    const times: number[] = [];
    const before = await readProcessorTimes(service.pid);
    for (let turn = 0; turn < parsingRepetitions; turn++)
      times.push(await timeQuestion(service, inLoki(query, 'step=300')(shorten(rangeOf(turn), share))));
    const after = await readProcessorTimes(service.pid);
    const micros = after.service + after.engine - before.service - before.engine;
    const byWork = (lines * parsingRepetitions * 2) / (micros / 1e6);
    table.push([name, ...[median(times), lines / (median(times) / 1000), byWork].map(formatWhole)]);
  }
  console.log();
  printTable([title, 'milliseconds', 'lines a second', 'by the work of two cores'], table);
}

function formatWhole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

/**
 * Returns a day that begins 65 minutes later each turn: LogQL rounds it to whole steps, of at most an hour. Rows that send the service the same query
 * begin a second apart.
 */
function rangeOf(turn: number, row = 0): Range {
  const fromMicros = spread.startMicros + turn * 65 * 60_000_000 + row * 1_000_000;
  return { fromMicros, toMicros: fromMicros + dayMicros - 1 };
}

function shorten({ fromMicros }: Range, share: number): Range {
  return { fromMicros, toMicros: fromMicros + dayMicros * share - 1 };
}

async function timeQuestion({ port }: BenchService, question: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}${question}`, { headers: { authorization: token } });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${question}: ${answer}`);
  return performance.now() - startedAt;
}
