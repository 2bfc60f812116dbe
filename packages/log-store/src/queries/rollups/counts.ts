/**
 * Counts from the numbers that each part keeps beside its entries, for queries that only name datasets and times. It reads entries only
 * where no counts exist: at the ends of the time range, and in parts of earlier versions.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Row } from '../../writer/engine/statements.ts';
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { database, fieldCounts, localTable } from '../../writer/schema/schema.ts';
import { filtersByKeyOnly, formatConditions, formatDatasets } from '../conditions.ts';
import { listParts, type Part, partsBoundMax } from '../parts.ts';
import { type Runner, runQuery } from '../queryRunner.ts';
import { withoutCounts } from '../querySettings.ts';
import { type DividedTime, divideTime, readSpan, type Span } from '../slots.ts';

export type RollupDeps = { runner: Runner; shards: readonly EngineAccess[] };

/** A query to one server, and the sources of its counts. */
export type Sources = DividedTime & {
  runner: Runner;
  filter: LogFilter;
  signal: AbortSignal;
  span: Span;
  /** Parts that use kept counts for slots and entries for pieces. */
  counted: readonly Part[];
  /** Parts whose entries are all read. */
  others: readonly Part[];
};

const attemptsMax = 3; // merges replace parts now and then, but seldom the same parts twice in a row
export const lightEntriesMax = 300_000; // reading them takes about ten milliseconds

/** Queries every server; null if the query is of another kind, or if the parts change or are too many. */
export async function queryServers<Answer>(
  deps: RollupDeps,
  { filter, signal }: { filter: LogFilter; signal: AbortSignal },
  query: (sources: Sources) => Promise<Answer | null>,
): Promise<Answer[] | null> {
  const span = readSpan(filter);
  const isEmpty = (span.toMicros ?? Number.POSITIVE_INFINITY) <= (span.fromMicros ?? 0);
  if (!filtersByKeyOnly(filter) || filter.datasets?.length === 0 || isEmpty) return null;
  const answers: Answer[] = [];
  for (const access of deps.shards) {
    const request = { runner: { ...deps.runner, access }, filter, span, signal };
    const answer = await queryServer(request, query);
    if (answer === null) return null;
    answers.push(answer);
  }
  return answers;
}

type RollupRequest = Pick<Sources, 'runner' | 'filter' | 'span' | 'signal'>;

/** A part that exists before and after also existed in between, so it was read exactly once. */
async function queryServer<Answer>(
  request: RollupRequest,
  query: (sources: Sources) => Promise<Answer | null>,
): Promise<Answer | null> {
  const { runner, span, signal } = request;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const standing = await listParts(runner, runner.access, signal);
    const parts = standing.filter(part => part.entries > 0 && overlaps(part, span));
    if (parts.length > partsBoundMax) return null;
    const answer = await query({
      ...request,
      ...(await divideTime(span, spans => countSpans(request, spans))),
      counted: parts.filter(({ hasCounts }) => hasCounts),
      others: parts.filter(({ hasCounts }) => !hasCounts),
    });
    const still = new Set((await listParts(runner, runner.access, signal)).map(({ key }) => key));
    if (parts.every(({ key }) => still.has(key))) return answer;
  }
  return null;
}

/** Counts the entries in each span by the key. */
async function countSpans(
  { runner, filter, signal }: RollupRequest,
  spans: readonly Span[],
): Promise<number[]> {
  const binder = new Binder();
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder);
  const counts = spans.map(
    (span, index) =>
      `SELECT ${index}, count() FROM ${localTable} WHERE ${conditions}${formatSpan('timestamp', span, binder)}`,
  );
  const sql = counts.join(' UNION ALL ');
  const rows = await runQuery(runner, { weight: 'light', signal }, { sql, parameters: binder.parameters });
  const byPlace = new Map(rows as [number, number][]); // matches the SELECT
  return spans.map((_, index) => byPlace.get(index) ?? 0);
}

/** Formats the table of kept counts in the slots of counted parts, one row for all entries with the same fields; null: none. */
export function formatFieldCounts({ filter, slots, counted }: Sources, binder: Binder): string | null {
  if (slots === null || counted.length === 0) return null;
  const project = binder.bind('String', filter.project);
  const conditions = [`project = ${project}`, ...formatDatasets(filter.datasets, binder)].join(' AND ');
  const source = `mergeTreeProjection('${database}', '${tableName}', '${fieldCounts.name}')`;
  return `(SELECT *, _part FROM ${source} WHERE _part IN ${bindParts(counted, binder)}) AS kept(${fieldCounts.columns}, part)
    WHERE ${conditions}${formatSpan('slot', slots, binder)}`;
}

/**
 * Lists statements that read entries; `select` gets the count of an entry. These statements must come before those over
 * kept counts: after them, the engine (26.7) mistakes the table for its projection and finds none of its columns.
 */
export function listReadings(sources: Sources, select: (sign: string) => string, binder: Binder): string[] {
  const { filter, span, pieces, counted, others } = sources;
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder);
  return [
    ...(counted.length === 0 ? [] : pieces.map(piece => ({ ...piece, parts: counted }))),
    ...(others.length === 0 ? [] : [{ ...span, sign: 1, parts: others }]),
  ].map(
    ({ parts, sign, ...times }) =>
      `SELECT ${select(`toInt64(${sign})`)} FROM ${localTable}
      WHERE ${conditions}${formatSpan('timestamp', times, binder)} AND _part IN ${bindParts(parts, binder)}`,
  );
}

/** Does not wait in line if it reads few entries. */
export function querySources(sources: Sources, sql: string, binder: Binder): Promise<readonly Row[]> {
  const { runner, signal, readEntries, others } = sources;
  const entries = others.reduce((total, part) => total + part.entries, readEntries);
  const weight = entries > lightEntriesMax ? 'heavy' : 'light';
  // The statement names the kept counts that it reads.
  const statement = { sql, parameters: binder.parameters, settings: withoutCounts };
  return runQuery(runner, { weight, signal }, statement);
}

const tableName = localTable.slice(database.length + 1);

export function bindParts(parts: readonly Part[], binder: Binder): string {
  return binder.bindWords(parts.map(({ name }) => name));
}

export function formatSpan(column: string, span: Span, binder: Binder): string {
  return listBounds(column, span, binder)
    .map(bound => ` AND ${bound}`)
    .join('');
}

/** Lists conditions that must all hold; none if the span is open at both ends. */
export function listBounds(column: string, { fromMicros, toMicros }: Span, binder: Binder): string[] {
  const bounds: string[] = [];
  if (fromMicros !== null) bounds.push(`${column} >= ${bindMicros(fromMicros, binder)}`);
  if (toMicros !== null) bounds.push(`${column} < ${bindMicros(toMicros, binder)}`);
  return bounds;
}

function overlaps(part: Part, { fromMicros, toMicros }: Span): boolean {
  return (
    part.toMicros >= (fromMicros ?? part.toMicros) && part.fromMicros < (toMicros ?? Number.POSITIVE_INFINITY)
  );
}
