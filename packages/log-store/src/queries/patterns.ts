/**
 * Finds the most frequent patterns of matches, each with its number of entries, first time and a sample body. Merges patterns that
 * differ in words.
 */
import type {
  FoundPatterns,
  LogFilter,
  LogLevel,
  LogPattern,
  LogPatternsQuestion,
} from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { everything } from '@tapedeck/log-query-language';
import type { Row } from '../writer/engine/statements.ts';
import { Binder } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { matchAll } from './entries.ts';
import type { FirstSeenCache } from './firstSeen/cache.ts';
import { divideByMinutes } from './minutes.ts';
import { bindPatterns, listPatterns as listDigits, listNumbers } from './patternDigits.ts';
import {
  type Found,
  formatNames,
  type Line,
  makeSinglePatternLine,
  membersMax,
  mergeLines,
} from './patternLines.ts';
import { formatSamples, type PatternTemplates, readSamples, type Sample } from './patternTemplates.ts';
import type { RollupDeps } from './rollups/counts.ts';
import { formatUnique } from './series.ts';
import {
  countCompared,
  learnTemplates,
  listPatterns,
  queryPatterns,
  readFound,
} from './templateConditions.ts';

type PatternsRequest = LogPatternsQuestion & { signal: AbortSignal };
type PatternDeps = CountDeps &
  RollupDeps & { patternFirsts: FirstSeenCache; patternTemplates: PatternTemplates };
type Frequent = { total: number; found: Found[] };
type Draft = { deps: PatternDeps; filter: LogFilter; request: PatternsRequest };

const candidatesMax = 2_000; // a statement names at most this many
const mergeableMin = 5; // fewer have nothing in common (README.md of log-patterns)

/** Totals over a line's matches. */
type LineCounts = Pick<LogPattern, 'entries' | 'levels' | 'lastMicros' | 'counts'>;

export async function findPatterns(
  deps: PatternDeps,
  filter: LogFilter,
  request: PatternsRequest,
): Promise<FoundPatterns> {
  const draft = { deps, filter, request };
  const candidates = await findCandidates(draft);
  if (candidates?.length === 0) return { total: 0, patterns: [] };
  const frequent = await findFrequent(draft, candidates);
  const { total, found } = frequent;
  if (found.length === 0) return { total, patterns: [] };
  const lines = (await mergeFound(draft, frequent)).sort(compareLines);
  const shown = lines.slice(0, request.limit);
  const [counts, firsts, unique, samples] = await Promise.all([
    countLines(draft, shown),
    findFirsts(draft, shown),
    countUnique(draft, shown),
    findSamples(
      draft,
      shown.map(({ members }) => members[0]!),
    ),
  ]);
  const patterns = shown.flatMap((line, index): LogPattern[] => {
    const sample = samples.get(line.members[0]!.pattern);
    const counted = counts.get(index);
    if (sample === undefined || counted === undefined) return []; // deleted meanwhile
    const firstMicros = firsts.get(index) ?? counted.lastMicros;
    return [describeLine(draft, line, { ...counted, sample, firstMicros, unique: unique.get(index) ?? [] })];
  });
  return { total: total - found.length + lines.length, patterns };
}

type About = LineCounts & Pick<LogPattern, 'firstMicros' | 'unique'> & { sample: Sample };

function describeLine(
  { deps, request }: Draft,
  { template, members, names }: Line,
  { sample, ...counts }: About,
): LogPattern {
  const patterns = members.map(({ pattern }) => pattern);
  const [first = ''] = patterns;
  const described = deps.patternTemplates.describe(first, sample);
  const paths = patterns.flatMap(pattern => deps.patternTemplates.get(pattern)?.paths ?? []);
  return {
    ...counts,
    pattern: formatNames(names),
    patterns: request.areWhole ? patterns : patterns.slice(0, membersMax),
    variants: members.length,
    merged: template !== null,
    template: template ?? described?.template ?? findPattern(sample.body).template,
    paths: [...new Set(paths)],
    sample: sample.body,
  };
}

/** Compares lines by entries, and equally frequent ones by digits. */
function compareLines(one: Line, other: Line): number {
  const byEntries = sumEntries(other.members) - sumEntries(one.members);
  return byEntries || (one.members[0]!.pattern < other.members[0]!.pattern ? -1 : 1);
}

function sumEntries(members: readonly Found[]): number {
  return members.reduce((sum, { entries }) => sum + entries, 0);
}

