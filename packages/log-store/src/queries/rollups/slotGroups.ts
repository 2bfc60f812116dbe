/** Counts that one part keeps, as running totals by slot, so that a sum over any time takes two lookups. */
import type { LogFilter } from '@tapedeck/log-entries';
import { compileCondition, MatchableEntry } from '@tapedeck/log-query-language';
import { slotMicros } from '../../writer/schema/schema.ts';
import type { Span } from '../slots.ts';
import type { KeptField } from './keptSlots.ts';

/** A row of kept counts: the slot begins at that Unix second. */
export type SlotRow = [dataset: string, level: string, resource: string, second: number, entries: number];

type Fields = Readonly<Record<KeptField, string>>;

/** The entries with the same fields. A total counts those in the slot that begins at the same place in `seconds`, and before. */
export type SlotGroup = { key: string; fields: Fields; seconds: Uint32Array; totals: Uint32Array };

type Counted = { filter: LogFilter; field: KeptField; slots: Span };

const secondMicros = 1_000_000;

export function groupRows(rows: readonly SlotRow[]): SlotGroup[] {
  const inOrder = rows.toSorted((one, other) => one[3] - other[3]);
  const byFields = Map.groupBy(inOrder, ([dataset, level, resource]) => `${level} ${dataset} ${resource}`);
  return [...byFields].map(([key, group]) => {
    const [[dataset, level, resource]] = group as [SlotRow]; // never empty
    let total = 0;
    return {
      key,
      fields: { dataset, level, resource },
      seconds: Uint32Array.from(group, row => row[3]),
      totals: Uint32Array.from(group, row => (total += row[4])),
    };
  });
}

/** Adds the entries of matching groups in the slots to the counts of their values. */
export function addGroups(
  counts: Map<string, number>,
  groups: readonly SlotGroup[],
  { filter, field, slots }: Counted,
): void {
  const isMatch = compileCondition(filter.condition);
  const from = (slots.fromMicros ?? 0) / secondMicros;
  const to = (slots.toMicros ?? Number.POSITIVE_INFINITY) / secondMicros;
  const matches = new Map<string, boolean>(); // each part has the same groups
  for (const group of groups) {
    const { key, fields } = group;
    let isCounted = matches.get(key);
    if (isCounted === undefined) {
      const isOfDataset = filter.datasets === null || filter.datasets.includes(fields.dataset);
      isCounted = isOfDataset && isMatch(new MatchableEntry({ ...emptyEntry, ...fields }));
      matches.set(key, isCounted);
    }
    if (isCounted) addTo(counts, fields[field], sumBetween(group, from, to));
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
export function countInSlots(groups: readonly SlotGroup[], { fromMicros, toMicros }: Span): number {
  const from = Math.floor((fromMicros ?? 0) / slotMicros) * (slotMicros / secondMicros);
  const to = (toMicros ?? Number.POSITIVE_INFINITY) / secondMicros;
  return groups.reduce((sum, group) => sum + sumBetween(group, from, to), 0);
}

function sumBetween(group: SlotGroup, from: number, to: number): number {
  return to <= from ? 0 : sumBefore(group, to) - sumBefore(group, from);
}

function sumBefore({ seconds, totals }: SlotGroup, end: number): number {
  let low = 0;
  let high = seconds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seconds[middle] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return totals[low - 1] ?? 0;
}

export function sumRows(groups: readonly SlotGroup[]): number {
  return groups.reduce((sum, { seconds }) => sum + seconds.length, 0);
}
