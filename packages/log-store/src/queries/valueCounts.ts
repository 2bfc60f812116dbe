/** Counts the values of a field. */
import type { LogField, LogFilter, LogValuesQuestion, ValueCount } from '@tapedeck/log-entries';
import { Binder } from '../writer/engine/statements.ts';
import { foldColumn } from '../writer/schema/folding.ts';
import { formatMatches } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import type { EntryDeps } from './entries.ts';
import { formatPath, patternText } from './fields.ts';
import { runQuery } from './queryRunner.ts';
import {
  lightEntriesMax,
  listReadings,
  queryServers,
  querySources,
  type RollupDeps,
  type Sources,
} from './rollups/counts.ts';
import { estimateRead, listSlotSources, slotSettings } from './rollups/keptSlots.ts';
import { chooseIndexed, formatIndexedValues } from './rollups/values.ts';
import { formatWildcards } from './textConditions.ts';

type ValuesRequest = LogValuesQuestion & { filter: LogFilter; signal: AbortSignal };
type CountedValue = [value: string, entries: number];

const asideDivisor = 3; // of a query's memory; the rest is for sorting and merging groups that spilled to disk
const valuesMax = 20_000; // per server, if there are several; beyond it, one server adds up for all

export async function countValues(
  deps: CountDeps & RollupDeps & Pick<EntryDeps, 'spans'>,
  filter: LogFilter,
  question: LogValuesQuestion & { signal: AbortSignal },
): Promise<ValueCount[]> {
  const request = { filter, ...question };
  const counted =
    (await countCached(deps, request)) ??
    (await countInSlots(deps, request)) ??
    (await countKept(deps, request)) ??
    (await countInEntries(deps, request));
  return counted.map(([value, count]) => ({ value, count }));
}

/** Counts fields that the kept counts group by, from cached counts. */
async function countCached(
  { slotCounts }: CountDeps,
  { field, prefix, limit, filter, signal }: ValuesRequest,
): Promise<CountedValue[] | null> {
  if (field.kind === 'metadata' || field.kind === 'pattern' || prefix !== '') return null;
  const counts = (await slotCounts?.count({ filter, field: field.kind, signal })) ?? null;
  return counts && sortValues(counts).slice(0, limit);
}

/** Counts fields that the kept counts group by. */
async function countInSlots(
  { runner, table, spans }: CountDeps & Pick<EntryDeps, 'spans'>,
  request: ValuesRequest,
): Promise<CountedValue[] | null> {
  const { field, filter, limit, signal } = request;
  if (field.kind === 'metadata' || field.kind === 'pattern') return null;
  const binder = new Binder();
  const sources = listSlotSources(table, filter, binder);
  if (sources === null) return null;
  const rows = sources.map(
    source => `SELECT toString(${field.kind}) AS value, count() AS number FROM ${source} GROUP BY value`,
  );
  const sql = `SELECT value, sum(number) AS entries FROM (${rows.join(' UNION ALL ')})${formatBeginning('WHERE', request, binder)}
    GROUP BY value ORDER BY entries DESC, value LIMIT ${binder.bind('UInt32', limit)}`;
  const weight = estimateRead(filter, await spans.list()) > lightEntriesMax ? 'heavy' : 'light';
  const statement = { sql, parameters: binder.parameters, settings: slotSettings };
  return (await runQuery(runner, { weight, signal }, statement)) as unknown as CountedValue[]; // matches the SELECT
}

async function countKept(deps: RollupDeps, request: ValuesRequest): Promise<CountedValue[] | null> {
  const { field } = request;
  if (field.kind !== 'metadata') return null;
  const isAlone = deps.shards.length === 1;
  const limit = isAlone ? request.limit : valuesMax + 1;
  const answers = await queryServers(deps, request, async found => {
    const sources = await chooseIndexed(found, field.path);
    const binder = new Binder();
    const rows = listSources(sources, field.path, binder);
    if (rows.length === 0) return [];
    const sql = `SELECT value, sum(number) AS entries FROM (${rows.join(' UNION ALL ')})${formatBeginning('WHERE', request, binder)}
      GROUP BY value HAVING entries > 0
      ORDER BY entries DESC, value LIMIT ${binder.bind('UInt32', limit)}`;
    const values = await querySources(sources, sql, binder);
    return values.length > valuesMax ? null : (values as unknown as CountedValue[]); // matches the SELECT
  });
  if (answers === null || isAlone) return answers?.flat() ?? null;
  return addValues(answers.flat()).slice(0, request.limit);
}

/** Lists statements that select values and their counts. */
function listSources(sources: Sources, path: string, binder: Binder): string[] {
  const { value, isPresent } = formatPath(path, binder);
  const readings = listReadings(sources, sign => `${value} AS value, ${sign} AS number`, binder);
  return [
    ...readings.map(reading => `${reading} AND ${isPresent}`),
    ...formatIndexedValues(sources, path, binder),
  ];
}

function addValues(values: readonly CountedValue[]): CountedValue[] {
  const total = new Map<string, number>();
  for (const [value, entries] of values) total.set(value, (total.get(value) ?? 0) + entries);
  return sortValues(total);
}

function sortValues(counts: ReadonlyMap<string, number>): CountedValue[] {
  return [...counts].sort((one, other) => other[1] - one[1] || compareTexts(one[0], other[0]));
}

async function countInEntries({ runner, table }: CountDeps, request: ValuesRequest): Promise<CountedValue[]> {
  const { filter, field, limit, signal } = request;
  const binder = new Binder();
  const { value, count } = formatField(field, binder);
  const sql = `SELECT ${value} AS value, ${count} AS entries
    FROM ${formatMatches({ table }, filter, binder)}${formatBeginning('AND', request, binder)}
    GROUP BY value HAVING entries > 0
    ORDER BY entries DESC, value LIMIT ${binder.bind('UInt32', limit)}`;
  // With millions of ids, the engine counts on disk when memory runs short.
  const settings = { max_bytes_before_external_group_by: Math.floor(runner.memoryBytesMax / asideDivisor) };
  const statement = { sql, parameters: binder.parameters, settings };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  return rows as unknown as CountedValue[]; // matches the SELECT
}

/** Formats the expressions for the value and its count. An entry without the path reads as one with the value ''. */
function formatField(field: LogField, binder: Binder): { value: string; count: string } {
  if (field.kind === 'pattern') return { value: patternText, count: 'countIf(pattern != 0)' };
  if (field.kind !== 'metadata') return { value: `toString(${field.kind})`, count: 'count()' };
  const { value, isPresent } = formatPath(field.path, binder);
  return { value, count: `countIf(${value} != '' OR ${isPresent})` };
}

/** Formats a condition on the beginning of the value, ignoring case. */
function formatBeginning(joint: 'WHERE' | 'AND', { prefix }: ValuesRequest, binder: Binder): string {
  return prefix === '' ? '' : ` ${joint} ${formatWildcards(foldColumn('value'), [[prefix, '']], binder)}`;
}

/** Compares texts by bytes, as the engine sorts them. */
export function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
