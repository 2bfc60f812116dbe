/** The questions of `logs-query.ts` and their targets, and how long each takes. */
import type { LogFilter, LogPage, LogQueries } from '../server/src/domain/ports/logQueries.ts';
import { rareIdentifier, rareWord } from './logs-query-rows.ts';

/** What lies in the table: so many entries, evenly over some days. */
export type Spread = { entries: number; startMicros: number; intervalMicros: number };

type Question = {
  name: string;
  /** At 20,000,000 entries; null where none was set. */
  targetMs: number | null;
  /** Resolves to the time it took when not all of it counts. */
  ask(queries: LogQueries, spread: Spread): Promise<unknown>;
};

const dayMicros = 86_400_000_000;
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

const questions: Question[] = [
  ask('latest 50', 25, find({})),
  ask('oldest 50', null, find({}, { order: 'asc' })),
  ask('latest 50, all datasets', null, find({ datasets: null })),
  ask('latest 50 errors', null, find({ levels: ['error'] })),
  ask('common word, latest 50', null, find({ bodyTerms: ['database'] })),
  ask('rare word', 100, find({ bodyTerms: [rareWord] })),
  ask('absent word', 100, find({ bodyTerms: ['qwertzuiop'] })),
  ask('part of an identifier', 100, find({ bodyTerms: [rareIdentifier.slice(1)] })),
  ask('absent phrase', null, find({ bodyTerms: ['connection to nowhere'] })),
  ask('absent number', null, find({ bodyTerms: ['7391274123'] })),
  ask('rare word in body or values', null, find({ textTerms: [rareWord] })),
  ask('absent metadata value', 100, find({ metadata: [{ path: 'player.id', value: 'none' }] })),
  ask('rare metadata value', 100, find({ metadata: [{ path: 'server', value: 'srv-64' }] })),
  ask('one player of 40,000', null, find({ metadata: [{ path: 'player.id', value: '117437' }] })),
  ask('traceId', 15, findByTraceId),
  ask('offset 1,000,000', 200, find({}, { offset: 1_000_000 })),
  ask('offset to the end', null, (queries, spread) =>
    find({}, { offset: spread.entries - 60 })(queries, spread),
  ),
  ask('histogram of a day', 300, (queries, { startMicros }) =>
    countBuckets(queries, { fromMicros: startMicros + dayMicros, toMicros: startMicros + 2 * dayMicros - 1 }),
  ),
  ask('histogram of everything', null, (queries, { entries, startMicros, intervalMicros }) =>
    countBuckets(queries, { fromMicros: startMicros, toMicros: startMicros + entries * intervalMicros }),
  ),
  ask('facet level', 100, queries => queries.countValues(filter, { kind: 'level' }, signal)),
  ask('facet resource', 100, queries => queries.countValues(filter, { kind: 'resource' }, signal)),
  ask('facet metadata.region', 100, countMetadata('region')),
  ask('facet metadata.server', 100, countMetadata('server')),
  ask('facet metadata.player.id', null, countMetadata('player.id')),
  ask('count of everything', 10, count({})),
  ask('count of a word', 300, count({ bodyTerms: ['database'] })),
  ask('count of part of a word', 300, count({ bodyTerms: ['connect'] })),
  ask('count of errors', null, count({ levels: ['error'] })),
  ask('datasets', null, queries => queries.listDatasets('default', signal)),
];

function ask(name: string, targetMs: number | null, question: Question['ask']): Question {
  return { name, targetMs, ask: question };
}

function find(changes: Partial<LogFilter>, pageChanges: Partial<LogPage> = {}): Question['ask'] {
  return queries => queries.findEntries({ ...filter, ...changes }, { ...page, ...pageChanges }, signal);
}

function count(changes: Partial<LogFilter>): Question['ask'] {
  return queries => queries.countEntries({ ...filter, ...changes }, signal);
}

function countMetadata(path: string): Question['ask'] {
  return queries => queries.countValues(filter, { kind: 'metadata', path }, signal);
}

function countBuckets(queries: LogQueries, span: { fromMicros: number; toMicros: number }): Promise<unknown> {
  const buckets = 48;
  const intervalMicros = Math.ceil((span.toMicros - span.fromMicros + 1) / buckets);
  const request = { startMicros: span.fromMicros, intervalMicros, count: buckets };
  return queries.countByTime({ ...filter, ...span }, request, signal);
}

/** Another entry each time. */
async function findByTraceId(queries: LogQueries, spread: Spread): Promise<number> {
  const number = Math.floor(Math.random() * spread.entries);
  const fromMicros = spread.startMicros + number * spread.intervalMicros;
  const { entries } = await queries.findEntries(
    { ...filter, fromMicros },
    { ...page, order: 'asc', limit: 1 },
    signal,
  );
  const traceId = entries[0]?.traceId ?? '';
  const startedAt = performance.now();
  const found = await queries.findEntry({ project: 'default', datasets: null, traceId }, signal);
  if (found?.traceId !== traceId) throw new Error('The entry was not found by its traceId.');
  return performance.now() - startedAt;
}

/** Prints a line for each question. */
export async function measureQuestions(
  queries: LogQueries,
  spread: Spread,
  repetitions: number,
): Promise<void> {
  printLine('question', ['first', 'median', 'p95', 'target ms']);
  for (const question of questions) {
    const times: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const startedAt = performance.now();
      const answer = await question.ask(queries, spread);
      times.push(
        typeof answer === 'number' && question.ask === findByTraceId ? answer : performance.now() - startedAt,
      );
    }
    const sorted = times.toSorted((one, other) => one - other);
    const [median = 0, p95 = 0] = [0.5, 0.95].map(share => sorted[Math.floor(share * (sorted.length - 1))]);
    const target =
      question.targetMs === null ? '' : `${question.targetMs}${median > question.targetMs ? ' !' : ''}`;
    printLine(question.name, [...[times[0] ?? 0, median, p95].map(time => time.toFixed(1)), target]);
  }
}

function printLine(name: string, columns: readonly string[]): void {
  console.log(name.padEnd(30) + columns.map(column => column.padStart(10)).join(''));
}
