/**
 * The evaluation of a metric query, seen from the main thread. A worker does it if the query has many series or points: sorting and
 * grouping them would block all other requests.
 */

import type { SplitWindows } from '@tapedeck/log-entries';
import { type Operand, type Series, TooManyRead } from '@tapedeck/logql';
import type { EvaluationThread, EvaluationThreads } from './evaluationThreads.ts';
import { MetricEvaluation, type MetricTask } from './metricEvaluation.ts';
import { unpackOperand } from './packedOperand.ts';
import type { Join, WindowReading } from './windowSeries.ts';

const seriesHereMax = 500;
const pointsHereMax = 50_000; // including steps without a value: some milliseconds
const readHereMax = 300_000; // by operators: some milliseconds
const portionPointsMax = 5_000; // writing them takes about a millisecond

type MetricWorkOptions = { task: MetricTask; project: string; signal: AbortSignal };

type Windows = Pick<SplitWindows, 'values' | 'points'>;

export class MetricWork implements Disposable {
  readonly #threads: EvaluationThreads;
  readonly #options: MetricWorkOptions;
  readonly #here: MetricEvaluation;
  #thread: EvaluationThread | null = null;

  constructor(threads: EvaluationThreads, options: MetricWorkOptions) {
    this.#threads = threads;
    this.#options = options;
    this.#here = new MetricEvaluation(options.task);
  }

  /** Takes windows of the next range. */
  async takeWindows(windows: readonly Windows[], reading: WindowReading): Promise<void> {
    const series = this.#here.size + windows.length;
    const isSmall = series <= seriesHereMax && series * this.#options.task.steps.count <= pointsHereMax;
    if (this.#thread === null && isSmall) return this.#here.takeWindows(windows, reading);
    const thread = await this.enterThread();
    for (const portion of divide(windows))
      await thread.ask({ kind: 'windows', packed: JSON.stringify(portion), reading });
  }

  /** Takes a few series of the next range. */
  async takeSeries(series: readonly Series[]): Promise<void> {
    if (this.#thread === null) this.#here.takeSeries(series);
    else await this.#thread.ask({ kind: 'series', series });
  }

  /** Merges the series taken since the last call into those of a range. Returns false, and forgets them, if equal ones cannot be joined. */
  async keep(place: number, join: Join | null): Promise<boolean> {
    if (this.#thread === null) return this.#here.keep(place, join);
    const answer = await this.#thread.ask({ kind: 'keep', place, join });
    if (answer.kind !== 'kept') throw new Error('a range was to be kept');
    return answer.isKept;
  }

  async compute(): Promise<Operand> {
    if (this.#thread === null)
      try {
        return this.#here.compute(readHereMax);
      } catch (error) {
        if (!(error instanceof TooManyRead)) throw error;
      }
    const thread = await this.enterThread();
    const answer = await thread.ask({ kind: 'finish' });
    if (answer.kind !== 'operand') throw new Error('a result was asked for');
    return unpackOperand(answer.packed);
  }

  /** Moves the evaluation to a worker. */
  async enterThread(): Promise<EvaluationThread> {
    if (this.#thread !== null) return this.#thread;
    const { task, project, signal } = this.#options;
    const thread = await this.#threads.enter(project, signal);
    this.#thread = thread;
    await thread.ask({ kind: 'open', task: { kind: 'metric', ...task } });
    for (const [place, series] of this.#here.listKept()) {
      await thread.ask({ kind: 'series', series });
      await thread.ask({ kind: 'keep', place, join: null });
    }
    await thread.ask({ kind: 'series', series: this.#here.pending });
    return thread;
  }

  [Symbol.dispose](): void {
    this.#thread?.[Symbol.dispose]();
  }
}

/** Divides windows into portions that are written quickly. */
function* divide(windows: readonly Windows[]): Generator<Windows[]> {
  let portion: Windows[] = [];
  let points = 0;
  for (const { values, points: own } of windows) {
    portion.push({ values, points: own });
    points += own.length + values.length;
    if (points < portionPointsMax) continue;
    yield portion;
    portion = [];
    points = 0;
  }
  if (portion.length > 0) yield portion;
}
