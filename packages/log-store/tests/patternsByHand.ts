/** Counts patterns by going through all entries one by one, for tests to compare with. */
import {
  compileFilter,
  type FoundPatterns,
  type LogBuckets,
  type LogFilter,
  type LogPatternsQuestion,
  logLevels,
  type MatchableArrival,
} from '@tapedeck/log-entries';
import { findPattern, mergeTemplates } from '@tapedeck/log-patterns';
import { matchAll } from '../src/queries/entries.ts';
import type { WholeEntry } from './randomEntries.ts';

type Named = { pattern: string; template: string; entries: number; own: readonly WholeEntry['entry'][] };

export async function answerByHand(
  matchableEntries: readonly MatchableArrival[],
  filter: LogFilter,
  { buckets, isNew, limit }: LogPatternsQuestion,
): Promise<FoundPatterns> {
  const { startMicros, intervalMicros, count } = buckets;
  const judge = compileFilter(filter);
  const ofScope = matchableEntries.filter(compileFilter(matchAll(filter)));
  const firsts = new Map<string, number>();
  for (const { arrived } of ofScope) {
    const { pattern, timestampMicros } = arrived.entry;
    firsts.set(pattern, Math.min(firsts.get(pattern) ?? timestampMicros, timestampMicros));
  }
  const groups = Map.groupBy(
    matchableEntries
      .filter(judge)
      .map(({ arrived }) => arrived.entry)
      .filter(({ timestampMicros: at }) => at >= startMicros && at < startMicros + intervalMicros * count),
    ({ pattern }) => pattern,
  );
  const named = [...groups]
    .filter(([pattern]) => !isNew || filter.fromMicros === null || firsts.get(pattern)! >= filter.fromMicros)
    .map(([pattern, own]): Named => {
      return { pattern, template: findPattern(own[0]!.body).template, entries: own.length, own };
    })
    .sort(compareFound);
  const lines = (await mergeTemplates(named)).map(({ template, members }) => {
    const sorted = members.toSorted(compareFound);
    const patterns = sorted.map(({ pattern }) => pattern);
    const firstMicros = Math.min(...patterns.map(pattern => firsts.get(pattern)!));
    const merged = patterns.length > 1;
    const pattern = merged ? `(${patterns.join()})` : patterns[0]!;
    const own = sorted.flatMap(each => each.own);
    return {
      pattern,
      patterns,
      variants: patterns.length,
      merged,
      template,
      paths: [],
      firstMicros,
      ...countOwn(own, buckets),
      unique: [],
      sample: '',
    };
  });
  lines.sort((one, other) => other.entries - one.entries || (one.patterns[0]! < other.patterns[0]! ? -1 : 1));
  return { total: lines.length, patterns: lines.slice(0, limit) };
}

function compareFound(one: Named, other: Named): number {
  return other.entries - one.entries || (one.pattern < other.pattern ? -1 : 1);
}

function countOwn(own: readonly WholeEntry['entry'][], { startMicros, intervalMicros, count }: LogBuckets) {
  const counts = Array<number>(count).fill(0);
  for (const { timestampMicros: at } of own) counts[Math.floor((at - startMicros) / intervalMicros)]!++;
  return {
    entries: own.length,
    levels: Object.fromEntries(
      logLevels.map(level => [level, own.filter(entry => entry.level === level).length]),
    ) as Record<(typeof logLevels)[number], number>, // one of each level
    lastMicros: own.reduce((last, { timestampMicros }) => Math.max(last, timestampMicros), 0),
    counts,
  };
}
