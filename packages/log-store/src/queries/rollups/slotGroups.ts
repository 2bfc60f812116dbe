/** Counts that one part keeps, by slot, in arrays of numbers: thousands of slots are added up in microseconds. */
import type { LogFilter } from '@tapedeck/log-entries';
import { compileCondition, MatchableEntry } from '@tapedeck/log-query-language';
import type { Span } from '../slots.ts';
import type { KeptField } from './keptSlots.ts';

/** A row of kept counts: the slot begins at that Unix second. */
export type SlotRow = [dataset: string, level: string, resource: string, second: number, entries: number];

type Fields = Readonly<Record<KeptField, string>>;

/** The entries with the same fields, by the beginning of their slot. */
export type SlotGroup = { fields: Fields; seconds: Uint32Array; entries: Uint32Array };

type Counted = { filter: LogFilter; field: KeptField; slots: Span };

const secondMicros = 1_000_000;

export function groupRows(rows: readonly SlotRow[]): SlotGroup[] {
  const byFields = Map.groupBy(rows, ([dataset, level, resource]) => `${level} ${dataset} ${resource}`);
  return [...byFields.values()].map(group => {
    const [[dataset, level, resource]] = group as [SlotRow]; // never empty
    return {
      fields: { dataset, level, resource },
      seconds: Uint32Array.from(group, row => row[3]),
      entries: Uint32Array.from(group, row => row[4]),
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
  for (const { fields, seconds, entries } of groups) {
    if (filter.datasets !== null && !filter.datasets.includes(fields.dataset)) continue;
    if (!isMatch(new MatchableEntry({ ...emptyEntry, ...fields }))) continue;
    let sum = 0;
    for (const [place, second] of seconds.entries())
      if (second >= from && second < to) sum += entries[place] ?? 0;
    addTo(counts, fields[field], sum);
  }
}

/** Conditions on other fields are never evaluated by kept counts. */
const emptyEntry = { traceId: '', parentId: '', body: '', pattern: '', metadata: {} };

export function addTo(counts: Map<string, number>, value: string, entries: number): void {
  if (entries > 0) counts.set(value, (counts.get(value) ?? 0) + entries);
}

export function sumRows(groups: readonly SlotGroup[]): number {
  return groups.reduce((sum, { seconds }) => sum + seconds.length, 0);
}
