/** Computes a metric query from the results of its range aggregations. */
import { compileExpression, expandReplacement } from '../expressions.ts';
import type { LabelReplacement, MetricQuery, RangeAggregation } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { combineOperands, type Operand } from './binary.ts';
import {
  type Aliases,
  compareLabels,
  noAliases,
  readLabel,
  type Series,
  type Steps,
  sortLabels,
} from './series.ts';
import { aggregateVector } from './vectors.ts';
import { Work } from './workLimits.ts';

type RangeResults = ReadonlyMap<RangeAggregation, readonly Series[]>;

type EvaluationOptions = Steps & { isMoment: boolean; pointsMax?: number; aliases?: Aliases };

/**
 * Returns series ordered by labels, or a number if the query is one. As in Loki, an instant query keeps the order of a sort
 * within it. `pointsMax` limits the points that operators read.
 */
export function evaluateMetric(
  query: MetricQuery,
  ranges: RangeResults,
  { isMoment, pointsMax, aliases = noAliases, ...steps }: EvaluationOptions,
): Operand {
  const result = evaluate(query, { ranges, steps, aliases, work: new Work(steps.count, pointsMax) });
  if (result.kind === 'scalar' || (isMoment && holdsSort(query))) return result;
  return { kind: 'series', series: sortByLabels(result.series) };
}

function sortByLabels(series: readonly Series[]): Series[] {
  return [...series].sort((one, other) => compareLabels(one.labels, other.labels));
}

function holdsSort(query: MetricQuery): boolean {
  switch (query.kind) {
    case 'vectorAggregation':
      return query.operation.startsWith('sort') || holdsSort(query.operand);
    case 'labelReplace':
      return holdsSort(query.operand);
    case 'binary':
      return holdsSort(query.left) || holdsSort(query.right);
    default:
      return false;
  }
}

type Given = { ranges: RangeResults; steps: Steps; aliases: Aliases; work: Work };

function evaluate(query: MetricQuery, given: Given): Operand {
  switch (query.kind) {
    case 'range':
      return { kind: 'series', series: sortByLabels(given.ranges.get(query) ?? []) };
    case 'literal':
      return { kind: 'scalar', value: query.value };
    case 'vector':
      return { kind: 'series', series: [{ labels: [], points: Array(given.steps.count).fill(query.value) }] };
    case 'vectorAggregation':
      return {
        kind: 'series',
        series: aggregateVector(query, readSeries(query.operand, given), given.aliases),
      };
    case 'labelReplace':
      return {
        kind: 'series',
        series: replaceLabels(query, readSeries(query.operand, given), given.aliases),
      };
    case 'binary':
      return combineOperands(query, [evaluate(query.left, given), evaluate(query.right, given)], given);
  }
}

function readSeries(query: MetricQuery, given: Given): readonly Series[] {
  const operand = evaluate(query, given);
  if (operand.kind !== 'series')
    throw new LogqlMistake(
      'unexpected expr type (*syntax.LiteralExpr) for Evaluator type (*logql.DefaultEvaluator)',
    );
  given.work.count(operand.series.length);
  return operand.series;
}

function replaceLabels(
  { target, replacement, source, expression }: LabelReplacement,
  operand: readonly Series[],
  aliases: Aliases,
): Series[] {
  const compiled = compileExpression(`^(?:${expression})$`);
  return operand.map(({ labels, points }) => {
    const found = compiled.find(readLabel(labels, source, aliases) ?? '');
    if (found === null) return { labels, points };
    const value = expandReplacement(replacement, found.groups, new Map(found.named));
    return { labels: sortLabels([...labels.filter(([name]) => name !== target), [target, value]]), points };
  });
}
