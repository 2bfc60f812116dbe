/** Computes range aggregations line by line, in a worker thread. */

import type { LogFilter } from '@tapedeck/log-entries';
import type { Grouping, RangeAggregation, Series, Steps } from '@tapedeck/logql';
import type { EvaluationMessage } from './evaluationProtocol.ts';
import { boundTime, type LokiDeps, streamPortions } from './lists.ts';

export type RangeQuestion = {
  range: RangeAggregation;
  /** The labels to keep, if an outer aggregation says so. */
  grouping: Grouping | null;
  /** `findSamples` replaces the condition. */
  scope: LogFilter;
  steps: Steps;
};

const seriesMax = 50_000;
const samplesMax = 3_000_000; // of parsed lines: a few hundred megabytes
/** For all series together, including steps without a value: a hundred megabytes. */
export const spreadPointsMax = 12_000_000;

export async function evaluateSamples(
  deps: LokiDeps,
  question: RangeQuestion,
  signal: AbortSignal,
): Promise<readonly Series[]> {
  const { range, grouping, scope, steps } = question;
  const bounded = boundTime(signal);
  using thread = await deps.evaluationThreads.enter(scope.project, bounded);
  const limits = { seriesMax, samplesMax, pointsMax: spreadPointsMax };
  let work: Promise<unknown> = Promise.resolve();
  /** Returns while the thread works, so that the store can read the next lines meanwhile. */
  const askNext = async (message: EvaluationMessage) => {
    await work;
    work = thread.ask(message);
    work.catch(() => {}); // the next `await work` throws it
  };
  try {
    await askNext({ kind: 'open', task: { kind: 'samples', range, grouping, steps, limits } });
    for await (const portion of streamPortions(deps, { scope, order: 'asc' }, bounded))
      await askNext({ kind: 'lines', packed: portion });
    await work;
  } finally {
    await work.catch(() => {}); // the thread is free once it has answered
  }
  const answer = await thread.ask({ kind: 'finish' });
  if (answer.kind !== 'series') throw new Error('series were asked for');
  return answer.series;
}
