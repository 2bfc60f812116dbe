/** Computes a metric query from what its range aggregations came to. */
import { anchor, compileExpression, expandReplacement } from '../expressions.ts';
import type { LabelReplacement, MetricQuery, RangeAggregation } from '../language/tree.ts';
import { combineOperands, type Operand } from './binary.ts';
import { compareLabels, type Series, type Steps, sortLabels } from './series.ts';
import { aggregateVector, compareValues } from './vectors.ts';

export type RangeResults = ReadonlyMap<RangeAggregation, readonly Series[]>;

/** By their labels; a number without any where the query is one. */
export function evaluateMetric(query: MetricQuery, ranges: RangeResults, steps: Steps): Operand {
  const result = evaluate(query, ranges, steps);
  if (result.kind === 'scalar') return result;
  return {
    kind: 'series',
    series: [...result.series].sort((one, other) => compareLabels(one.labels, other.labels)),
  };
}

/** Whether a list of values at one moment is to be in the order of the values, and in which. */
export function findOrder(query: MetricQuery): 1 | -1 | null {
  if (query.kind !== 'vectorAggregation') return null;
  return query.operation === 'sort' ? 1 : query.operation === 'sort_desc' ? -1 : null;
}

export function sortByValue(series: readonly Series[], sign: 1 | -1): Series[] {
  return [...series].sort((one, other) => compareValues(one.points[0] ?? 0, other.points[0] ?? 0, sign));
}

function evaluate(query: MetricQuery, ranges: RangeResults, steps: Steps): Operand {
  switch (query.kind) {
    case 'range':
      return { kind: 'series', series: ranges.get(query) ?? [] };
    case 'literal':
      return { kind: 'scalar', value: query.value };
    case 'vector':
      return { kind: 'series', series: [{ labels: [], points: Array(steps.count).fill(query.value) }] };
    case 'vectorAggregation':
      return { kind: 'series', series: aggregateVector(query, readSeries(query.operand, ranges, steps)) };
    case 'labelReplace':
      return { kind: 'series', series: replaceLabels(query, readSeries(query.operand, ranges, steps)) };
    case 'binary':
      return combineOperands(
        query,
        evaluate(query.left, ranges, steps),
        evaluate(query.right, ranges, steps),
      );
  }
}

function readSeries(query: MetricQuery, ranges: RangeResults, steps: Steps): readonly Series[] {
  const operand = evaluate(query, ranges, steps);
  if (operand.kind === 'series') return operand.series;
  return [{ labels: [], points: Array(steps.count).fill(operand.value) }];
}

function replaceLabels(
  { target, replacement, source, expression }: LabelReplacement,
  operand: readonly Series[],
): Series[] {
  const compiled = compileExpression(anchor(expression));
  return operand.map(({ labels, points }) => {
    const found = compiled.find(labels.find(([name]) => name === source)?.[1] ?? '');
    if (found === null) return { labels, points };
    const value = expandReplacement(replacement, found.groups, new Map(found.named));
    return { labels: sortLabels([...labels.filter(([name]) => name !== target), [target, value]]), points };
  });
}
