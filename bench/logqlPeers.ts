/**
 * Asks this service and Loki the same LogQL about the same entries, compares the results, and times them. Both get the entries by Loki's protocol.
 * Each turn asks about another range and adds a matcher that every stream passes, so that no answer comes from a cache. Then it asks this service
 * about ranges that begin one and two steps later, as a dashboard does. `BENCH_LOKI` is Loki's program, `BENCH_ENTRIES` the number of entries.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { type Amount, type LokiPeer, pushEntries, startLoki } from './lokiPeer.ts';
import { rareWords, spanMs } from './peerEntries.ts';
import { startBenchService } from './processes.ts';

const turns = 5;
const rangeMs = spanMs / 2;
const turnMs = 65 * 60_000;
const [, rare = ''] = rareWords; // the first is in requests only
const all = '{service_name=~".+"}';
const others = '{service_name="economy"}';
const requests = '{service_name="gateway"}';
const counted = (stages: string) => `(count_over_time(${requests} | json ${stages} [5m]))`;

type Question = { name: string; query: string; stepSeconds: number };

const questions: readonly Question[] = [
  ['count of one service by level', `sum by (level) (count_over_time(${others}[1m]))`, 60],
  ['count by service', `sum by (service_name) (count_over_time(${all}[1h]))`, 3600],
  ['count of a rare word', `sum(count_over_time(${all} |= "${rare}" [1m]))`, 60],
  ['count of an absent word', `sum(count_over_time(${all} |= "qwqzzyx" [1m]))`, 60],
  ['lines with a rare word', `${all} |= "${rare}"`, 60],
  ['lines with an absent word', `${all} |= "qwqzzyx"`, 60],
  ['lines with two texts', `${all} |= "${rare}" |= "done"`, 60],
  ['lines with one text and not another', `${all} |= "${rare}" != "qwqzzyx"`, 60],
  ['lines with an expression', `${all} |~ "${rare} [a-z]+"`, 60],
  ['json: one status, counted', `sum${counted('| status="500"')}`, 300],
  ['json: slow ones, counted by level', `sum by (level) ${counted('| durationMs>900')}`, 300],
  ['json: most statuses, counted by method', `sum by (method) ${counted('| status!="500"')}`, 300],
  ['json: a nested member, counted by status', `sum by (status) ${counted('| client_country="de"')}`, 300],
  ['json: line_format, counted', `sum${counted('| line_format "{{.method}} {{.path}}" |= "GET"')}`, 300],
  [
    'json: durations of one method, by country',
    `quantile_over_time(0.99, ${requests} | json | method="PUT" | unwrap durationMs [5m]) by (client_country)`,
    300,
  ],
].map(([name, query, stepSeconds]) => ({ name, query, stepSeconds }) as Question); // as written above

export const logqlPeers: Bench = {
  name: 'logql-peers',
  about: 'the same entries and LogQL beside Loki (BENCH_LOKI is its program)',
  run: async () => {
    const program = process.env.BENCH_LOKI;
    if (program === undefined) return console.log('BENCH_LOKI is not set.');
    const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
    const endMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    await using loki = await startLoki(program);
    await load('Loki', loki, { entries, endMs });
    await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null);
    const own = { ...service, headers: { authorization: token } };
    await load('Tapedeck', own, { entries, endMs });
    const table: string[][] = [];
    for (const question of questions) {
      table.push(await compare({ loki, own }, question, endMs));
      console.error(table.at(-1)?.join(' · '));
    }
    const columns = [
      'question',
      'equal',
      'Loki ms',
      'Tapedeck ms',
      'Loki takes, times as long',
      'steps later, ms',
    ];
    printTable(columns, table);
  },
};

async function load(name: string, peer: LokiPeer, amount: Amount): Promise<void> {
  const seconds = await pushEntries(peer, amount);
  console.log(`${name} took ${amount.entries.toLocaleString('en')} entries in ${seconds.toFixed(0)} s.`);
}

type Pair = { loki: LokiPeer; own: LokiPeer };

async function compare({ loki, own }: Pair, question: Question, endMs: number): Promise<string[]> {
  const times = { loki: [] as number[], own: [] as number[], later: [] as number[] };
  let equal = 0;
  for (let turn = 0; turn < turns; turn++) {
    const from = endMs - spanMs + 3_600_000 + turn * turnMs;
    const startMs = Math.floor(from / (question.stepSeconds * 1000)) * question.stepSeconds * 1000;
    let later = { tookMs: Number.NaN };
    // One right after the other, so that both see the same load on a busy machine.
    const asked = { ...question, query: makeUnusual(question.query, turn) };
    const theirs = await ask(loki, asked, startMs);
    const ours = await ask(own, asked, startMs);
    for (const steps of [1, 2]) later = await ask(own, asked, startMs + steps * question.stepSeconds * 1000);
    times.loki.push(theirs.tookMs);
    times.own.push(ours.tookMs);
    times.later.push(later.tookMs);
    if (isDeepStrictEqual(theirs.results, ours.results)) equal++;
  }
  const [byLoki, byOwn] = [median(times.loki), median(times.own)];
  return [
    question.name,
    `${equal} of ${turns}`,
    byLoki.toFixed(0),
    byOwn.toFixed(0),
    (byLoki / byOwn).toFixed(1),
    median(times.later).toFixed(0),
  ];
}

/** Adds a matcher that every stream passes to a metric query. The service caches windows by query. */
function makeUnusual(query: string, turn: number): string {
  return query.startsWith('{')
    ? query
    : query.replace('{service_name', `{service_name!="turn-${turn}", service_name`);
}

type Answered = { tookMs: number; results: string[] };

async function ask({ port, headers }: LokiPeer, question: Question, startMs: number): Promise<Answered> {
  const { query, stepSeconds } = question;
  const range = `start=${startMs}000000&end=${startMs + rangeMs}000000&step=${stepSeconds}&limit=50`;
  const url = `http://127.0.0.1:${port}/loki/api/v1/query_range?query=${encodeURIComponent(query)}&${range}`;
  const startedAt = performance.now();
  const response = await fetch(url, { headers });
  const answer = await response.text();
  const tookMs = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${query}: ${answer}`);
  // As Loki documents it.
  const { data } = JSON.parse(answer) as { data: { result: Series[] } };
  return { tookMs, results: data.result.flatMap(listValues).sort() };
}

type Series = { metric?: Record<string, string>; values: [time: number | string, value: string][] };

/** Lines without their labels: this service adds some. */
function listValues({ metric = {}, values }: Series): string[] {
  const labels = JSON.stringify(Object.entries(metric).sort());
  return values.map(([time, value]) => `${labels} ${time} ${value}`);
}
