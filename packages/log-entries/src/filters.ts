/** Filters entries by project, datasets, times and a condition. */
import { type Condition, compileCondition, type MatchableEntry } from '@tapedeck/log-query-language';
import type { ArrivedEntry } from './arrivals.ts';

export type LogFilter = {
  project: string;
  /** null: all datasets of the project. */
  datasets: readonly string[] | null;
  /** Inclusive, Unix microseconds; null: open. */
  fromMicros: number | null;
  toMicros: number | null;
  condition: Condition;
};

/** An arrived entry, prepared for several filters. */
export type MatchableArrival = { readonly arrived: ArrivedEntry; readonly judged: MatchableEntry };

export type FilterMatcher = (arrival: MatchableArrival) => boolean;

/** Compiles a filter that matches the same entries as the log store. Cheap checks run first: most entries fail one of them. */
export function compileFilter({
  project,
  datasets,
  fromMicros,
  toMicros,
  condition,
}: LogFilter): FilterMatcher {
  const holds = compileCondition(condition);
  return ({ arrived: { project: owner, entry }, judged }) =>
    owner === project &&
    (datasets === null || datasets.includes(entry.dataset)) &&
    (fromMicros === null || fromMicros <= entry.timestampMicros) &&
    (toMicros === null || entry.timestampMicros <= toMicros) &&
    holds(judged);
}
