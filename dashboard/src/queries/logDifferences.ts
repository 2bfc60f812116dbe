/** Exact counts of each field's values in two time spans. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import type { SpanPair } from '../pages/logs/compare/comparedSpans.ts';
import { type Difference, entriesMin } from '../pages/logs/compare/differences.ts';
import { addTerm, makeTerm } from '../pages/logs/queryFilters.ts';
import { countMatches } from './logCounts.ts';
import { type LogPattern, nameValues } from './logPatterns.ts';
import { type LogQuestion, logsKeyOf, refetchAfter } from './logs.ts';

const comparedMax = 500; // most that a response holds
const recountedRowsMax = 2; // patterns whose count no response has; each takes a request

type LogRequest = { key: string; pair: () => SpanPair | null };
type Compared = Answer<'compareProjectLogs'>;

export type Comparison = {
  differences: readonly Difference[];
  /** All entries of both spans. */
  now: number;
  before: number;
  /** Values with enough entries to compare. */
  compared: number;
};

export function differencesQuery(project: string, { key, pair }: LogRequest) {
  return queryOptions({
    queryKey: [...logsKeyOf(project).queryKey, 'differences', key],
    queryFn: async ({ signal }): Promise<Comparison> => {
      const spans = pair();
      if (spans === null) return { differences: [], now: 0, before: 0, compared: 0 };
      const list = async (query: LogQuestion) =>
        joinRows((await api.listProjectLogPatterns({ params: { project }, query }, { signal })).data);
      const [found, ofNow, ofBefore] = await Promise.all([
        api.compareProjectLogs({ params: { project }, query: composeComparison(spans) }, { signal }),
        list(spans.now),
        list(spans.before),
      ]);
      const count: Count = (question, values) => {
        const query = addTerm(question.query ?? '', makeTerm('pattern', values));
        return countMatches(project, { ...question, query }, signal);
      };
      const patterns = await comparePatterns({ spans, found, ofNow, ofBefore, count });
      const { entries: now, baselineEntries: before, compared } = found;
      return { differences: [...compareValues(found), ...patterns], now, before, compared };
    },
    staleTime: 60_000, // each refresh reads all entries of both spans
    refetchInterval: refetchAfter(),
  });
}

function composeComparison({ now, before }: SpanPair) {
  return {
    ...now,
    baselineFrom: before.from,
    baselineTo: before.to,
    limit: comparedMax,
  };
}

/** Patterns are compared by the rows of their page. */
function compareValues({ data }: Compared): Difference[] {
  return data
    .filter(({ field }) => field !== 'pattern')
    .map(({ field, value, entries, baselineEntries }) => ({
      field,
      value,
      label: value,
      now: entries,
      before: baselineEntries,
    }));
}

type Count = (question: LogQuestion, patterns: readonly string[]) => Promise<number>;
/** A row by its text; `values` find its entries, `members` are the single patterns that the row lists. */
type CountedRow = {
  found: LogPattern;
  values: readonly string[];
  members: readonly string[];
  /** Whether `values` may find other patterns than the members. */
  isOpen: boolean;
  entries: number;
};
type Rows = ReadonlyMap<string, CountedRow>;
type PatternsFound = { spans: SpanPair; found: Compared; ofNow: Rows; ofBefore: Rows; count: Count };

/** Compares the rows of the patterns page. */
async function comparePatterns({
  spans,
  found,
  ofNow,
  ofBefore,
  count,
}: PatternsFound): Promise<Difference[]> {
  const counted = new Map(
    found.data.filter(({ field }) => field === 'pattern').map(each => [each.value, each]),
  );
  const rows = [...new Map([...ofBefore, ...ofNow]).entries()];
  const differences: Difference[] = [];
  const unknown: (Difference & { lacking: 'now' | 'before' })[] = [];
  for (const [key, row] of rows) {
    const [now, before] = [ofNow.get(key)?.entries, ofBefore.get(key)?.entries];
    if (Math.max(now ?? 0, before ?? 0) < entriesMin) continue;
    const { template, paths } = row.found;
    const difference = { field: 'pattern', value: key, values: row.values, label: template, paths };
    const whole =
      now !== undefined && before !== undefined
        ? { now, before }
        : sumMembers(row, { counted, listed: now === undefined ? 'before' : 'now' });
    // One that the comparison leaves out differs less clearly than all that it holds.
    if (whole === null && row.members.length === 1) continue;
    if (whole !== null) differences.push({ ...difference, ...whole });
    else
      unknown.push({
        ...difference,
        now: now ?? 0,
        before: before ?? 0,
        lacking: now === undefined ? 'now' : 'before',
      });
  }
  const largest = unknown.sort((one, other) => other.now + other.before - one.now - one.before);
  const recounted = largest.slice(0, recountedRowsMax).map(async ({ lacking, ...difference }) => ({
    ...difference,
    [lacking]: await count(spans[lacking], difference.values ?? []),
  }));
  return [...differences, ...(await Promise.all(recounted))];
}

type Counted = Compared['data'][number];
/** `listed`: the span whose list has the row. */
type Summing = { counted: ReadonlyMap<string, Counted>; listed: 'now' | 'before' };

/** Adds up the patterns of a row that only one span lists. Returns null if the comparison does not hold all its entries. */
function sumMembers({ members, entries, isOpen }: CountedRow, { counted, listed }: Summing) {
  if (isOpen) return null;
  const sums = { now: 0, before: 0 };
  for (const member of members) {
    sums.now += counted.get(member)?.entries ?? 0;
    sums.before += counted.get(member)?.baselineEntries ?? 0;
  }
  return sums[listed] === entries ? sums : null;
}

/** Joins patterns of two versions with the same text. */
function joinRows(rows: readonly LogPattern[]): Map<string, CountedRow> {
  const joined = new Map<string, CountedRow>();
  for (const found of rows) {
    const known = joined.get(found.template);
    // The other span may have patterns of a merged row that this one lacks.
    const own = found.merged ? [found.template] : nameValues(found);
    joined.set(found.template, {
      found,
      values: [...new Set([...(known?.values ?? []), ...own])],
      members: [...(known?.members ?? []), ...found.patterns],
      isOpen: found.merged || known?.isOpen === true,
      entries: found.entries + (known?.entries ?? 0),
    });
  }
  return joined;
}
