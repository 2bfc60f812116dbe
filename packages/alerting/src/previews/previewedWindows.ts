/** Runs a window rule over past days by the timestamps of entries, with the same evaluation as live entries. */
import type { LogField, LogFilter, ValueCount } from '@tapedeck/log-entries';
import type { TimedCount } from '@tapedeck/log-store';
import type { StoredEntries } from '../ports/questions.ts';
import { emptyState, type RuleState, type Transition, valuesMax } from '../windows/states.ts';
import { advance, type WatchedRule } from '../windows/windowEvaluation.ts';
import { WindowHeights } from '../windows/windowExtremes.ts';
import { findBucketMs } from '../windows/windows.ts';

type Queries = Pick<StoredEntries, 'countEntries' | 'countValues' | 'streamTallies'>;

export type WindowSeries = { value: string | null; highest: number[]; lowest: number[] };

type Asked = {
  watched: WatchedRule;
  /** The filter's times are the range of the preview. */
  filter: LogFilter & { fromMicros: number; toMicros: number };
  split: LogField | null;
  /** The interval of the chart. */
  intervalMs: number;
};

const talliesMax = 500_000; // a second of the service's time, in slices
const drawnMax = 10;
const judgedAtOnce = 5_000; // some ten milliseconds
const valueCharactersMax = 256; // beyond which values are the same

export async function previewWindows(
  queries: Queries,
  { watched, filter, split, intervalMs }: Asked,
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

type Held = { entries: number; values: readonly ValueCount[]; spanMs: number };

/** To the millisecond where entries are few. Of very many the moments are longer, and of a field only the most frequent values are looked at. */
function planTallies(
  { windowMs, isSplit }: WatchedRule,
  { entries, values, spanMs }: Held,
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

/** Goes from batch to batch, each of which begins where the one before ended. */
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
    if (last !== undefined && this.#waiting.length >= judgedAtOnce) this.#advance(last.ms);
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
