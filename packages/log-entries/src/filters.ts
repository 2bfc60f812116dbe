/** Filters for entries: project, datasets, times and a condition. */
import { type Condition, compileCondition, type JudgedEntry } from '@tapedeck/log-query-language';
import type { ArrivedEntry } from './arrivals.ts';

export type LogFilter = {
  project: string;
  /** null: any of the project. */
  datasets: readonly string[] | null;
  /** Inclusive, Unix microseconds; null: open. */
  fromMicros: number | null;
  toMicros: number | null;
  condition: Condition;
};

/** An entry that many filters judge. */
export type JudgedArrival = { readonly arrived: ArrivedEntry; readonly judged: JudgedEntry };

export type FilterJudge = (arrival: JudgedArrival) => boolean;

/** Agrees with what the log store finds. The cheap conditions come first: most entries fail one of them. */
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
