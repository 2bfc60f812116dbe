/** Collects the series of a metric query's ranges, and computes its result. Small queries are evaluated in the main thread, others in a worker. */

import type { SplitWindows } from '@tapedeck/log-entries';
import {
  compileSampler,
  evaluateMetric,
  type Grouping,
  type Line,
  listGroupedRanges,
  type MetricQuery,
  type Operand,
  type RangeAggregation,
  RangeCollection,
  type Sampler,
  type Series,
  type Steps,
  tooManyPoints,
  tooManySeries,
} from '@tapedeck/logql';
import { aliases } from './lineLabels.ts';
import { type Join, mergeSeries, readSeries, type WindowReading } from './windowSeries.ts';

export type MetricTask = {
  query: MetricQuery;
  steps: Steps;
  /** True for an instant query, false for a range query. */
  isMoment: boolean;
};

const seriesMax = 500; // Loki's limit per answer
const parsedSeriesMax = 50_000;
const samplesMax = 3_000_000; // of parsed lines: a few hundred megabytes
/** For all series together, including steps without a value: a hundred megabytes. */
export const spreadPointsMax = 12_000_000;

type Sampling = { sample: Sampler; collection: RangeCollection };

export class MetricEvaluation {
  readonly #task: MetricTask;
  readonly #ranges: readonly RangeAggregation[];
  /** Series of the next range. */
  #pending: Series[] = [];
  #sampling: Sampling | null = null;
  readonly #kept = new Map<RangeAggregation, readonly Series[]>();
  #series = 0;

  constructor(task: MetricTask) {
    this.#task = task;
    this.#ranges = listGroupedRanges(task.query).map(([range]) => range);
  }

  /** The number of series so far. */
  get size(): number {
    return this.#series + this.#pending.length;
  }

  get pending(): readonly Series[] {
    return this.#pending;
  }

  /** Lists the kept ranges by their place in the query. */
  listKept(): [place: number, series: readonly Series[]][] {
    return [...this.#kept].map(([range, series]) => [this.#ranges.indexOf(range), series]);
  }

  takeWindows(windows: readonly Pick<SplitWindows, 'values' | 'points'>[], reading: WindowReading): void {
    for (const each of windows) this.#pending.push(readSeries(each, reading, this.#task.steps.count));
  }

  takeSeries(series: readonly Series[]): void {
    for (const each of series) this.#pending.push(each);
  }

  beginSampling(range: RangeAggregation, grouping: Grouping | null): void {
    const limits = { seriesMax: parsedSeriesMax, samplesMax, pointsMax: spreadPointsMax };
    this.#sampling = {
      sample: compileSampler(range, { aliases, grouping }),
      collection: new RangeCollection(range, limits),
    };
  }

  takeLines(lines: readonly Line[]): void {
    if (this.#sampling === null) throw new Error('no range is being sampled');
    const { sample, collection } = this.#sampling;
    for (const line of lines) {
      const found = sample(line);
      if (found !== null) collection.add(found.labels, { micros: line.micros, value: found.value });
    }
  }

  /** Merges the series taken since the last call into those of a range. Returns false, and forgets them, if equal ones cannot be joined. */
  keep(place: number, join: Join | null): boolean {
    const { steps } = this.#task;
    const sampled = this.#sampling?.collection.compute(steps) ?? [];
    const merged = mergeSeries([...this.#pending, ...sampled], join);
    this.#pending = [];
    this.#sampling = null;
    if (merged === null) return false;
    const range = this.#ranges[place];
    if (range === undefined) throw new Error('the query has no such range');
    this.#series += merged.length;
    if (this.#series * steps.count > spreadPointsMax) throw tooManyPoints(spreadPointsMax);
    this.#kept.set(range, merged);
    return true;
  }

  /** `pointsMax` limits the points that operators read. */
  compute(pointsMax?: number): Operand {
    const { query, steps, isMoment } = this.#task;
    const operand = evaluateMetric(query, this.#kept, {
      ...steps,
      isMoment,
      aliases,
      ...(pointsMax !== undefined && { pointsMax }),
    });
    if (operand.kind === 'series' && operand.series.length > seriesMax) throw tooManySeries(seriesMax);
    return operand;
  }
}
