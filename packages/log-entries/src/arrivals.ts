/** The order in which entries came: which place is the earlier one, and where an insert ends. */
import type { LogEntry } from './entries.ts';

/**
 * A place in the order in which entries came into the store, regardless of their own times. Entries that came together
 * stand in the order of their traceIds. Micros are those of the store's clock.
 */
export type Arrival = { micros: number; traceId: string };

export type ArrivedEntry = { arrival: Arrival; project: string; entry: LogEntry };

const lastTraceId = 'f'.repeat(32); // no entry has it: it is behind all that came at the same time

export function compareArrivals(one: Arrival, other: Arrival): number {
  if (one.micros !== other.micros) return one.micros - other.micros;
  return one.traceId < other.traceId ? -1 : one.traceId > other.traceId ? 1 : 0;
}

export function findEarlier(one: Arrival, other: Arrival): Arrival {
  return compareArrivals(one, other) < 0 ? one : other;
}

/** The place behind everything that came at that time. */
export function endArrivals(micros: number): Arrival {
  return { micros, traceId: lastTraceId };
}

/** Whether more of what came at the same time stands behind the place. */
export function isInsideInsert({ traceId }: Arrival): boolean {
  return traceId !== lastTraceId;
}

/** The last place up to this one that names no entry. */
export function findPlainPlace(place: Arrival): Arrival {
  return isInsideInsert(place) ? endArrivals(place.micros - 1) : place;
}
