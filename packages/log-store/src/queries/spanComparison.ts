/**
 * Counts the values of all fields in two time spans, in one pass over their entries or two, and ranks them by how much the counts differ.
 * `DECISIONS.md`, "Values of two spans are counted in one pass", has the reasons and measurements.
 */
import type {
  ComparedValue,
  LogComparison,
  LogComparisonQuestion,
  LogField,
  LogFilter,
  LogSpan,
} from '@tapedeck/log-entries';
import { nameField } from '@tapedeck/log-query-language';
import { Binder, bindMicros, microsMin } from '../writer/engine/statements.ts';
import { formatConditions, formatMatches } from './conditions.ts';
import { type CountDeps, readsSmallColumnsOnly } from './counts.ts';
import { matchAll } from './entries.ts';
import { patternText } from './fields.ts';
import { findWords } from './partWords.ts';
import { bindTimes } from './patternDigits.ts';
import { runQuery } from './queryRunner.ts';
import { wholeMapSettings } from './querySettings.ts';
import { compareTexts } from './valueCounts.ts';

type ComparisonRequest = LogComparisonQuestion & { signal: AbortSignal };

/** A value by its hash. `lead` is its rank, and `firstMicros` the time of its first entry. */
type HashedValue = { hash: string; lead: number; firstMicros: number } & Counts;
type Counts = Pick<ComparedValue, 'entries' | 'baselineEntries'>;
type Ranked = Counts & { compared: number; values: HashedValue[] };

const entriesMin = 5; // fewer in both spans may be chance
const groupsShare = 0.3; // of a query's memory; beyond it, the engine puts groups on disk
const countBits = 32; // one sum holds both counts; no query reads four billion entries within its time limit
const columns = ['level', 'resource', 'dataset', 'pattern'] as const;

/** Every entry has this hash, so its group counts them all. */
const everyEntry = '0';
/** Takes the place of a value that an entry lacks. */
const noValue = '1';

export async function compareSpans(
  deps: CountDeps,
  filter: LogFilter,
  request: ComparisonRequest,
): Promise<LogComparison> {
  const { values: hashed, ...totals } = await rankValues(deps, filter, request);
  const names =
    hashed.length === 0 ? new Map<string, Named>() : await nameValues(deps, filter, { hashed, ...request });
  const values = hashed.flatMap(({ hash, ...counted }) => {
    const named = names.get(hash);
    return named === undefined ? [] : [{ ...named, ...counted }]; // deleted meanwhile
  });
  return {
    ...totals,
    values: values
      .sort(compareValues)
      .map(({ field, value, entries, baselineEntries }) => ({ field, value, entries, baselineEntries })),
  };
}

type Named = Pick<ComparedValue, 'field' | 'value'>;

function compareValues(one: Named & HashedRank, other: Named & HashedRank): number {
  return (
    other.lead - one.lead ||
    compareTexts(nameField(one.field), nameField(other.field)) ||
    compareTexts(one.value, other.value)
  );
}

type HashedRank = Pick<HashedValue, 'lead'>;

/** Hashes the columns apart from any path. */
const columnHashes = `[toUInt64(${everyEntry}), ${columns.map(formatHash).join(', ')}]`;
/** Hashes path and value of each leaf. */
const leafHashes =
  'arrayMap((path, value) -> cityHash64(path, value), mapKeys(metadata), mapValues(metadata))';
const hashes = `arrayConcat(${columnHashes}, ${leafHashes})`;

function formatHash(column: (typeof columns)[number]): string {
  const hash = `cityHash64('${column}', 0, ${column})`;
  if (column === 'resource') return `if(resource = '', ${noValue}, ${hash})`;
  return column === 'pattern' ? `if(pattern = 0, ${noValue}, ${hash})` : hash;
}

async function rankValues(
  { runner, table, words }: CountDeps,
  filter: LogFilter,
  { span, baseline, limit, signal }: ComparisonRequest,
): Promise<Ranked> {
  const binder = new Binder();
  const known = await findWords(words, filter, signal);
  const [isIn, isInBaseline] = [formatWithin(span, binder), formatWithin(baseline, binder)];
  const sums = formatSums({
    count: `toUInt64(${isIn}) + bitShiftLeft(toUInt64(${isInBaseline}), ${countBits})`,
    source: `${formatMatches({ table, known }, filter, binder)} AND (${isIn} OR ${isInBaseline})`,
    isQuick: readsSmallColumnsOnly(filter),
  });
  const groups = `SELECT hash, first, bitAnd(both, ${2 ** countBits - 1}) AS here, bitShiftRight(both, ${countBits}) AS there
      FROM (${sums}) WHERE hash = ${everyEntry} OR hash != ${noValue} AND greatest(here, there) >= ${entriesMin}`;
  const sql = `SELECT toString(hash), here, there, ${formatLead()} AS lead, first, compared
    FROM (
      SELECT *, max(if(hash = ${everyEntry}, here, 0)) OVER () AS allHere,
        max(if(hash = ${everyEntry}, there, 0)) OVER () AS allThere, count() OVER () - 1 AS compared
      FROM (${groups})
    )
    ORDER BY hash != ${everyEntry}, lead DESC, hash LIMIT ${binder.bind('UInt32', limit + 1)}`;
  const settings = {
    ...wholeMapSettings,
    max_bytes_before_external_group_by: Math.floor(runner.memoryBytesMax * groupsShare),
  };
  const statement = { sql, parameters: binder.parameters, settings };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  const [total, ...values] = (rows as [string, number, number, number, number, number][]).map(readRow); // matches the SELECT
  return {
    entries: total?.entries ?? 0,
    baselineEntries: total?.baselineEntries ?? 0,
    compared: total?.compared ?? 0,
    values,
  };
}

