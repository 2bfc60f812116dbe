/** Turns windows from the log store into series, and merges series with equal labels. */

import type { SplitWindows } from '@tapedeck/log-entries';
import {
  type Grouping,
  keyOfLabels,
  type Label,
  type RangeAggregation,
  type Series,
  sortLabels,
  toSeconds,
} from '@tapedeck/logql';
import { listMetadata, unknownService } from './lineLabels.ts';

export type WindowReading = Pick<RangeAggregation, 'operation' | 'rangeNs'> & { grouping: Grouping | null };

/** Combines two values of the same step. */
export type Join = 'add' | 'min' | 'max';

const joins: Readonly<Record<Join, (one: number, other: number) => number>> = {
  add: (one, other) => one + other,
  min: Math.min,
  max: Math.max,
};

export function readSeries(
  { values, points }: Pick<SplitWindows, 'values' | 'points'>,
  { operation, rangeNs, grouping }: WindowReading,
  steps: number,
): Series {
  const seconds = operation === 'rate' || operation === 'bytes_rate' ? toSeconds(rangeNs) : 1;
  const labels =
    grouping === null || grouping.isWithout
      ? readWhole(values, grouping)
      : readGrouped(values, grouping.labels);
  const all = Array<number | null>(steps).fill(null);
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

/** Reads dataset, level, resource and metadata as the store returns them. */
function readWhole(
  [dataset = '', level = '', resource = '', json = '{}']: readonly string[],
  grouping: Grouping | null,
): Label[] {
  // The store writes metadata as JSON of this type.
  const metadata = listMetadata(JSON.parse(json) as Record<string, string>, level);
  const labels: Label[] = [
    ['service_name', resource === '' ? unknownService : resource],
    ['level', level],
    ['dataset', dataset],
    ...metadata,
  ];
  return labels.filter(([name]) => grouping === null || !grouping.labels.includes(name));
}

/**
 * Merges series with equal labels, which paths of equal spelling and dropped labels cause. null: two series are equal, but their
 * values cannot be joined.
 */
export function mergeSeries(series: readonly Series[], join: Join | null): Series[] | null {
  const merged = new Map<string, Series>();
  for (const each of series) {
    const key = keyOfLabels(each.labels);
    const known = merged.get(key);
    if (known !== undefined && join === null) return null;
    merged.set(key, known === undefined || join === null ? each : joinSeries([known, each], join));
  }
  return [...merged.values()];
}

function joinSeries([one, other]: readonly [Series, Series], join: Join): Series {
  const combine = joins[join];
  const points = one.points.map((point, step) => {
    const another = other.points[step] ?? null;
    return point === null || another === null ? (point ?? another) : combine(point, another);
  });
  return { labels: one.labels, points };
}
