/** Describes a search's absolute times. */
import { formatDayTime, formatSpan, type Zone } from '../../format/times.ts';
import type { LogSearch } from './search.ts';

export function describeSpan({ from, to }: LogSearch, zone: Zone): string {
  if (from && to) return formatSpan(from, to, { zone });
  return from ? `since ${formatDayTime(from, { zone })}` : `until ${formatDayTime(to ?? '', { zone })}`;
}
