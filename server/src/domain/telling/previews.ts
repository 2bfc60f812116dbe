/** How often a rule would have fired, by the times of the entries that are there. */
import { advance, emptyState, findBucketMs, type Tally } from '@tapedeck/alert-rules';
import { limits } from '../../vocabulary.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import type { Rule } from '../ports/telling.ts';
import { composeRuleFilter, composeWatched, readSplit } from './ruleQuestions.ts';

type PreviewDeps = { logQueries: Pick<LogQueries, 'findSeries'>; clock: Clock };

const days = 7; // CONTRACT.md, 10
const intervalMs = 1_800_000; // of what is drawn
const timesMax = 100;
const valuesMax = 10; // of a rule that is split: the most frequent ones
const bucketsMax = 8_000; // of which a series has some more at most

export type RulePreview = {
  fired: number;
  /** The first ones. */
  times: number[];
  /** How full the windows were that ended in each interval; null where there are no windows. */
  windows: { startMs: number; intervalMs: number; series: WindowSeries[] } | null;
};

type WindowSeries = { value: string | null; highest: number[]; lowest: number[] };

/** Rules that are not over windows would not have fired: nothing is kept of what they look at. */
export async function previewRule(
  { logQueries, clock }: PreviewDeps,
  rule: Rule,
  signal: AbortSignal,
): Promise<RulePreview> {
  const now = clock.now();
  const since = now - days * dayMs;
  const watched = composeWatched({ ...rule, generation: since });
  if (watched === null) return { fired: 0, times: [], windows: null };
  const split = readSplit(rule);
  const room = split === null ? bucketsMax : Math.floor(limits.logSeriesPointsMax / (valuesMax + 1));
  const finest = Math.max(
    findBucketMs(watched.windowMs, watched.isSplit),
    (days * dayMs) / Math.min(room, bucketsMax),
  );
  let inInterval = Math.max(1, Math.floor(intervalMs / finest));
  while (intervalMs % inInterval > 0) inInterval--;
  const bucketMs = intervalMs / inInterval;
  const buckets = {
    startMicros: since * 1000,
    intervalMicros: bucketMs * 1000,
    count: Math.ceil((now - since) / bucketMs),
  };
  const filter = { ...composeRuleFilter(rule), fromMicros: since * 1000, toMicros: now * 1000 };
  const by = split && { field: split, top: valuesMax };
  const series = await logQueries.findSeries(
    filter,
    { buckets, by, measure: { statistic: 'count' } },
    signal,
  );
  const told = split === null ? series : series.filter(({ value }) => value !== null);
  const tallies = told.flatMap(({ value, points }) =>
    points.flatMap((count, index): Tally[] =>
      count ? [{ ms: since + index * bucketMs, value: split === null ? '' : (value ?? ''), count }] : [],
    ),
  );
  const { transitions } = advance(watched, emptyState(since), { tallies, until: now });
  const times = transitions.filter(({ kind }) => kind === 'fired').map(({ at }) => at);
  const drawn = told.map(
    ({ value, points }): WindowSeries => ({
      value,
      ...drawWindows(
        points.map(point => point ?? 0),
        { bucketMs, windowMs: watched.windowMs },
      ),
    }),
  );
  return {
    fired: times.length,
    times: times.slice(0, timesMax),
    windows: { startMs: since, intervalMs, series: drawn },
  };
}

/** Of the windows that end in an interval, how many entries the fullest and the emptiest have. */
function drawWindows(
  points: readonly number[],
  { bucketMs, windowMs }: { bucketMs: number; windowMs: number },
): Omit<WindowSeries, 'value'> {
  const span = Math.max(1, Math.round(windowMs / bucketMs));
  const each = intervalMs / bucketMs;
  const highest: number[] = [];
  const lowest: number[] = [];
  let count = 0;
  for (const [index, point] of points.entries()) {
    count += point - (points[index - span] ?? 0);
    const interval = Math.floor(index / each);
    highest[interval] = Math.max(highest[interval] ?? 0, count);
    lowest[interval] = Math.min(lowest[interval] ?? count, count);
  }
  return { highest, lowest };
}