type Summing = {
  /** Adds up to the counts of both spans. */
  count: string;
  /** Table and conditions. */
  source: string;
  /** Whether the conditions cost so little that they may be checked twice. */
  isQuick: boolean;
};

const micros = 'toUnixTimestamp64Micro(timestamp)'; // the engine compiles sums and minima of integers, but not of times

/** Every entry has the columns, and few values occur in them: counting their combinations first is faster than counting each by its hash. */
function formatSums({ count, source, isQuick }: Summing): string {
  const sumBy = (hashed: string) =>
    `SELECT arrayJoin(${hashed}) AS hash, min(${micros}) AS first, sum(${count}) AS both FROM ${source} GROUP BY hash`;
  if (!isQuick) return sumBy(hashes);
  const names = columns.join(', ');
  return `${sumBy(leafHashes)}
        UNION ALL
        SELECT arrayJoin(${columnHashes}) AS hash, min(firstOfAll) AS first, sum(bothOfAll) AS both
        FROM (SELECT ${names}, min(${micros}) AS firstOfAll, sum(${count}) AS bothOfAll FROM ${source} GROUP BY ${names})
        GROUP BY hash`;
}

function readRow([hash, entries, baselineEntries, lead, firstMicros, compared]: [
  string,
  number,
  number,
  number,
  number,
  number,
]) {
  return { hash, entries, baselineEntries, lead, firstMicros, compared };
}

function formatWithin({ fromMicros, toMicros }: LogSpan, binder: Binder): string {
  if (toMicros < microsMin) return '0';
  return `(timestamp >= ${bindMicros(fromMicros, binder)} AND timestamp <= ${bindMicros(toMicros, binder)})`;
}

/**
 * Formats how clearly the counts differ, in standard deviations: the smaller of the distances between the counts and between the
 * shares of their spans. It is 0 if these point in different directions.
 */
function formatLead(): string {
  const distance = '(toInt64(here) - toInt64(there)) / sqrt(here + there)';
  const growth = 'allHere / allThere';
  const share = `(here - there * ${growth}) / sqrt(here + there * ${growth} * ${growth})`;
  return `multiIf(allHere = 0 OR allThere = 0, abs(${distance}), (${distance}) * (${share}) > 0, least(abs(${distance}), abs(${share})), 0)`;
}

type Wanted = { hashed: readonly HashedValue[]; signal: AbortSignal };

/** Finds fields and values by their hashes, in the first entries that have them. */
async function nameValues({ runner, table }: CountDeps, filter: LogFilter, { hashed, signal }: Wanted) {
  const binder = new Binder();
  const times = [...new Set(hashed.map(({ firstMicros }) => firstMicros))];
  const wanted = binder.bind('Array(UInt64)', `[${hashed.map(({ hash }) => hash).join()}]`);
  const texts = columns.map(column => (column === 'pattern' ? patternText : `toString(${column})`));
  const sql = `SELECT DISTINCT toString(hash), isPath, path, value
    FROM (
      SELECT ${hashes} AS hashes, arrayConcat(['', ${columns.map(column => `'${column}'`).join(', ')}], mapKeys(metadata)) AS paths,
        arrayConcat(['', ${texts.join(', ')}], mapValues(metadata)) AS texts
      FROM ${table} WHERE ${formatConditions(matchAll(filter), binder)} AND timestamp IN ${bindTimes(times, binder)}
    )
    ARRAY JOIN hashes AS hash, paths AS path, texts AS value, arrayMap(place -> place > ${columns.length + 1}, arrayEnumerate(hashes)) AS isPath
    WHERE hash IN ${wanted}`;
  const statement = { sql, parameters: binder.parameters, settings: wholeMapSettings };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  const found = rows as [string, number, string, string][]; // matches the SELECT
  return new Map(
    found.map(([hash, isPath, path, value]) => {
      const kind = columns.find(column => column === path);
      const field: LogField = isPath || kind === undefined ? { kind: 'metadata', path } : { kind };
      return [hash, { field, value }];
    }),
  );
}
