/** Answers metric queries: evaluates each range aggregation, then the expression around them. */

import type { LogFilter } from '@tapedeck/log-entries';
import {
  evaluateMetric,
  LogqlMistake,
  listGroupedRanges,
  type MetricQuery,
  type Operand,
  type RangeAggregation,
  type Series,
  type Steps,
  tooManyPoints,
  tooManySeries,
} from '@tapedeck/logql';
import { spreadPointsMax } from './lineSamples.ts';
import { boundTime, type LokiDeps } from './lists.ts';
import { findSamples } from './rangeAggregation.ts';

type MetricQuestion = {
  query: MetricQuery;
  scope: LogFilter;
  steps: Steps;
  /** True for an instant query, false for a range query. */
  isMoment: boolean;
};

const stepsMax = 11_002; // Loki's 11,000, plus one at each end for ranges widened to whole steps
const rangesMax = 20; // range aggregations of a query; each queries the store
const seriesMax = 500; // Loki's limit per answer

export async function computeMetric(
  deps: LokiDeps,
  { query, scope, steps, isMoment }: MetricQuestion,
  signal: AbortSignal,
): Promise<Operand> {
  requireFewSteps(steps);
  const ranges = listGroupedRanges(query);
  if (ranges.length > rangesMax)
    throw new LogqlMistake(`a query holds at most ${rangesMax} range aggregations`);
  const results = new Map<RangeAggregation, readonly Series[]>();
  const bounded = boundTime(signal); // for all ranges together
  let points = 0;
  for (const [range, grouping] of ranges) {
    bounded.throwIfAborted();
    const found = await findSamples(deps, { range, grouping, scope, steps }, bounded);
    points += found.length * steps.count;
    if (points > spreadPointsMax) throw tooManyPoints(spreadPointsMax);
    results.set(range, found);
  }
  const operand = evaluateMetric(query, results, { ...steps, isMoment });
  if (operand.kind === 'series' && operand.series.length > seriesMax) throw tooManySeries(seriesMax);
  return operand;
}

function requireFewSteps({ count }: Steps): void {
  if (count <= stepsMax) return;
  throw new LogqlMistake(
    'exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter',
  );
}
