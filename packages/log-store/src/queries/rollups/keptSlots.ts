/**
 * Answers counts from the kept counts of fields, and from entries only at the ends of the time range. The engine
 * decides for each part: it uses what the part keeps, or reads the entries of parts that keep nothing. The time of an
 * entry alone decides which source it counts for, so parts may be merged meanwhile.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import type { Binder } from '../../writer/engine/statements.ts';
import { slotMicros } from '../../writer/schema/schema.ts';
import { formatConditions } from '../conditions.ts';
import { type PartSpan, sumEntries } from '../pageGuesses.ts';
import { readSpan, type Span } from '../slots.ts';
import { formatSpan } from './counts.ts';

/** Must equal the key of the kept counts, or the engine does not use them. */
const slotColumn = 'toStartOfFifteenMinutes(timestamp)';

/** Tables with conditions, each for a statement of its own; null: the kept counts do not tell what the filter asks. */
export function listSlotSources(table: string, filter: LogFilter, binder: Binder): string[] | null {
  if (!isKept(filter.condition)) return null;
  const { slots, ends } = divideAtSlots(readSpan(filter));
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder, false);
  const spans = ends.map(end => formatSpan('timestamp', end, binder));
  if (slots !== null) spans.push(formatSpan(slotColumn, slots, binder));
  return spans.map(span => `${table} WHERE ${conditions}${span}`);
}

/** About how many entries are read at the ends, and how many of parts that keep no counts. */
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

/** Slots that are asked for as a whole, if there are any, and the rest of the span. */
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

const keptFields: readonly string[] = ['dataset', 'level', 'resource'];

function isKept(condition: Condition): boolean {
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
