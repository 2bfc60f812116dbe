/** Applies operators between series, and between series and numbers. */
import type { Label } from '../labels/labelSet.ts';
import { type BinaryOperation, compareOperators, type VectorMatching } from '../language/tree.ts';
import { LogqlMistake } from '../mistakes.ts';
import { calculate } from './arithmetic.ts';
import { type Aliases, keyOfLabels, pickLabels, readLabel, type Series, sortLabels } from './series.ts';
import type { Work } from './workLimits.ts';

export type Operand = { kind: 'scalar'; value: number } | { kind: 'series'; series: readonly Series[] };

type Matching = VectorMatching & { aliases: Aliases };
type MatchedOperation = BinaryOperation & { matching: Matching };

export function combineOperands(
  query: BinaryOperation,
  [left, right]: readonly [Operand, Operand],
  { aliases, work }: { aliases: Aliases; work: Work },
): Operand {
  const operation = { ...query, matching: { ...query.matching, aliases } };
  for (const operand of [left, right]) if (operand.kind === 'series') work.count(operand.series.length);
  if (left.kind === 'scalar' && right.kind === 'scalar')
    return { kind: 'scalar', value: calculate(operation.operator, left.value, right.value) };
  if (left.kind === 'scalar')
    return withScalar(operation, right, point => ({ left: left.value, right: point }));
  if (right.kind === 'scalar')
    return withScalar(operation, left, point => ({ left: point, right: right.value }));
  const { operator } = operation;
  if (operator === 'and' || operator === 'or' || operator === 'unless')
    return { kind: 'series', series: combineSets(operation, left.series, right.series) };
  return { kind: 'series', series: combineSeries(operation, [left.series, right.series], work) };
}

function isComparison({ operator }: BinaryOperation): boolean {
  return compareOperators.some(each => each === operator);
}

type Sides = { left: number; right: number };

/** Combines series with a number. A comparison keeps the points that it holds for; with `bool`, it returns 1 or 0. */
function withScalar(operation: BinaryOperation, operand: Operand, place: (point: number) => Sides): Operand {
  if (operand.kind === 'scalar') return operand;
  const filters = isComparison(operation) && !operation.isBool;
  const series = operand.series.map(({ labels, points }) => ({
    labels,
    points: points.map(point => {
      if (point === null) return null;
      const { left, right } = place(point);
      const result = calculate(operation.operator, left, right);
      return filters ? (result === 1 ? point : null) : result;
    }),
  }));
  return { kind: 'series', series: series.filter(isThere) };
}

function isThere({ points }: Series): boolean {
  return points.some(point => point !== null);
}

/** Returns the labels by which the two sides match. */
function findSignature({ on, aliases }: Matching, labels: readonly Label[]): readonly Label[] {
  if (on === null) return labels;
  if (on.isIgnoring) return labels.filter(([name]) => !on.labels.includes(name));
  return pickLabels(labels, on.labels, aliases);
}

function keyOf(matching: Matching, { labels }: Series): string {
  return keyOfLabels(findSignature(matching, labels));
}

function combineSets(
  { operator, matching }: MatchedOperation,
  left: readonly Series[],
  right: readonly Series[],
): Series[] {
  const count = Math.max(left[0]?.points.length ?? 0, right[0]?.points.length ?? 0);
  const cover = (side: readonly Series[]) => {
    const steps = new Map<string, boolean[]>();
    for (const series of side) {
      const key = keyOf(matching, series);
      const known = steps.get(key) ?? Array<boolean>(count).fill(false);
      for (const [step, point] of series.points.entries()) if (point !== null) known[step] = true;
      steps.set(key, known);
    }
    return steps;
  };
  const keep = (side: readonly Series[], others: Map<string, boolean[]>, isWanted: boolean) =>
    side
      .map(series => {
        const known = others.get(keyOf(matching, series));
        const points = series.points.map((point, step) =>
          (known?.[step] ?? false) === isWanted ? point : null,
        );
        return { labels: series.labels, points };
      })
      .filter(isThere);
  if (operator === 'and') return keep(left, cover(right), true);
  if (operator === 'unless') return keep(left, cover(right), false);
  return mergeEqual([...left, ...keep(right, cover(left), false)]);
}

/** Merges series with equal labels. Their values are at different steps. */
function mergeEqual(all: readonly Series[]): Series[] {
  const merged = new Map<string, Series>();
  for (const series of all) {
    const key = keyOfLabels(series.labels);
    const known = merged.get(key);
    const points = known?.points.map((point, step) => point ?? series.points[step] ?? null) ?? series.points;
    merged.set(key, { labels: series.labels, points });
  }
  return [...merged.values()];
}

function combineSeries(
  operation: MatchedOperation,
  [left, right]: readonly [readonly Series[], readonly Series[]],
  work: Work,
): Series[] {
  const { matching } = operation;
  const isManyRight = matching.many === 'right';
  const [many, one] = isManyRight ? [right, left] : [left, right];
  const partners = Map.groupBy(one, series => keyOf(matching, series));
  for (const group of partners.values()) requireApart(group, isManyRight ? 'left' : 'right');
  const results = new Map<string, Series>();
  for (const series of many) {
    const found = partners.get(keyOf(matching, series)) ?? [];
    work.count(found.length);
    for (const partner of found) {
      const points = combinePoints(operation, isManyRight ? [partner, series] : [series, partner]);
      const result = { labels: composeLabels(operation, series, partner), points };
      if (isThere(result)) addResult(results, result, matching);
    }
  }
  return [...results.values()];
}

/** Throws if two series on the "one" side have a value at the same step. */
function requireApart(group: readonly Series[], side: 'left' | 'right'): void {
  if (group.length < 2) return;
  const isTwice = group[0]?.points.some(
    (_, step) => group.filter(({ points }) => (points[step] ?? null) !== null).length > 1,
  );
  if (isTwice)
    throw new LogqlMistake(
      `found duplicate series on the ${side} hand-side;many-to-many matching not allowed: matching labels must be unique on one side`,
    );
}

function combinePoints(operation: BinaryOperation, [left, right]: [Series, Series]): (number | null)[] {
  const filters = isComparison(operation) && !operation.isBool;
  return left.points.map((one, step) => {
    const other = right.points[step] ?? null;
    if (one === null || other === null) return null;
    const result = calculate(operation.operator, one, other);
    return filters ? (result === 1 ? one : null) : result;
  });
}

function composeLabels({ matching }: MatchedOperation, many: Series, one: Series): readonly Label[] {
  if (matching.many === null) return findSignature(matching, many.labels);
  const labels = new Map(many.labels);
  for (const name of matching.include) {
    const found = readLabel(one.labels, name, matching.aliases);
    if (found === undefined) labels.delete(name);
    else labels.set(name, found);
  }
  return sortLabels([...labels]);
}

/** Two results at the same step are a mistake: the query must say which side has many. */
function addResult(results: Map<string, Series>, result: Series, { many }: VectorMatching): void {
  const key = keyOfLabels(result.labels);
  const known = results.get(key);
  if (known === undefined) {
    results.set(key, result);
    return;
  }
  const points = known.points.map((point, step) => {
    const other = result.points[step] ?? null;
    if (point !== null && other !== null)
      throw new LogqlMistake(
        many === null
          ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
          : 'multiple matches for labels: grouping labels must ensure unique matches',
      );
    return point ?? other;
  });
  results.set(key, { labels: result.labels, points });
}
