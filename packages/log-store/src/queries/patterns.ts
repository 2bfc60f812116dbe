/** Finds what matches say but for numbers, names and times: the most frequent patterns, how often, since when, and one body of each. */
import {
  type FoundPatterns,
  formatMicros,
  type LogFilter,
  type LogLevel,
  type LogPattern,
  type LogPatternsQuestion,
} from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { Binder } from '../writer/engine/binder.ts';
import type { Row } from '../writer/engine/statements.ts';
import { formatConditions } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { matchAll } from './entries.ts';
import { patternText } from './fields.ts';
import type { FirstSeenCache } from './firstSeen/cache.ts';
import { divideByMinutes } from './minutes.ts';
import type { RollupDeps } from './rollups/counts.ts';
import { askRows } from './running.ts';

type Asked = LogPatternsQuestion & { signal: AbortSignal };
type PatternDeps = CountDeps & RollupDeps & { patternFirsts: FirstSeenCache };
type Draft = { deps: PatternDeps; filter: LogFilter; asked: Asked };

const candidatesMax = 2_000; // named in a statement

/** What is told of a pattern's matches. */
type Told = Omit<LogPattern, 'template' | 'firstMicros' | 'sample'>;

export async function findPatterns(
  deps: PatternDeps,
  filter: LogFilter,
  asked: Asked,
): Promise<FoundPatterns> {
  const draft = { deps, filter, asked };
  const candidates = await findCandidates(draft);
  const { total, patterns } =
    candidates !== null && candidates.length <= asked.limit
      ? { total: null, patterns: candidates }
      : await findFrequent(draft, candidates);
  if (patterns.length === 0) return { total: total ?? 0, patterns: [] };
  const told = await tellOfEach(draft, patterns);
  const [firsts, samples] = await Promise.all([findFirsts(draft, patterns), findSamples(draft, told)]);
  const found = told.flatMap((one): LogPattern[] => {
    const sample = samples.get(one.pattern);
    // It may have been deleted since.
    if (sample === undefined) return [];
    const { template } = findPattern(sample);
    return [{ ...one, template, firstMicros: firsts.get(one.pattern) ?? one.lastMicros, sample }];
  });
  return { total: total ?? told.length, patterns: found };
}

/** All that began within the times of the question, where only such are asked for; null: any, or too many to be named. */
async function findCandidates({ deps, filter, asked }: Draft): Promise<string[] | null> {
  const { fromMicros } = filter;
  if (!asked.isNew || fromMicros === null) return null;
  const firsts = await deps.patternFirsts.find(deps, filter, asked.signal);
  if (firsts === null) return null;
  const candidates = [...firsts].filter(([, micros]) => micros >= fromMicros).map(([pattern]) => pattern);
  return candidates.length > candidatesMax ? null : candidates;
}

/** Groups that do not fit are put on the engine's disk: a flood of patterns takes time, and no more memory. */
const groupsShare = 0.3;

async function ask({ deps, asked }: Draft, binder: Binder, sql: string): Promise<readonly Row[]> {
  const settings = {
    max_bytes_before_external_group_by: Math.floor(deps.runner.memoryBytesMax * groupsShare),
  };
  const asking = { weight: 'heavy', signal: asked.signal } as const;
  return askRows(deps.runner, asking, { sql, parameters: binder.parameters, settings });
}

/** How many there are, and the most frequent of them, equally frequent ones by their digits. */
async function findFrequent(
  draft: Draft,
  candidates: readonly string[] | null,
): Promise<{ total: number; patterns: string[] }> {
  const { deps, filter, asked } = draft;
  const { startMicros, intervalMicros, count } = asked.buckets;
  const binder = new Binder();
  const whole = { startMicros, intervalMicros: intervalMicros * count, count: 1 };
  const among = candidates === null ? '' : ` AND pattern IN ${bindPatterns(candidates, binder)}`;
  const sources = divideByMinutes({ filter, buckets: whole }, binder).map(
    ({ conditions }) =>
      `SELECT pattern, count() AS found, 0 AS earlier FROM ${deps.table} WHERE ${conditions}${among} GROUP BY pattern`,
  );
  if (asked.isNew && filter.fromMicros !== null && candidates === null) {
    const before = { ...matchAll(filter), toMicros: filter.fromMicros - 1 };
    const ages = { startMicros: 0, intervalMicros: filter.fromMicros, count: 1 };
    for (const { conditions } of divideByMinutes({ filter: before, buckets: ages }, binder))
      sources.push(
        `SELECT pattern, toUInt64(0) AS found, 1 AS earlier FROM ${deps.table} WHERE ${conditions} GROUP BY pattern`,
      );
  }
  const sql = `SELECT count(), arrayMap(one -> lower(hex(one.2)), groupArraySorted(${asked.limit})((-toInt64(entries), pattern)))
    FROM (
      SELECT pattern, sum(found) AS entries FROM (${sources.join(' UNION ALL ')})
      GROUP BY pattern HAVING entries > 0 AND max(earlier) = 0
    )`;
  const [row] = await ask(draft, binder, sql);
  const [total, patterns] = row as unknown as [number, string[]]; // as selected: an aggregate has one row
  return { total, patterns: patterns.map(digits => digits.padStart(16, '0')) };
}