async function mergeFound(draft: Draft, { total, found }: Frequent): Promise<Line[]> {
  if (found.length < mergeableMin) return found.map(makeSinglePatternLine);
  const { deps, filter, request } = draft;
  const { patternTemplates } = deps;
  await learnTemplates(deps, { filter, found, signal: request.signal });
  const known = found.flatMap(each => {
    const described = patternTemplates.get(each.pattern);
    return described === undefined ? [] : [{ ...each, ...described }];
  });
  const named = new Set(known.map(({ pattern }) => pattern));
  const lines = await mergeLines(known, {
    memo: patternTemplates.merged,
    merging: patternTemplates.merging,
    areWhole: request.areWhole === true,
    mayName: async () => !request.isNew && (await areAllCompared(draft, total)),
  });
  return [...found.filter(({ pattern }) => !named.has(pattern)).map(makeSinglePatternLine), ...lines];
}

/** Whether a query for a template would compare every pattern within these times. */
async function areAllCompared({ deps, filter, request }: Draft, total: number): Promise<boolean> {
  if (filter.condition.kind === 'everything') return total <= countCompared(deps.runner);
  const scope = { ...filter, condition: everything };
  return (
    (await listPatterns(deps, scope, { arrived: null, signal: request.signal })).total <=
    countCompared(deps.runner)
  );
}

/** If the query asks only for new patterns, lists those that began within its times; null: any pattern, or too many to name. */
async function findCandidates({ deps, filter, request }: Draft): Promise<string[] | null> {
  const { fromMicros } = filter;
  if (!request.isNew || fromMicros === null) return null;
  const firsts = await deps.patternFirsts.find(deps, filter, request.signal);
  if (firsts === null) return null;
  const candidates = [...firsts].filter(([, micros]) => micros >= fromMicros).map(([pattern]) => pattern);
  return candidates.length > candidatesMax ? null : candidates;
}

function ask({ deps, request }: Draft, binder: Binder, sql: string): Promise<readonly Row[]> {
  return queryPatterns(deps.runner, binder, { sql, signal: request.signal });
}

/** Finds the number of patterns and the most frequent ones, equally frequent ones by digits. */
async function findFrequent(draft: Draft, candidates: readonly string[] | null): Promise<Frequent> {
  const { deps, filter, request } = draft;
  const { startMicros, intervalMicros, count } = request.buckets;
  const binder = new Binder();
  const whole = { startMicros, intervalMicros: intervalMicros * count, count: 1 };
  const among = candidates === null ? '' : ` AND pattern IN ${bindPatterns(candidates, binder)}`;
  const sources = divideByMinutes({ filter, buckets: whole }, binder).map(
    ({ conditions }) =>
      `SELECT pattern, count() AS found, max(timestamp) AS last, 0 AS earlier FROM ${deps.table} WHERE ${conditions}${among} GROUP BY pattern`,
  );
  if (request.isNew && filter.fromMicros !== null && candidates === null) {
    const before = { ...matchAll(filter), toMicros: filter.fromMicros - 1 };
    const ages = { startMicros: 0, intervalMicros: filter.fromMicros, count: 1 };
    for (const { conditions } of divideByMinutes({ filter: before, buckets: ages }, binder))
      sources.push(
        `SELECT pattern, toUInt64(0) AS found, max(timestamp) AS last, 1 AS earlier FROM ${deps.table} WHERE ${conditions} GROUP BY pattern`,
      );
  }
  const sql = `SELECT count(), arrayMap(one -> (lower(hex(one.2)), -one.1, one.3), groupArraySorted(${countCompared(deps.runner)})((-toInt64(entries), pattern, last)))
    FROM (
      SELECT pattern, sum(found) AS entries, toUnixTimestamp64Micro(max(last)) AS last FROM (${sources.join(' UNION ALL ')})
      GROUP BY pattern HAVING entries > 0 AND max(earlier) = 0
    )`;
  const [row] = await ask(draft, binder, sql);
  const [total, frequent] = row as unknown as [number, [string, number, number][]]; // matches the SELECT; an aggregate has one row
  return { total, found: frequent.map(readFound) };
}

