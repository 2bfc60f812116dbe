/** Computes series over time: per bucket, the number of matches or an aggregate of a field, split by another field. */
import type { LogField, LogFilter, LogMeasure, LogSeries, LogSeriesQuestion } from '@tapedeck/log-entries';
import { Binder, bindMicros } from '../writer/engine/statements.ts';
import { numberPattern } from '../writer/schema/schema.ts';
import { formatMatches } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { formatPath, patternText } from './fields.ts';
import type { KnownWords } from './knownWords.ts';
import { findWords } from './partWords.ts';
import { runQuery } from './queryRunner.ts';
import { withoutCounts } from './querySettings.ts';

type SeriesRequest = LogSeriesQuestion & { signal: AbortSignal };

/** A value, its points by bucket without empty buckets, and the total number of groups. */
type Drawn = [value: string | null, points: [bucket: number, point: number | null][], groups: number];

export async function findSeries(
  deps: CountDeps,
  filter: LogFilter,
  request: SeriesRequest,
): Promise<LogSeries[]> {
  const { buckets, measure, by } = request;
  const known = by && (await queryAtOnce(deps, filter, request));
  const drawn = known ?? (await ask(deps, filter, { ...request, format: formatInTurn, settings: {} }));
  if (by === null && drawn.length === 0) drawn.push([null, [], 0]);
  return drawn.map(([value, found]) => {
    const points = Array<number | null>(buckets.count).fill(addsUp(measure) ? 0 : null);
    for (const [bucket, point] of found) points[bucket] = point;
    return { value, points };
  });
}

const groupsMax = 50_000; // values times buckets: far more than a chart shows, and about ten megabytes

/**
 * Reads entries once; null if there are too many values. Each server stops at the limit without an error: an error would close
 * the connections of the other servers, and would stop an embedded one.
 */
async function queryAtOnce(
  deps: CountDeps,
  filter: LogFilter,
  request: SeriesRequest,
): Promise<Drawn[] | null> {
  const settings = { max_rows_to_group_by: groupsMax, group_by_overflow_mode: 'break' };
  const drawn = await ask(deps, filter, { ...request, format: formatAtOnce, settings });
  return drawn.some(([, , groups]) => groups > groupsMax) ? null : drawn;
}

type SeriesPart = SeriesRequest & {
  format(table: string, draft: Draft): string;
  settings: Readonly<Record<string, string | number>>;
};

async function ask(deps: CountDeps, filter: LogFilter, request: SeriesPart): Promise<Drawn[]> {
  const binder = new Binder();
  const known = await findWords(deps.words, filter, request.signal);
  const sql = request.format(deps.table, { filter, request, binder, known });
  // Otherwise the last digit of a number may differ from what JSON parsers read.
  const settings = { ...withoutCounts, precise_float_parsing: 1, ...request.settings };
  const statement = { sql, parameters: binder.parameters, settings };
  const rows = await runQuery(deps.runner, { weight: 'heavy', signal: request.signal }, statement);
  return rows as unknown as Drawn[]; // matches the SELECT
}

/** Whether the other values can share one series. */
function addsUp({ statistic }: LogMeasure): boolean {
  return statistic === 'count' || statistic === 'sum';
}

type Draft = { filter: LogFilter; request: SeriesRequest; binder: Binder; known: KnownWords | null };

function formatSource(
  table: string,
  { filter, request, binder, known }: Draft,
): { matches: string; bucket: string } {
  const { startMicros, intervalMicros, count } = request.buckets;
  const start = binder.bind('Int64', startMicros);
  const interval = binder.bind('Int64', intervalMicros);
  const matches = `${formatMatches({ table, known }, filter, binder)}
      AND timestamp >= ${bindMicros(startMicros, binder)}
      AND timestamp < ${bindMicros(startMicros + intervalMicros * count, binder)}`;
  // The engine groups small keys faster.
  const bucket = `toUInt16(intDiv(toUnixTimestamp64Micro(timestamp) - ${start}, ${interval}))`;
  return { matches, bucket };
}