async function tellOfEach(draft: Draft, patterns: readonly string[]): Promise<Told[]> {
  const { deps, filter, asked } = draft;
  const binder = new Binder();
  const chosen = bindPatterns(patterns, binder);
  const sources = divideByMinutes({ filter, buckets: asked.buckets }, binder).map(
    ({ conditions, bucket }) =>
      `SELECT pattern, level, ${bucket} AS bucket, count() AS found, max(timestamp) AS last
        FROM ${deps.table} WHERE ${conditions} AND pattern IN ${chosen} GROUP BY pattern, level, bucket`,
  );
  const sql = `SELECT ${patternText}, toUnixTimestamp64Micro(max(last)), groupArray((level, bucket, found))
    FROM (${sources.join(' UNION ALL ')}) GROUP BY pattern`;
  const rows = await ask(draft, binder, sql);
  const told = (rows as unknown as Parts[]).map(parts => gather(parts, asked.buckets.count)); // as selected
  return told.sort((one, other) => other.entries - one.entries || (one.pattern < other.pattern ? -1 : 1));
}

type Parts = [
  pattern: string,
  lastMicros: number,
  found: [level: LogLevel, bucket: number, entries: number][],
];

function gather([pattern, lastMicros, found]: Parts, buckets: number): Told {
  const levels = { debug: 0, info: 0, warn: 0, error: 0 };
  const counts = Array<number>(buckets).fill(0);
  let entries = 0;
  for (const [level, bucket, matches] of found) {
    levels[level] += matches;
    counts[bucket] = (counts[bucket] ?? 0) + matches;
    entries += matches;
  }
  return { pattern, entries, levels, lastMicros, counts };
}

/** Whatever else is asked: of the whole dataset, or all of them. */
async function findFirsts(draft: Draft, patterns: readonly string[]): Promise<Map<string, number>> {
  const { deps, filter, asked } = draft;
  const known = await deps.patternFirsts.find(deps, filter, asked.signal);
  if (known !== null) return known;
  const binder = new Binder();
  const conditions = formatConditions(matchAll(filter), binder);
  const sql = `SELECT ${patternText}, toUnixTimestamp64Micro(min(timestamp)) FROM ${deps.table}
    WHERE ${conditions} AND pattern IN ${bindPatterns(patterns, binder)} GROUP BY pattern`;
  return new Map((await ask(draft, binder, sql)) as [string, number][]); // as selected
}

/** The last body of each: the key leads to it. */
async function findSamples(draft: Draft, told: readonly Told[]): Promise<Map<string, string>> {
  const { deps, filter } = draft;
  const binder = new Binder();
  const times = told.map(
    ({ lastMicros }) => `'${formatMicros(lastMicros).replace('T', ' ').replace('Z', '')}'`,
  );
  const patterns = told.map(({ pattern }) => pattern);
  const sql = `SELECT ${patternText}, any(body) FROM ${deps.table} WHERE ${formatConditions(filter, binder)}
    AND timestamp IN ${binder.bind("Array(DateTime64(6, 'UTC'))", `[${times.join()}]`)}
    AND pattern IN ${bindPatterns(patterns, binder)} GROUP BY pattern`;
  return new Map((await ask(draft, binder, sql)) as [string, string][]); // as selected
}

function bindPatterns(patterns: readonly string[], binder: Binder): string {
  return binder.bind('Array(UInt64)', `[${patterns.map(digits => BigInt(`0x${digits}`)).join()}]`);
}
