/** Computes range aggregations: in the log store if possible, otherwise line by line. */

import type {
  LogFilter,
  LogWindowsQuestion,
  SplitWindows,
  WindowField,
  WindowMeasure,
} from '@tapedeck/log-entries';
import { allOf, anyOf, type Condition, nothing } from '@tapedeck/log-query-language';
import {
  type Grouping,
  invertPresence,
  listFilterLabels,
  omitUnused,
  type RangeAggregation,
  type Steps,
  tooManyPoints,
} from '@tapedeck/logql';
import { composeSplit } from './composedLabels.ts';
import { type LabelFields, openLabelFields } from './labelFields.ts';
import { evaluateSamples, type RangeDeps, type RangeQuestion } from './lineSamples.ts';
import type { LokiDeps } from './lists.ts';
import { isNoNumber, isValueField } from './memberFields.ts';
import { spreadPointsMax } from './metricEvaluation.ts';
import { findValues } from './parserPlans.ts';
import { type MetadataField, narrow, planStages, type StagePlan } from './stagePlans.ts';
import type { Join } from './windowSeries.ts';

const pointsMax = 200_000; // non-empty windows: tens of megabytes
const wholePointsMax = 50_000; // windows with all metadata: the same size

/** Collects the series of a range for the evaluation of its query. */
export async function collectSeries(
  deps: RangeDeps,
  asked: RangeQuestion,
  signal: AbortSignal,
): Promise<void> {
  const question = { ...asked, range: omitUnused(asked.range, asked.grouping) };
  const { range, steps } = question;
  const scope = { ...question.scope, ...findSpan(range, steps) };
  const fields = openLabelFields(deps, scope, signal);
  const plan = await planStages(range.query, fields);
  if (plan.members !== null && (await aggregateMembers(deps, { ...question, scope }, { plan, signal })))
    return;
  const isConverted = (range.unwrap?.conversion ?? null) !== null;
  const measure = plan.isWhole && !isConverted ? await findMeasure(range, label => fields.find(label)) : null;
  const numbers = [...plan.numbers, ...listMeasured(measure)];
  const wider = { ...question, scope: { ...scope, condition: plan.wider } };
  if (
    measure === null ||
    (await isFasterSampled(deps, wider, { measure, signal })) ||
    !(await areNumbers(deps, wider.scope, { numbers, signal }))
  )
    return collectSamples(
      deps,
      { ...question, scope: { ...scope, condition: narrow(plan.wider, plan) } },
      signal,
    );
  const planned = { ...question, scope: { ...scope, condition: plan.condition } };
  if (!(await aggregateInStore(deps, planned, { fields, measure, signal })))
    await collectSamples(deps, planned, signal);
}

async function collectSamples(deps: RangeDeps, question: RangeQuestion, signal: AbortSignal): Promise<void> {
  await evaluateSamples(deps, question, signal);
  await deps.work.keep(question.place, null); // each series is there once
}

/** Returns the time range of all windows together. A window excludes its start. */
function findSpan({ rangeNs, offsetNs }: RangeAggregation, { firstMicros, stepMicros, count }: Steps) {
  const first = firstMicros - offsetNs / 1000;
  return {
    fromMicros: Math.floor(first - rangeNs / 1000) + 1,
    toMicros: Math.floor(first + stepMicros * (count - 1)),
  };
}

const overlapMax = 30; // windows that contain an entry; the store reads the entry once for each
const sampledMax = 2_500_000; // a thread takes 3,000,000

/** Whether a thread takes less time than the store because many windows contain the same entries. */
async function isFasterSampled(
  { logQueries }: LokiDeps,
  { range, steps, scope }: RangeQuestion,
  { measure, signal }: { measure: WindowMeasure; signal: AbortSignal },
): Promise<boolean> {
  if (chooseJoin(measure) !== null || range.rangeNs / 1000 <= overlapMax * steps.stepMicros) return false;
  return steps.count > overlapMax && (await logQueries.countEntries(scope, signal)) <= sampledMax;
}

type Statistic = Exclude<WindowMeasure['statistic'], 'count' | 'bytes' | 'quantile'>;

const statistics: Readonly<Partial<Record<RangeAggregation['operation'], Statistic>>> = {
  ...({ rate: 'sum', sum_over_time: 'sum', avg_over_time: 'avg', min_over_time: 'min' } as const),
  ...({ max_over_time: 'max', stddev_over_time: 'stddev', stdvar_over_time: 'stdvar' } as const),
  ...({ first_over_time: 'first', last_over_time: 'last' } as const),
};

type FindFields = (label: string) => Promise<readonly WindowField[] | null>;

/** The units of converted values; `float` reads plain numbers. */
const units = { bytes: 'bytes', duration: 'seconds', duration_seconds: 'seconds', float: null } as const;

/** Returns null if the store has no such measure. */
async function findMeasure(range: RangeAggregation, find: FindFields): Promise<WindowMeasure | null> {
  const { operation, unwrap, parameter } = range;
  if (unwrap === null) return { statistic: operation.startsWith('bytes') ? 'bytes' : 'count' };
  if (!unwrap.filters.every(filter => readsOnlyErrors(listFilterLabels(filter)))) return null;
  const found = await find(unwrap.label);
  if (found === null || !found.every(isValueField)) return null;
  if (found.length !== 1 && found.every(({ kind }) => kind === 'metadata')) return null;
  if (operation === 'quantile_over_time') {
    const share = parameter ?? 0;
    return share < 0 || share > 1 ? null : { statistic: 'quantile', share, fields: found };
  }
  const statistic = statistics[operation];
  return statistic === undefined ? null : { statistic, fields: found };
}

