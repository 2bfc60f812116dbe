/** Answers queries for numbers: every range aggregation by itself, and then what the query makes of them. */
import {
  evaluateMetric,
  findOrder,
  LogqlMistake,
  listGroupedRanges,
  type MetricQuery,
  type Operand,
  type RangeAggregation,
  type Series,
  type Steps,
  sortByValue,
  tooManySeries,
} from '@tapedeck/logql';
import type { LogFilter } from '../../ports/logQueries.ts';
import type { LokiDeps } from './lists.ts';
import { findSamples } from './samples.ts';

type MetricQuestion = { query: MetricQuery; scope: LogFilter; steps: Steps };

const stepsMax = 11_000; // Loki's
const rangesMax = 20; // range aggregations of a query, each a question to the store
const seriesMax = 500; // Loki's, of an answer

export async function computeMetric(
  deps: LokiDeps,
  { query, scope, steps }: MetricQuestion,
  signal: AbortSignal,
): Promise<Operand> {
  requireFewSteps(steps);
  const ranges = listGroupedRanges(query);
  if (ranges.length > rangesMax)
    throw new LogqlMistake(`a query holds at most ${rangesMax} range aggregations`);
  const results = new Map<RangeAggregation, readonly Series[]>();
  for (const [range, grouping] of ranges)
    results.set(range, await findSamples(deps, { range, grouping, scope, steps }, signal));
  const operand = evaluateMetric(query, results, steps);
  if (operand.kind === 'scalar') return operand;
  if (operand.series.length > seriesMax) throw tooManySeries(seriesMax);
  const sign = findOrder(query);
  return sign === null ? operand : { kind: 'series', series: sortByValue(operand.series, sign) };
}

function requireFewSteps({ count }: Steps): void {
  if (count <= stepsMax) return;
  throw new LogqlMistake(
    `exceeded maximum resolution of ${stepsMax.toLocaleString('en')} points per time series. Try increasing the value of the step parameter`,
  );
}