/** Computes totals by line index. */
async function countLines(draft: Draft, lines: readonly Line[]): Promise<Map<number, LineCounts>> {
  const { deps, filter, request } = draft;
  const binder = new Binder();
  const { chosen, line } = placeLines(lines, binder);
  const sources = divideByMinutes({ filter, buckets: request.buckets }, binder).map(
    ({ conditions, bucket }) =>
      `SELECT pattern, level, ${bucket} AS bucket, count() AS found, max(timestamp) AS last
        FROM ${deps.table} WHERE ${conditions} AND ${chosen} GROUP BY pattern, level, bucket`,
  );
  const sql = `SELECT line, toUnixTimestamp64Micro(max(latest)), groupArray((level, bucket, matches)) FROM (
      SELECT ${line} AS line, level, bucket, sum(found) AS matches, max(last) AS latest
      FROM (${sources.join(' UNION ALL ')}) GROUP BY line, level, bucket
    ) WHERE line > 0 GROUP BY line`;
  const rows = await ask(draft, binder, sql);
  return new Map(
    (rows as unknown as Parts[]).map(parts => [parts[0] - 1, gather(parts, request.buckets.count)]), // matches the SELECT
  );
}

const chosenMax = 1_000; // more are usually most of all patterns; then looking each up takes longer than counting the others

/** Formats a condition for the patterns of these lines, and an expression for a pattern's line number, from 1; 0: no line. */
function placeLines(lines: readonly Line[], binder: Binder): { chosen: string; line: string } {
  const members = lines.flatMap(({ members: own }, index) =>
    own.map(({ pattern }) => ({ pattern, index: index + 1 })),
  );
  const patterns = members.map(({ pattern }) => pattern);
  const indexes = members.map(({ index }) => index);
  const line = `transform(pattern, ${listDigits(patterns, binder)}, ${listNumbers('UInt16', indexes, binder)}, toUInt16(0))`;
  const chosen = patterns.length > chosenMax ? '1' : `pattern IN ${bindPatterns(patterns, binder)}`;
  return { chosen, line };
}

type Parts = [line: number, lastMicros: number, found: [level: LogLevel, bucket: number, entries: number][]];

function gather([, lastMicros, found]: Parts, buckets: number): LineCounts {
  const levels = { debug: 0, info: 0, warn: 0, error: 0 };
  const counts = Array<number>(buckets).fill(0);
  let entries = 0;
  for (const [level, bucket, matches] of found) {
    levels[level] += matches;
    counts[bucket] = (counts[bucket] ?? 0) + matches;
    entries += matches;
  }
  return { entries, levels, lastMicros, counts };
}

/** Finds first times by line index. Covers all entries of the requested datasets, ignoring other conditions. */
async function findFirsts(draft: Draft, lines: readonly Line[]): Promise<Map<number, number>> {
  const { deps, filter, request } = draft;
  const known = await deps.patternFirsts.find(deps, filter, request.signal);
  if (known !== null)
    return new Map(
      lines.flatMap(({ members }, index) => {
        const firsts = members.flatMap(({ pattern }) => known.get(pattern) ?? []);
        return firsts.length === 0 ? [] : [[index, firsts.reduce((one, other) => Math.min(one, other))]];
      }),
    );
  const binder = new Binder();
  const conditions = formatConditions(matchAll(filter), binder);
  const { chosen, line: lineOf } = placeLines(lines, binder);
  const sql = `SELECT ${lineOf} AS line, min(first) FROM (
      SELECT pattern, toUnixTimestamp64Micro(min(timestamp)) AS first
      FROM ${deps.table} WHERE ${conditions} AND ${chosen} GROUP BY pattern
    ) WHERE line > 0 GROUP BY line`;
  const rows = (await ask(draft, binder, sql)) as [number, number][]; // matches the SELECT
  return new Map(rows.map(([line, first]) => [line - 1, first]));
}

/** Counts distinct values by line index. */
async function countUnique(draft: Draft, lines: readonly Line[]): Promise<Map<number, number[]>> {
  const { deps, filter, request } = draft;
  if (request.unique === undefined) return new Map();
  const binder = new Binder();
  const { chosen, line } = placeLines(lines, binder);
  const counts = request.unique.map(field => formatUnique(field, binder));
  const sql = `SELECT ${[`${line} AS line`, ...counts].join()}
    FROM ${deps.table} WHERE ${formatConditions(filter, binder)} AND ${chosen} GROUP BY line`;
  const rows = (await ask(draft, binder, sql)) as [number, ...number[]][]; // matches the SELECT
  return new Map(rows.map(([number, ...found]) => [number - 1, found]));
}

/** Finds the last entry of each pattern. */
async function findSamples(draft: Draft, wanted: readonly Found[]): Promise<Map<string, Sample>> {
  const { deps, filter } = draft;
  const binder = new Binder();
  const sql = formatSamples({ table: deps.table, filter, wanted, bodyBytesMax: null }, binder);
  return readSamples(await ask(draft, binder, sql));
}
