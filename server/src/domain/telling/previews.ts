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
const timesMax = 100;
const valuesMax = 10; // of a rule that is split: the most frequent ones
const bucketsMax = 8_000; // of which a series has some more at most

/** Rules that are not over windows would not have fired: nothing is kept of what they look at. */
export async function previewRule(
  { logQueries, clock }: PreviewDeps,
  rule: Rule,
  signal: AbortSignal,
): Promise<{ fired: number; times: number[] }> {
  const now = clock.now();
  const since = now - days * dayMs;
  const watched = composeWatched({ ...rule, generation: since });
  if (watched === null) return { fired: 0, times: [] };
  const split = readSplit(rule);
  const room = split === null ? bucketsMax : Math.floor(limits.logSeriesPointsMax / (valuesMax + 1));
  const bucketMs = Math.max(
    findBucketMs(watched.windowMs),
    Math.ceil((days * dayMs) / Math.min(room, bucketsMax)),
  );
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
  return { fired: times.length, times: times.slice(0, timesMax) };
}