/** Formats a statement that reads entries once. It computes points for all values before it knows the frequent ones. */
function formatAtOnce(table: string, draft: Draft): string {
  const { by, measure } = draft.request;
  if (by === null) return formatInTurn(table, draft);
  const { matches, bucket } = formatSource(table, draft);
  const { value, isPresent } = formatValue(by.field, draft.binder);
  const { statistic } = measure;
  const gather = statistic === 'count' ? 'sum' : statistic === 'sum' ? 'sumKahan' : 'any'; // other statistics have a single point
  return `SELECT if(place = 0, NULL, any(shown)), groupArray((bucket, point)), any(made)
    FROM (
      SELECT any(groups) AS made, if(named AND rank <= ${draft.binder.bind('UInt8', by.top)}, rank, 0) AS place,
        bucket, any(text) AS shown, ${gather}(found) AS point
      FROM (
        SELECT *, dense_rank() OVER (ORDER BY named DESC, total DESC, text) AS rank
        FROM (
          SELECT *, sum(entries) OVER (PARTITION BY named, text) AS total, count() OVER () AS groups
          FROM (
            SELECT ${isPresent} AS named, ${value} AS text, ${bucket} AS bucket,
              count() AS entries, ${formatMeasure(measure, draft.binder)} AS found
            FROM ${matches} GROUP BY named, text, bucket
          )
        )
      )
      GROUP BY place, bucket
    )
    ${addsUp(measure) ? '' : 'WHERE place > 0'}
    GROUP BY place ORDER BY place = 0, place`;
}

/** Formats a statement that finds the most frequent values first. It numbers series by their rank, from 1. */
function formatInTurn(table: string, draft: Draft): string {
  const { by, measure } = draft.request;
  const { binder } = draft;
  const { matches, bucket } = formatSource(table, draft);
  const split = by && formatValue(by.field, binder);
  const top =
    by &&
    `(SELECT groupArray(value) FROM (
      SELECT ${split?.value} AS value FROM ${matches} AND ${split?.isPresent}
      GROUP BY value ORDER BY count() DESC, value LIMIT ${binder.bind('UInt8', by.top)}
    )) AS top`;
  const place = split === null ? '0' : `if(${split.isPresent}, indexOf(top, ${split.value}), 0)`;
  return `WITH ${top ?? '[] AS top'}
    SELECT if(place = 0, NULL, top[place]), groupArray((bucket, point)), 0
    FROM (
      SELECT toUInt8(${place}) AS place, ${bucket} AS bucket, ${formatMeasure(measure, binder)} AS point
      FROM ${matches}${by === null || addsUp(measure) ? '' : ' AND place > 0'}
      GROUP BY place, bucket
    )
    GROUP BY place ORDER BY place = 0, place`;
}

/** Formats two expressions: the field's value as text, and whether the entry has the field. */
export function formatValue(field: LogField, binder: Binder): { value: string; isPresent: string } {
  if (field.kind === 'metadata') {
    const { value, isPresent } = formatPath(field.path, binder);
    return { value, isPresent: `(${value} != '' OR ${isPresent})` };
  }
  if (field.kind === 'pattern') return { value: patternText, isPresent: 'pattern != 0' };
  const value = `toString(${field.kind})`;
  return { value, isPresent: field.kind === 'resource' ? "resource != ''" : '1' };
}

const exactNumbersMax = 10_000; // CONTRACT.md, 9.6

/** Rounds a double to sign, exponent and eight bits. The error is less than 1/256; CONTRACT.md, 9.6 allows 1/100. */
const coarseBits = '0xFFFFF00000000000';

export function formatUnique(field: LogField, binder: Binder): string {
  const { value, isPresent } = formatValue(field, binder);
  return `uniqExactIf(${value}, ${isPresent})`;
}

function formatMeasure(measure: LogMeasure, binder: Binder): string {
  if (measure.statistic === 'count') return 'count()';
  if (measure.statistic === 'unique') return `nullIf(${formatUnique(measure.field, binder)}, 0)`;
  const { value } = formatValue(measure.field, binder);
  const number = `toFloat64OrNull(if(match(${value}, '${numberPattern}'), ${value}, ''))`;
  switch (measure.statistic) {
    // Keeps the last digits independent of the order of parts.
    case 'sum':
      return `ifNull(sumKahan(${number}), 0)`;
    case 'avg':
      return `sumKahan(${number}) / count(${number})`;
    case 'min':
    case 'max':
      return `${measure.statistic}(${number})`;
    default:
      return formatPercentile(number, Number(measure.statistic.slice(1)));
  }
}

/**
 * Formats a percentile: the smallest number that `percent` percent of the numbers do not exceed. It is approximate for very
 * many numbers. The engine's sketches reject or distort numbers that are very far apart.
 */
function formatPercentile(number: string, percent: number): string {
  const count = `count(${number})`;
  const sorted = `arraySort(groupArray(${exactNumbersMax})(${number}))`;
  const coarse = `reinterpretAsFloat64(bitAnd(reinterpretAsUInt64(assumeNotNull(${number})), ${coarseBits}))`;
  return `multiIf(${count} = 0, NULL,
    ${count} <= ${exactNumbersMax}, ${sorted}[intDiv(${count} * ${percent} + 99, 100)],
    quantileExactWeightedIf(${percent / 100})(${coarse}, 1, isNotNull(${number})))`;
}

// `windowSeries.ts` uses these, too.
export { Binder, bindMicros, numberPattern };
