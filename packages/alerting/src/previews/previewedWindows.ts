/** Runs a window rule over past days by the entries' timestamps, with the same evaluation as for live entries. */
import type { LogField, LogFilter, ValueCount } from '@tapedeck/log-entries';
import type { TimedCount } from '@tapedeck/log-store';
import type { StoredEntries } from '../ports/logQueries.ts';
import { emptyState, type RuleState, type Transition, valuesMax } from '../windows/states.ts';
import { advance, type WatchedRule } from '../windows/windowEvaluation.ts';
import { WindowHeights } from '../windows/windowExtremes.ts';
import { findBucketMs } from '../windows/windows.ts';

type Queries = Pick<StoredEntries, 'countEntries' | 'countValues' | 'streamTallies'>;

export type WindowSeries = { value: string | null; highest: number[]; lowest: number[] };

type PreviewQuery = {
  watched: WatchedRule;
  /** The filter's time range is the preview's. */
  filter: LogFilter & { fromMicros: number; toMicros: number };
  split: LogField | null;
  /** The interval of the chart. */
  intervalMs: number;
};

const talliesMax = 500_000; // takes a second of the service's time, in slices
const drawnMax = 10;
const evaluatedAtOnce = 5_000; // takes tens of milliseconds
const valueCharactersMax = 256; // longer values count as the same

export async function previewWindows(
  queries: Queries,
  { watched, filter, split, intervalMs }: PreviewQuery,
  signal: AbortSignal,
): Promise<{ times: number[]; series: WindowSeries[] }> {
  const spanMs = (filter.toMicros + 1 - filter.fromMicros) / 1000;
  const [entries, values] = await Promise.all([
    queries.countEntries(filter, signal),
    split === null ? [] : queries.countValues(filter, { field: split, prefix: '', limit: valuesMax }, signal),
  ]);
  const plan = planTallies(watched, { entries, values, spanMs });
  const frequent = values.map(({ value }) => cutValue(value));
  const by = split && { field: split, values: plan.areAll ? null : [...new Set(frequent)] };
  const startMs = filter.fromMicros / 1000;
  const heightsOf = () => new WindowHeights({ startMs, intervalMs, windowMs: watched.windowMs });
  const drawn = new Map(
    (split === null ? [''] : frequent.slice(0, drawnMax)).map(value => [value, heightsOf()]),
  );
  const walk = new Walk(watched, startMs);
  for await (const tallies of queries.streamTallies(filter, { intervalMs: plan.intervalMs, by }, signal)) {
    for (const { ms, value, count } of tallies) drawn.get(value)?.add(ms, count);
    walk.add(tallies);
  }
  const transitions = walk.end(startMs + spanMs);
  const series = [...drawn].map(([value, heights]): WindowSeries => {
    heights.end(startMs + spanMs);
    const { highest, lowest } = heights;
    return { value: split === null ? null : value, highest, lowest };
  });
  return { times: transitions.filter(({ kind }) => kind === 'fired').map(({ at }) => at), series };
}

type Measured = { entries: number; values: readonly ValueCount[]; spanMs: number };

/** Uses milliseconds if there are few entries. With more, uses longer intervals and only the most frequent values of a field. */
function planTallies(
  { windowMs, isSplit }: WatchedRule,
  { entries, values, spanMs }: Measured,
): { intervalMs: number; areAll: boolean } {
  if (entries <= talliesMax) return { intervalMs: 1, areAll: true };
  const bucketMs = findBucketMs(windowMs, isSplit);
  const counts = isSplit ? values.map(({ count }) => count) : [entries];
  const talliesOf = (intervalMs: number) =>
    counts.reduce((sum, count) => sum + Math.min(count, spanMs / intervalMs), 0);
  const inWindow = windowMs / bucketMs;
  const steps = Array.from({ length: inWindow }, (_, index) => index + 1).filter(
    step => inWindow % step === 0,
  );
  const intervals = steps.map(step => step * bucketMs);
  const intervalMs = intervals.find(one => talliesOf(one) <= talliesMax) ?? windowMs;
  return { intervalMs, areAll: false };
}

function cutValue(value: string): string {
  return [...value].slice(0, valueCharactersMax).join('');
}

/** Evaluates batch by batch, each starting at the end of the last. */
class Walk {
  readonly #rule: WatchedRule;
  #state: RuleState;
  #waiting: TimedCount[] = [];
  readonly #transitions: Transition[] = [];

  constructor(rule: WatchedRule, startMs: number) {
    this.#rule = rule;
    this.#state = emptyState(startMs);
  }

  /** Tallies of the last millisecond may continue in the next batch. */
  add(tallies: readonly TimedCount[]): void {
    for (const { ms, value, count } of tallies)
      this.#waiting.push({ ms: Math.max(ms, this.#rule.since), value, count });
    const last = this.#waiting.at(-1);
    if (last !== undefined && this.#waiting.length >= evaluatedAtOnce) this.#advance(last.ms);
  }

  end(ms: number): readonly Transition[] {
    this.#advance(ms);
    return this.#transitions;
  }

  #advance(until: number): void {
    const tallies = this.#waiting.filter(({ ms }) => ms < until);
    this.#waiting = this.#waiting.slice(tallies.length);
    const { state, transitions } = advance(this.#rule, this.#state, { tallies, until });
    this.#state = state;
    this.#transitions.push(...transitions);
  }
}
