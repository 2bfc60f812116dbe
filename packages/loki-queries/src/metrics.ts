/** Answers metric queries: evaluates each range aggregation, then the expression around them. */

import type { LogFilter } from '@tapedeck/log-entries';
import { LogqlMistake, listGroupedRanges, type Operand, type Steps } from '@tapedeck/logql';
import { boundTime, type LokiDeps } from './lists.ts';
import type { MetricTask } from './metricEvaluation.ts';
import { MetricWork } from './metricWork.ts';
import { collectSeries } from './rangeAggregation.ts';

type MetricQuestion = MetricTask & { scope: LogFilter };

const stepsMax = 11_002; // Loki's 11,000, plus one at each end for ranges widened to whole steps
const rangesMax = 20; // range aggregations of a query; each queries the store

export async function computeMetric(
  deps: LokiDeps,
  { query, scope, steps, isMoment }: MetricQuestion,
  signal: AbortSignal,
): Promise<Operand> {
  requireFewSteps(steps);
  const ranges = listGroupedRanges(query);
  if (ranges.length > rangesMax)
    throw new LogqlMistake(`a query holds at most ${rangesMax} range aggregations`);
  const bounded = boundTime(signal); // for all ranges together
  const task = { query, steps, isMoment };
  using work = new MetricWork(deps.evaluationThreads, { task, project: scope.project, signal: bounded });
  for (const [place, [range, grouping]] of ranges.entries()) {
    bounded.throwIfAborted();
    await collectSeries({ ...deps, work }, { range, place, grouping, scope, steps }, bounded);
  }
  return await work.compute();
}

function requireFewSteps({ count }: Steps): void {
  if (count <= stepsMax) return;
  throw new LogqlMistake(
    'exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter',
  );
}
