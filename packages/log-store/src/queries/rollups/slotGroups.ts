/** Counts of entries in one part, as running totals over time, so that a sum over any time takes two lookups. */
import type { LogFilter } from '@tapedeck/log-entries';
import { compileCondition, MatchableEntry } from '@tapedeck/log-query-language';
import { slotMicros } from '../../writer/schema/schema.ts';
import type { Span } from '../slots.ts';
import type { KeptField } from './keptSlots.ts';

export type FieldValues = [dataset: string, level: string, resource: string];

/** A row of kept counts: the slot begins at that Unix second. */
export type SlotRow = [...FieldValues, second: number, entries: number];

type Fields = Readonly<Record<KeptField, string>>;

/** The entries with the same fields. A total counts those at the time at the same place in `micros`, and before. */
export type CountedGroup = { key: string; fields: Fields; micros: Float64Array; totals: Uint32Array };

type Counted = { filter: LogFilter; field: KeptField; span: Span; sign?: 1 | -1 };

const secondMicros = 1_000_000;

/** Counts the entries of a slot at its beginning. */
export function groupRows(rows: readonly SlotRow[]): CountedGroup[] {
  const inOrder = rows.toSorted((one, other) => one[3] - other[3]);
  const byFields = Map.groupBy(
    inOrder,
    ([dataset, level, resource]) => describeGroup([dataset, level, resource]).key,
  );
  return [...byFields.values()].map(group => {
    const [[dataset, level, resource]] = group as [SlotRow]; // never empty
    let total = 0;
    return {
      ...describeGroup([dataset, level, resource]),
      micros: Float64Array.from(group, row => row[3] * secondMicros),
      totals: Uint32Array.from(group, row => (total += row[4])),
    };
  });
}

/** Counts each entry at its own time. */
export function groupTimes(values: FieldValues, micros: Float64Array): CountedGroup {
  return {
    ...describeGroup(values),
    micros: micros.sort(),
    totals: Uint32Array.from(micros, (_, place) => place + 1),
  };
}

function describeGroup([dataset, level, resource]: FieldValues): Pick<CountedGroup, 'key' | 'fields'> {
  return { key: `${level} ${dataset} ${resource}`, fields: { dataset, level, resource } };
}

/** Adds the entries of matching groups in the time span to the counts of their values, or subtracts them. */
export function addGroups(
  counts: Map<string, number>,
  groups: readonly CountedGroup[],
  { filter, field, span, sign = 1 }: Counted,
): void {
  const isMatch = compileCondition(filter.condition);
  const matches = new Map<string, boolean>(); // each part has the same groups
  for (const group of groups) {
    const { key, fields } = group;
    let isCounted = matches.get(key);
    if (isCounted === undefined) {
      const isOfDataset = filter.datasets === null || filter.datasets.includes(fields.dataset);
      isCounted = isOfDataset && isMatch(new MatchableEntry({ ...emptyEntry, ...fields }));
      matches.set(key, isCounted);
    }
    if (isCounted) addTo(counts, fields[field], sign * sumBetween(group, span));
  }
}

/** Conditions on other fields are never evaluated by kept counts. */
const emptyEntry = { traceId: '', parentId: '', body: '', pattern: '', metadata: {} };

export function addTo(counts: Map<string, number>, value: string, entries: number): void {
  const total = (counts.get(value) ?? 0) + entries;
  if (total === 0) counts.delete(value);
  else counts.set(value, total);
}

/** Counts the entries in all slots that the piece touches. */
export function countInSlots(groups: readonly CountedGroup[], { fromMicros, toMicros }: Span): number {
  const slots = { fromMicros: Math.floor((fromMicros ?? 0) / slotMicros) * slotMicros, toMicros };
  return groups.reduce((sum, group) => sum + sumBetween(group, slots), 0);
}

function sumBetween(group: CountedGroup, { fromMicros, toMicros }: Span): number {
  const from = fromMicros ?? 0;
  const to = toMicros ?? Number.POSITIVE_INFINITY;
  return to <= from ? 0 : sumBefore(group, to) - sumBefore(group, from);
}

function sumBefore({ micros, totals }: CountedGroup, end: number): number {
  let low = 0;
  let high = micros.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((micros[middle] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return totals[low - 1] ?? 0;
}

export function sumRows(groups: readonly CountedGroup[]): number {
  return groups.reduce((sum, { micros }) => sum + micros.length, 0);
}
