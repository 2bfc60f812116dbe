/**
 * How long log queries take, end to end over the engine's HTTP interface, in a table of so many million entries:
 * `node bench/logs-query.ts [millions] [repetitions]`. Loads them itself, in one quiet process, and cleans up.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { LogFilter, LogPage, LogQueries } from '../server/src/domain/ports/logQueries.ts';
import { startEngine } from '../server/src/stores/logs/engine/engine.ts';
import type { EngineAccess } from '../server/src/stores/logs/engine/supervision.ts';
import { createLogQueries } from '../server/src/stores/logs/query/queries.ts';
import { queryRows, runCommand } from '../server/src/stores/logs/query/statements.ts';
import { createSchema, localTable } from '../server/src/stores/logs/schema.ts';
import { formatRows, type RowRange, rareIdentifier, rareWord } from './logs-query-rows.ts';

const millions = Number(process.argv[2] ?? 20);
const repetitions = Number(process.argv[3] ?? 9);
const entries = millions * 1_000_000;
const chunkEntries = 1_000_000;
const engineMemoryBytes = 1_500_000_000; // room for the loading; questions take far less
const days = 10;
const dayMicros = 86_400_000_000;
const startMicros = Date.UTC(2026, 5, 1) * 1000;
const intervalMicros = Math.floor((days * dayMicros) / entries);
const signal = new AbortController().signal;

const filter: LogFilter = {
  project: 'default',
  datasets: ['default'],
  levels: null,
  resource: null,
  parentId: null,
  bodyTerms: [],
  textTerms: [],
  metadata: [],
  fromMicros: null,
  toMicros: null,
};
const page: LogPage = { order: 'desc', limit: 50, offset: 0, after: null };
const busyDay = { fromMicros: startMicros + dayMicros, toMicros: startMicros + 2 * dayMicros - 1 };

type Question = { name: string; targetMs: number | null; ask(queries: LogQueries): Promise<unknown> };

const find =
  (changes: Partial<LogFilter>, pageChanges: Partial<LogPage> = {}) =>
  (queries: LogQueries) =>
    queries.findEntries({ ...filter, ...changes }, { ...page, ...pageChanges }, signal);
const count = (changes: Partial<LogFilter>) => (queries: LogQueries) =>
  queries.countEntries({ ...filter, ...changes }, signal);
const countMetadata = (pathName: string) => (queries: LogQueries) =>
  queries.countValues(filter, { kind: 'metadata', path: pathName }, signal);

const questions: Question[] = [
  { name: 'latest 50', targetMs: 25, ask: find({}) },
  { name: 'oldest 50', targetMs: null, ask: find({}, { order: 'asc' }) },
  { name: 'latest 50, all datasets', targetMs: null, ask: find({ datasets: null }) },
  { name: 'latest 50 errors', targetMs: null, ask: find({ levels: ['error'] }) },
  { name: 'common word, latest 50', targetMs: null, ask: find({ bodyTerms: ['database'] }) },
  { name: 'rare word', targetMs: 100, ask: find({ bodyTerms: [rareWord] }) },
  { name: 'absent word', targetMs: 100, ask: find({ bodyTerms: ['qwertzuiop'] }) },
  { name: 'part of an identifier', targetMs: 100, ask: find({ bodyTerms: [rareIdentifier.slice(1)] }) },
  { name: 'absent phrase', targetMs: null, ask: find({ bodyTerms: ['connection to nowhere'] }) },
  { name: 'absent number', targetMs: null, ask: find({ bodyTerms: ['7391274123'] }) },
  { name: 'rare word, q', targetMs: null, ask: find({ textTerms: [rareWord] }) },
  {
    name: 'absent metadata value',
    targetMs: 100,
    ask: find({ metadata: [{ path: 'player.id', value: 'none' }] }),
  },
  {
    name: 'rare metadata value',
    targetMs: 100,
    ask: find({ metadata: [{ path: 'server', value: 'srv-64' }] }),
  },
  {
    name: 'one player of 40,000',
    targetMs: null,
    ask: find({ metadata: [{ path: 'player.id', value: '117437' }] }),
  },
  { name: 'traceId', targetMs: 15, ask: askTraceId },
  { name: 'offset 1,000,000', targetMs: 200, ask: find({}, { offset: 1_000_000 }) },
  { name: 'offset to the end', targetMs: null, ask: find({}, { offset: entries - 60 }) },
  { name: 'histogram of a day', targetMs: 300, ask: askHistogram(busyDay, 24) },
  {
    name: 'histogram of everything',
    targetMs: null,
    ask: askHistogram({ fromMicros: startMicros, toMicros: startMicros + days * dayMicros }, 60),
  },
  {
    name: 'facet level',
    targetMs: 100,
    ask: queries => queries.countValues(filter, { kind: 'level' }, signal),
  },
  {
    name: 'facet resource',
    targetMs: 100,
    ask: queries => queries.countValues(filter, { kind: 'resource' }, signal),
  },
  { name: 'facet metadata.region', targetMs: 100, ask: countMetadata('region') },
  { name: 'facet metadata.server', targetMs: 100, ask: countMetadata('server') },
  { name: 'facet metadata.player.id', targetMs: null, ask: countMetadata('player.id') },
  { name: 'count of everything', targetMs: 10, ask: count({}) },
  { name: 'count of a day', targetMs: null, ask: count(busyDay) },
  { name: 'count of a word', targetMs: 300, ask: count({ bodyTerms: ['database'] }) },
  { name: 'count of part of a word', targetMs: 300, ask: count({ bodyTerms: ['connect'] }) },
  { name: 'count of errors', targetMs: null, ask: count({ levels: ['error'] }) },
  { name: 'datasets', targetMs: null, ask: queries => queries.listDatasets('default', signal) },
];

async function askTraceId(queries: LogQueries): Promise<unknown> {
  const number = Math.floor(Math.random() * entries);
  const page = { order: 'asc', limit: 1, offset: 0, after: null } as const;
  const place = { fromMicros: startMicros + number * intervalMicros };
  const {
    entries: [found],
  } = await queries.findEntries({ ...filter, ...place }, page, signal);
  const startedAt = performance.now();
  const entry = await queries.findEntry(
    { project: 'default', datasets: null, traceId: found!.traceId },
    signal,
  );
  if (entry?.traceId !== found!.traceId) throw new Error('The entry was not found by its traceId.');
  return { elapsedMs: performance.now() - startedAt };
}

function askHistogram(span: { fromMicros: number; toMicros: number }, buckets: number) {
  const intervalMicros = Math.ceil((span.toMicros - span.fromMicros) / buckets);
  return (queries: LogQueries) =>
    queries.countByTime(
      { ...filter, ...span },
      { startMicros: span.fromMicros, intervalMicros, count: buckets },
      signal,
    );
}

async function measure(question: Question, queries: LogQueries): Promise<number[]> {
  const times: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const startedAt = performance.now();
    const answer = (await question.ask(queries)) as { elapsedMs?: number } | null;
    times.push(answer?.elapsedMs ?? performance.now() - startedAt);
  }
  return times;
}

async function load(access: EngineAccess): Promise<void> {
  for (let first = 0; first < entries; first += chunkEntries) {
    const range: RowRange = {
      first,
      count: Math.min(chunkEntries, entries - first),
      startMicros,
      intervalMicros,
    };
    const columns = 'project, dataset, timestamp, identity, level, resource, parentId, body, metadata';
    await runCommand(
      access,
      `INSERT INTO ${localTable} (${columns}) ${formatRows(range)}
      SETTINGS max_threads = 1, max_insert_threads = 1, insert_deduplicate = 0`,
    );
  }
  await runCommand(access, `OPTIMIZE TABLE ${localTable}`);
}

async function describeDisk(access: EngineAccess): Promise<string> {
  const [parts] = await queryRows(access, {
    sql: `SELECT count(), sum(bytes_on_disk) / sum(rows) FROM system.parts WHERE active AND table = 'logs'`,
  });
  const [json] = await queryRows(access, {
    sql: `SELECT avg(length(formatRow('JSONEachRow', level, resource, body AS message, metadata))),
      avg(length(formatRow('JSONEachRow', lower(hex(identity)) || '0123456789abcdef' AS traceId, parentId, toString(timestamp) AS timestamp, level, resource, body, metadata)))
      FROM (${formatRows({ first: 0, count: 100_000, startMicros, intervalMicros })})`,
  });
  const [count, stored] = parts as [number, number];
  const [sent, answered] = json as [number, number];
  return `${count} parts; ${stored.toFixed(1)} bytes an entry on disk: 1/${(sent / stored).toFixed(1)} of the JSON sent (${sent.toFixed(0)} bytes), 1/${(answered / stored).toFixed(1)} of the JSON answered (${answered.toFixed(0)} bytes)`;
}

os.setPriority(10);
const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-bench-'));
const engine = await startEngine({ directory, memoryBytesMax: engineMemoryBytes });
const access: EngineAccess = { endpoint: () => engine.endpoint, onUp: () => () => {} };
try {
  await createSchema({ access, clusterName: null });
  const loadStartedAt = performance.now();
  await load(access);
  console.log(`${entries} entries loaded in ${((performance.now() - loadStartedAt) / 1000).toFixed(0)} s`);
  console.log(await describeDisk(access));
  const queries = createLogQueries({
    shards: [access],
    clusterName: null,
    memoryBytesMax: 600_000_000,
    settle: async () => {},
  });
  console.log(
    `${'question'.padEnd(28)}${['first', 'median', 'p95', 'target'].map(word => word.padStart(9)).join('')}`,
  );
  for (const question of questions) {
    const times = await measure(question, queries);
    const sorted = times.toSorted((one, other) => one - other);
    const [median = 0, p95 = 0] = [0.5, 0.95].map(share => sorted[Math.floor(share * (sorted.length - 1))]);
    const figures = [times[0]!, median, p95].map(time => time.toFixed(1).padStart(9)).join('');
    const target =
      question.targetMs === null ? '' : `${question.targetMs}${median > question.targetMs ? ' !' : ''}`;
    console.log(`${question.name.padEnd(28)}${figures}${target.padStart(9)}`);
  }
} finally {
  engine.kill();
  await engine.ended;
  await rm(directory, { recursive: true });
}
