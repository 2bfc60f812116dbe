/** Aggregates series at each step: `sum`, `topk` and others. */
import type { VectorAggregation, VectorOperation } from '../language/tree.ts';
import { average, variance } from './rangeFunctions.ts';
import { type Aliases, chooseLabels, keyOfLabels, type Series } from './series.ts';

export function aggregateVector(
  aggregation: VectorAggregation,
  operand: readonly Series[],
  aliases: Aliases,
): Series[] {
  const { operation, grouping, parameter } = aggregation;
  if (operation === 'sort') return sortByValue(operand, 1);
  if (operation === 'sort_desc') return sortByValue(operand, -1);
  const groups = Map.groupBy(operand, ({ labels }) => keyOfLabels(chooseLabels(labels, grouping, aliases)));
  if (operation === 'topk' || operation === 'approx_topk' || operation === 'bottomk') {
    const sign = operation === 'bottomk' ? 1 : -1;
    return [...groups.values()].flatMap(group => chooseExtremes(group, parameter ?? 1, sign));
  }
  const combine = combinations[operation];
  return [...groups.values()].map(group => ({
    labels: chooseLabels(group[0]?.labels ?? [], grouping, aliases),
    points: mapSteps(group, values => (values.length === 0 ? null : combine(values))),
  }));
}

/** Sorts by the value of the first step. Only instant queries have a meaningful order. */
function sortByValue(series: readonly Series[], sign: 1 | -1): Series[] {
  return [...series].sort((one, other) => compareValues(one.points[0] ?? 0, other.points[0] ?? 0, sign));
}

type Combining = Exclude<VectorOperation, 'topk' | 'approx_topk' | 'bottomk' | 'sort' | 'sort_desc'>;

const combinations: Readonly<Record<Combining, (values: number[]) => number>> = {
  sum: values => values.reduce((total, value) => total + value, 0),
  avg: average,
  min: values => values.reduce((least, value) => (value < least || Number.isNaN(least) ? value : least)),
  max: values => values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most)),
  count: values => values.length,
  stdvar: variance,
  stddev: values => Math.sqrt(variance(values)),
};

/** Computes a value from all series at each step. */
function mapSteps(group: readonly Series[], compute: (values: number[]) => number | null): (number | null)[] {
  const count = group[0]?.points.length ?? 0;
  const computed: (number | null)[] = [];
  for (let step = 0; step < count; step++) {
    const values: number[] = [];
    for (const { points } of group) {
      const value = points[step];
      if (value !== null && value !== undefined) values.push(value);
    }
    computed.push(compute(values));
  }
  return computed;
}

/** Keeps the largest or smallest values. Among equal values, the first by labels win. */
function chooseExtremes(group: readonly Series[], number: number, sign: 1 | -1): Series[] {
  const count = group[0]?.points.length ?? 0;
  const chosen = group.map(() => Array<number | null>(count).fill(null));
  for (let step = 0; step < count; step++) {
    const present: { index: number; value: number }[] = [];
    for (const [index, { points }] of group.entries()) {
      const value = points[step];
      if (value !== null && value !== undefined) present.push({ index, value });
    }
    present.sort((one, other) => compareValues(one.value, other.value, sign));
    for (const { index, value } of present.slice(0, number)) {
      const points = chosen[index];
      if (points !== undefined) points[step] = value;
    }
  }
  return group.flatMap(({ labels }, index) => {
    const points = chosen[index] ?? [];
    return points.some(point => point !== null) ? [{ labels, points }] : [];
  });
}

/** Compares values; NaN comes last. */
function compareValues(one: number, other: number, sign: 1 | -1): number {
  if (Number.isNaN(one) || Number.isNaN(other))
    return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return one === other ? 0 : one < other ? -sign : sign;
}
