/** Computes range aggregations: in the log store where it can, else line by line. */

import type {
  LogField,
  LogFilter,
  LogWindowsQuestion,
  SplitWindows,
  WindowMeasure,
} from '@tapedeck/log-entries';
import { allOf, anyOf, type Condition, type TextField } from '@tapedeck/log-query-language';
import {
  type Grouping,
  invertPresence,
  keyOfLabels,
  type Label,
  LogqlMistake,
  leaveLineFormatsOut,
  listFilterLabels,
  type RangeAggregation,
  type Series,
  type Steps,
  sortLabels,
} from '@tapedeck/logql';
import { type LabelFields, openLabelFields } from './labelFields.ts';
import { listMetadata, streamLabels, toLine, unknownService } from './lineLabels.ts';
import { boundTime, type LokiDeps, streamPortions } from './lists.ts';
import { isNoNumber, planStages } from './stagePlans.ts';

type RangeQuestion = {
  range: RangeAggregation;
  /** What is left of the labels, where something around the aggregation says so. */
  grouping: Grouping | null;
  /** The condition is left out of consideration. */
  scope: LogFilter;
  steps: Steps;
};

const pointsMax = 200_000; // windows with something in them: some ten megabytes
const wholePointsMax = 50_000; // with all metadata of each: as much
const seriesMax = 50_000;
const samplesMax = 3_000_000; // of parsed lines: some hundred megabytes

export async function findSamples(
  deps: LokiDeps,
  asked: RangeQuestion,
  signal: AbortSignal,
): Promise<readonly Series[]> {
  const question = { ...asked, range: leaveLineFormatsOut(asked.range) };
  const { range, steps } = question;
  const scope = { ...question.scope, ...findSpan(range, steps) };
  const fields = openLabelFields(deps, scope, signal);
  const plan = await planStages(range.query, fields);
  const measure = plan.isWhole ? await findMeasure(range, fields) : null;
  const numbers = [...plan.numbers, ...listMeasured(measure)];
  if (measure === null || !(await areNumbers(deps, { ...scope, condition: plan.wider }, { numbers, signal })))
    return evaluateSamples(deps, { ...question, scope: { ...scope, condition: plan.wider } }, signal);
  const planned = { ...question, scope: { ...scope, condition: plan.condition } };
  const found = await askStore(deps, planned, { fields, measure, signal });
  return found ?? evaluateSamples(deps, planned, signal);
}

/** All windows together; the start of a window is no part of it. */
function findSpan({ rangeNs, offsetNs }: RangeAggregation, { firstMicros, stepMicros, count }: Steps) {
  const first = firstMicros - offsetNs / 1000;
  return {
    fromMicros: Math.floor(first - rangeNs / 1000) + 1,
    toMicros: Math.floor(first + stepMicros * (count - 1)),
  };
}

type Statistic = Exclude<WindowMeasure['statistic'], 'count' | 'bytes' | 'quantile'>;

const statistics: Readonly<Partial<Record<RangeAggregation['operation'], Statistic>>> = {
  ...({ rate: 'sum', sum_over_time: 'sum', avg_over_time: 'avg', min_over_time: 'min' } as const),
  ...({ max_over_time: 'max', stddev_over_time: 'stddev', stdvar_over_time: 'stdvar' } as const),
  ...({ first_over_time: 'first', last_over_time: 'last' } as const),
};

/** null: the store cannot. */
async function findMeasure(range: RangeAggregation, fields: LabelFields): Promise<WindowMeasure | null> {
  const { operation, unwrap, parameter } = range;
  if (unwrap === null) return { statistic: operation.startsWith('bytes') ? 'bytes' : 'count' };
  if (unwrap.conversion !== null || !unwrap.filters.every(filter => asksForErrors(listFilterLabels(filter))))
    return null;
  const found = await fields.find(unwrap.label);
  if (found.length !== 1 || found[0]?.kind !== 'metadata') return null;
  if (operation === 'quantile_over_time') {
    const share = parameter ?? 0;
    return share < 0 || share > 1 ? null : { statistic: 'quantile', share, fields: found };
  }
  const statistic = statistics[operation];
  return statistic === undefined ? null : { statistic, fields: found };
}

/** What is no number is looked for before. */
function asksForErrors(labels: readonly string[]): boolean {
  return labels.every(label => label === '__error__');
}

function listMeasured(measure: WindowMeasure | null): TextField[] {
  if (measure === null || !('fields' in measure)) return [];
  return measure.fields.filter(field => field.kind === 'metadata');
}

type Numbers = { numbers: readonly TextField[]; signal: AbortSignal };

/** Whether nothing that is compared or added up is something else. */
async function areNumbers(
  { logQueries }: LokiDeps,
  filter: LogFilter,
  { numbers, signal }: Numbers,
): Promise<boolean> {
  if (numbers.length === 0) return true;
  const others: Condition = anyOf(numbers.map(isNoNumber));
  const condition = allOf([filter.condition, others].filter(({ kind }) => kind !== 'everything'));
  return (await logQueries.countEntries({ ...filter, condition }, signal)) === 0;
}

type Asking = { fields: LabelFields; measure: WindowMeasure; signal: AbortSignal };

