/** Computes range aggregations line by line, in a thread of their own. */

import type { LogFilter } from '@tapedeck/log-entries';
import type { Grouping, RangeAggregation, Series, Steps } from '@tapedeck/logql';
import type { EvaluationMessage } from './evaluationProtocol.ts';
import { boundTime, type LokiDeps, streamPortions } from './lists.ts';

export type RangeQuestion = {
  range: RangeAggregation;
  /** The labels that stay, if an aggregation around it says so. */
  grouping: Grouping | null;
  /** The condition is left out of consideration. */
  scope: LogFilter;
  steps: Steps;
};

const seriesMax = 50_000;
const samplesMax = 3_000_000; // of parsed lines: some hundred megabytes
/** Of all series together, steps without a value included: a hundred megabytes. */
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
  /** While the thread works, the next lines are read. */
  const askNext = async (message: EvaluationMessage) => {
    await work;
    work = thread.ask(message);
    work.catch(() => {}); // the next caller that waits for it is told
  };
  try {
    await askNext({ kind: 'open', task: { kind: 'samples', range, grouping, steps, limits } });
    for await (const portion of streamPortions(deps, { scope, order: 'asc' }, bounded))
      await askNext({ kind: 'lines', packed: portion });
    await work;
  } finally {
    await work.catch(() => {}); // the thread is free when it has answered
  }
  const answer = await thread.ask({ kind: 'finish' });
  if (answer.kind !== 'series') throw new Error('series were asked for');
  return answer.series;
}