/** Whether a filter reads only errors. `areNumbers` looks for values that are not numbers. */
function readsOnlyErrors(labels: readonly string[]): boolean {
  return labels.every(label => label === '__error__');
}

function listMeasured(measure: WindowMeasure | null): MetadataField[] {
  if (measure === null || !('fields' in measure)) return [];
  return measure.fields.filter(field => field.kind === 'metadata');
}

type Numbers = { numbers: readonly MetadataField[]; signal: AbortSignal };

/** Whether all values that the query compares or adds up are numbers. */
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

/** Returns false if the store's answers do not add up to the requested series. */
async function aggregateInStore(
  deps: RangeDeps,
  question: RangeQuestion,
  { fields, measure, signal }: Asking,
): Promise<boolean> {
  const { range, place } = question;
  const grouping = omitValue(question);
  const isAbsence = range.operation === 'absent_over_time';
  const by = isAbsence ? [] : await listSplits(grouping, label => fields.find(label));
  const found = await findWindows(deps, question, { by, measure, apart: null, signal });
  if (isAbsence) return keepAbsence(deps, question, found);
  await deps.work.takeWindows(found, { ...range, grouping });
  return deps.work.keep(place, chooseJoin(measure));
}

async function keepAbsence(
  { work }: RangeDeps,
  { range, place, steps }: RangeQuestion,
  [found]: readonly SplitWindows[],
): Promise<true> {
  const points = Array<number | null>(steps.count).fill(null);
  for (const [window, value] of found?.points ?? []) points[window] = value;
  await work.takeSeries([invertPresence(range, points)]);
  await work.keep(place, null);
  return true;
}

type Windows = Pick<LogWindowsQuestion, 'by' | 'measure' | 'apart'> & { signal: AbortSignal };

async function findWindows(
  { logQueries }: LokiDeps,
  { range, steps, scope }: RangeQuestion,
  { by, measure, apart, signal }: Windows,
): Promise<readonly SplitWindows[]> {
  const windows = {
    firstMicros: Math.floor(steps.firstMicros - range.offsetNs / 1000),
    stepMicros: Math.max(steps.stepMicros, 1),
    rangeMicros: Math.max(Math.floor(range.rangeNs / 1000), 1),
    count: steps.count,
  };
  const most = by === null ? wholePointsMax : pointsMax;
  const found = await logQueries.findWindows(scope, { windows, by, apart, measure, pointsMax: most }, signal);
  if (found === null) throw tooManyPoints(most);
  if (found.length * steps.count > spreadPointsMax) throw tooManyPoints(spreadPointsMax);
  return found;
}

/** Lets the store evaluate lines, except for those with doubtful JSON, which a thread parses. Returns false if a thread must parse all. */
async function aggregateMembers(
  deps: RangeDeps,
  question: RangeQuestion,
  { plan, signal }: { plan: StagePlan; signal: AbortSignal },
): Promise<boolean> {
  const { range, grouping, scope, place } = question;
  if (plan.members === null || !plan.members.isWhole) return false;
  if (grouping === null || grouping.isWithout) return false;
  const { exact, members } = plan.members;
  if (members.line !== null && range.operation.startsWith('bytes')) return false; // the store measures lines as they are
  const isAbsence = range.operation === 'absent_over_time';
  const by = isAbsence ? [] : await listSplits(grouping, label => members.findTexts(label));
  const unit = units[range.unwrap?.conversion ?? 'float'];
  const measure = await findMeasure(range, label => findValues(label, members, unit));
  if (by === null || measure === null) return false;
  const wider = { ...question, scope: { ...scope, condition: plan.wider } };
  if (await isFasterSampled(deps, wider, { measure, signal })) return false;
  for (const field of plan.numbers) members.doubt(isNoNumber(field));
  const { doubts, mustBeRead } = members;
  const possible = mustBeRead === nothing ? exact : anyOf([exact, mustBeRead]); // checking doubts takes longest, so the store does it last
  const ofThese = (condition: Condition) => ({ ...scope, condition: allOf([plan.wider, condition]) });
  const planned = { ...question, scope: ofThese(possible) };
  const found = await findWindows(deps, planned, {
    by,
    measure,
    apart: doubts === nothing ? null : doubts,
    signal,
  });
  const isInDoubt = found.some(({ isApart }) => isApart);
  const join = chooseJoin(measure);
  if (isInDoubt && (join === null || isAbsence)) return false;
  if (isAbsence) return keepAbsence(deps, question, found);
  await deps.work.takeWindows(
    found.filter(({ isApart }) => !isApart),
    { ...range, grouping },
  );
  if (isInDoubt)
    await evaluateSamples(deps, { ...question, scope: ofThese(allOf([doubts, possible])) }, signal);
  return deps.work.keep(place, join);
}

function omitValue({ range, grouping }: RangeQuestion): Grouping | null {
  if (range.unwrap === null || (grouping !== null && !grouping.isWithout)) return grouping;
  return { isWithout: true, labels: [...(grouping?.labels ?? []), range.unwrap.label] };
}

/** Returns null for grouping by everything, or by labels unknown to the store. */
async function listSplits(
  grouping: Grouping | null,
  find: FindFields,
): Promise<(readonly WindowField[])[] | null> {
  if (grouping === null || grouping.isWithout) return null;
  const found = await Promise.all(grouping.labels.map(find));
  const known = found.filter(fields => fields !== null);
  return known.length === found.length ? known.map(composeSplit) : null;
}

/** Returns null if values of this measure cannot be joined. */
function chooseJoin({ statistic }: WindowMeasure): Join | null {
  if (statistic === 'min' || statistic === 'max') return statistic;
  return ['count', 'bytes', 'sum'].includes(statistic) ? 'add' : null;
}
