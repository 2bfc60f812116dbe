/** Filters entries by project, datasets, times and a condition. */
import { type Condition, compileCondition, type JudgedEntry } from '@tapedeck/log-query-language';
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
export type JudgedArrival = { readonly arrived: ArrivedEntry; readonly judged: JudgedEntry };

export type FilterJudge = (arrival: JudgedArrival) => boolean;

/** Compiles a filter that matches the same entries as the log store. Cheap checks run first: most entries fail one of them. */
export function compileFilter({
  project,
  datasets,
  fromMicros,
  toMicros,
  condition,
}: LogFilter): FilterJudge {
  const holds = compileCondition(condition);
  return ({ arrived: { project: owner, entry }, judged }) =>
    owner === project &&
    (datasets === null || datasets.includes(entry.dataset)) &&
    (fromMicros === null || fromMicros <= entry.timestampMicros) &&
    (toMicros === null || entry.timestampMicros <= toMicros) &&
    holds(judged);
}
