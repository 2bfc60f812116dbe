/**
 * Counts from the kept counts of fields, and from entries only at the ends of the time range. The engine decides for each
 * part: it uses the part's kept counts, or reads its entries if it has none. Only the time of an entry decides which source
 * counts it, so merges meanwhile do no harm.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import type { Binder } from '../../writer/engine/statements.ts';
import { slotMicros } from '../../writer/schema/schema.ts';
import { formatConditions } from '../conditions.ts';
import { type PartSpan, sumEntries } from '../pageGuesses.ts';
import { plainSettings, withoutCounts } from '../querySettings.ts';
import { readSpan, type Span } from '../slots.ts';
import { joinAll, joinAny } from '../textConditions.ts';
import { formatSpan, listBounds } from './counts.ts';

/** Must equal the key of the kept counts; otherwise the engine does not use them. */
const slotColumn = 'toStartOfFifteenMinutes(timestamp)';

/** Kept counts have no indexes, and the entries at the ends are too few for indexes to help. */
export const slotSettings = { ...plainSettings, use_skip_indexes: 0 };

/** For entries at the ends alone. Statistics of parts take longer than they save. */
export const endSettings = { ...slotSettings, ...withoutCounts, use_statistics: 0 };

/** Lists tables with conditions, one per statement; null if the kept counts cannot evaluate the filter. */
export function listSlotSources(table: string, filter: LogFilter, binder: Binder): string[] | null {
  if (!isKept(filter.condition)) return null;
  const { slots, ends } = divideAtSlots(readSpan(filter));
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder, false);
  const spans = slots === null ? [] : [formatSpan(slotColumn, slots, binder)];
  if (ends.length > 0) spans.push(` AND ${formatEnds(ends, binder)}`);
  return spans.map(span => `${table} WHERE ${conditions}${span}`);
}

/** One condition for both ends, because planning a statement takes longer than reading an end. */
export function formatEnds(ends: readonly Span[], binder: Binder): string {
  return joinAny(ends.map(end => joinAll(listBounds('timestamp', end, binder))));
}

/** Estimates the entries to read: at the ends, and in parts without kept counts. */
export function estimateRead(filter: LogFilter, parts: readonly PartSpan[]): number {
  const { ends } = divideAtSlots(readSpan(filter));
  const atEnds = ends.reduce((sum, end) => sum + sumEntries(parts, end), 0);
  return (
    atEnds +
    sumEntries(
      parts.filter(({ hasCounts }) => !hasCounts),
      readSpan(filter),
    )
  );
}

/** Divides a span into whole slots, if any, and the rest. */
function divideAtSlots(span: Span): { slots: Span | null; ends: Span[] } {
  const { fromMicros, toMicros } = span;
  const first = fromMicros === null ? null : Math.ceil(fromMicros / slotMicros) * slotMicros;
  const last = toMicros === null ? null : Math.floor(toMicros / slotMicros) * slotMicros;
  if ((last ?? Number.POSITIVE_INFINITY) <= (first ?? 0)) return { slots: null, ends: [span] };
  const ends: Span[] = [];
  if (first !== fromMicros) ends.push({ fromMicros, toMicros: first });
  if (last !== toMicros) ends.push({ fromMicros: last, toMicros });
  return { slots: { fromMicros: first, toMicros: last }, ends };
}

/** The fields that counts are kept for. */
export type KeptField = 'dataset' | 'level' | 'resource';

const keptFields: readonly string[] = ['dataset', 'level', 'resource'] satisfies KeptField[];

/** Whether kept counts can evaluate the condition. */
export function isKept(condition: Condition): boolean {
  switch (condition.kind) {
    case 'everything':
    case 'level':
      return true;
    case 'and':
    case 'or':
      return condition.trees.every(isKept);
    case 'not':
      return isKept(condition.tree);
    case 'field':
      return keptFields.includes(condition.field.kind);
    default:
      return false;
  }
}