/** null: the store's answers do not add up to what is asked. */
async function askStore(
  deps: LokiDeps,
  question: RangeQuestion,
  { fields, measure, signal }: Asking,
): Promise<Series[] | null> {
  const { range, steps, scope } = question;
  const grouping = leaveValueOut(question);
  const isAbsence = range.operation === 'absent_over_time';
  const by = isAbsence ? [] : await listSplits(grouping, fields);
  const windows = {
    firstMicros: Math.floor(steps.firstMicros - range.offsetNs / 1000),
    stepMicros: Math.max(steps.stepMicros, 1),
    rangeMicros: Math.max(Math.floor(range.rangeNs / 1000), 1),
    count: steps.count,
  };
  const most = by === null ? wholePointsMax : pointsMax;
  const asked: LogWindowsQuestion = { windows, by, measure, pointsMax: most };
  const found = await deps.logQueries.findWindows(scope, asked, signal);
  if (found === null) throw tooManyPoints(most);
  const seconds = range.operation === 'rate' || range.operation === 'bytes_rate' ? range.rangeNs / 1e9 : 1;
  const series = found.map(split => readSeries(split, { grouping, count: steps.count, seconds }));
  if (isAbsence) return [invertPresence(range, series[0]?.points ?? Array(steps.count).fill(null))];
  return mergeSeries(series, measure);
}

function tooManyPoints(most: number): LogqlMistake {
  return new LogqlMistake(
    `the query would come to more than ${most} points; group by fewer labels, or ask for a longer step or a shorter time`,
  );
}

function leaveValueOut({ range, grouping }: RangeQuestion): Grouping | null {
  if (range.unwrap === null || (grouping !== null && !grouping.isWithout)) return grouping;
  return { isWithout: true, labels: [...(grouping?.labels ?? []), range.unwrap.label] };
}

async function listSplits(
  grouping: Grouping | null,
  fields: LabelFields,
): Promise<(readonly LogField[])[] | null> {
  if (grouping === null || grouping.isWithout) return null;
  return Promise.all(grouping.labels.map(label => fields.find(label)));
}

type Reading = { grouping: Grouping | null; count: number; seconds: number };

function readSeries({ values, points }: SplitWindows, { grouping, count, seconds }: Reading): Series {
  const labels =
    grouping === null || grouping.isWithout
      ? readWhole(values, grouping)
      : readGrouped(values, grouping.labels);
  const all = Array<number | null>(count).fill(null);
  for (const [window, value] of points) all[window] = value / seconds;
  return { labels: sortLabels(labels), points: all };
}

function readGrouped(values: readonly string[], names: readonly string[]): Label[] {
  return names.map((name, index) => {
    const value = values[index] ?? '';
    const isService = name === 'service_name';
    return [name, value === '' && isService ? unknownService : value];
  });
}

/** Dataset, level, resource and metadata, as the store has them. */
function readWhole(
  [dataset = '', level = '', resource = '', json = '{}']: readonly string[],
  grouping: Grouping | null,
): Label[] {
  // As the store writes it.
  const metadata = listMetadata(JSON.parse(json) as Record<string, string>, level);
  const labels: Label[] = [
    ['service_name', resource === '' ? unknownService : resource],
    ['level', level],
    ['dataset', dataset],
    ...metadata.map(
      ([name, value]): Label => [
        streamLabels.some(known => known === name) ? `${name}_extracted` : name,
        value,
      ],
    ),
  ];
  return labels.filter(([name]) => grouping === null || !grouping.labels.includes(name));
}

/** Paths that are spelled alike, and labels that are left out, make series of equal labels. null: these do not add up. */
function mergeSeries(series: readonly Series[], measure: WindowMeasure): Series[] | null {
  const groups = [...Map.groupBy(series, ({ labels }) => keyOfLabels(labels)).values()];
  const isAdding = ['count', 'bytes', 'sum', 'min', 'max'].includes(measure.statistic);
  if (!isAdding && groups.some(group => group.length > 1)) return null;
  const join = measure.statistic === 'min' ? Math.min : measure.statistic === 'max' ? Math.max : add;
  return groups.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const points = first.points.map((point, step) => {
      const values = [point, ...others.map(each => each.points[step] ?? null)].filter(
        value => value !== null,
      );
      return values.length === 0 ? null : values.reduce((one, other) => join(one, other));
    });
    return [{ labels: first.labels, points }];
  });
}

function add(one: number, other: number): number {
  return one + other;
}

async function evaluateSamples(
  deps: LokiDeps,
  question: RangeQuestion,
  signal: AbortSignal,
): Promise<readonly Series[]> {
  const { range, grouping, scope, steps } = question;
  const bounded = boundTime(signal);
  using thread = await deps.evaluationThreads.enter(scope.project, bounded);
  const limits = { seriesMax, samplesMax };
  await thread.ask({ kind: 'open', task: { kind: 'samples', range, grouping, steps, limits } });
  for await (const portion of streamPortions(deps, { scope, order: 'asc' }, bounded))
    await thread.ask({ kind: 'lines', lines: portion.map(toLine) });
  const answer = await thread.ask({ kind: 'finish' });
  if (answer.kind !== 'series') throw new Error('series were asked for');
  return answer.series;
}
