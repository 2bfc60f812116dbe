/** Computes range aggregations line by line, in a worker thread. */

import type { LogFilter } from '@tapedeck/log-entries';
import type { Grouping, RangeAggregation, Steps } from '@tapedeck/logql';
import type { EvaluationMessage } from './evaluationProtocol.ts';
import { boundTime, type LokiDeps, streamPortions } from './lists.ts';
import type { MetricWork } from './metricWork.ts';

export type RangeDeps = LokiDeps & { work: MetricWork };

export type RangeQuestion = {
  range: RangeAggregation;
  /** The place of the range in the query. */
  place: number;
  /** The labels to keep, if an outer aggregation says so. */
  grouping: Grouping | null;
  /** `collectSeries` replaces the condition. */
  scope: LogFilter;
  steps: Steps;
};

/** The series stay in the worker until it keeps them. */
export async function evaluateSamples(
  deps: RangeDeps,
  { range, grouping, scope }: Pick<RangeQuestion, 'range' | 'grouping' | 'scope'>,
  signal: AbortSignal,
): Promise<void> {
  const bounded = boundTime(signal);
  const thread = await deps.work.enterThread();
  let work: Promise<unknown> = Promise.resolve();
  /** Returns while the thread works, so that the store can read the next lines meanwhile. */
  const sendNext = async (message: EvaluationMessage) => {
    await work;
    work = thread.ask(message);
    work.catch(() => {}); // the next `await work` throws it
  };
  try {
    await sendNext({ kind: 'sample', range, grouping });
    for await (const portion of streamPortions(deps, { scope, order: 'asc' }, bounded))
      await sendNext({ kind: 'lines', packed: portion });
    await work;
  } finally {
    await work.catch(() => {}); // the thread is free once it has answered
  }
}
