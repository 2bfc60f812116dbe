/** Describes a saved search in words. */
import { capitalize } from '../../format/capitals.ts';
import type { Zone } from '../../format/times.ts';
import { readColumns } from '../logs/columns.ts';
import { type LogSearch, orderOf, ranges, usualRange } from '../logs/search.ts';
import { describeChoice, readChoice } from '../logs/series/choice.ts';
import { describeSpan } from '../logs/timeRangeText.ts';

/** Returns dataset, time and look, one part each: `Last hour`, `Chart: Entries by resource`. */
export function describeLook(search: LogSearch, zone: Zone): string[] {
  const { dataset, range = usualRange, from, to, tab, columns } = search;
  const hasSpan = from !== undefined || to !== undefined;
  const chart = readChoice(search);
  const names = readColumns(columns);
  return [
    ...(dataset === undefined ? [] : [`Dataset ${dataset}`]),
    hasSpan ? capitalize(describeSpan(search, zone)) : nameRange(range),
    ...(chart === null ? [] : [`Chart: ${describeChoice(chart)}`]),
    ...(tab === undefined ? [] : [capitalize(tab)]),
    ...(names.length === 0 ? [] : [`Columns: ${names.join(', ')}`]),
    ...(orderOf(search) === 'asc' ? ['Oldest first'] : []),
  ];
}

function nameRange(range: string): string {
  const known =
    ranges.find(({ value }) => value === range) ?? ranges.find(({ value }) => value === usualRange);
  return known?.label ?? '';
}
