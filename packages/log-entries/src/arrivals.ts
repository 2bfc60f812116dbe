/** The order in which entries arrived: compares places in it, and finds the end of an insert. */
import type { LogEntry } from './entries.ts';

/**
 * A place in the order in which entries arrived at the store, regardless of their own timestamps. Entries that arrived
 * together are ordered by traceId. `micros` come from the store's clock.
 */
export type Arrival = { micros: number; traceId: string };

export type ArrivedEntry = { arrival: Arrival; project: string; entry: LogEntry };

const lastTraceId = 'f'.repeat(32); // no entry has it, so it sorts after all entries of the same time

export function compareArrivals(one: Arrival, other: Arrival): number {
  if (one.micros !== other.micros) return one.micros - other.micros;
  return one.traceId < other.traceId ? -1 : one.traceId > other.traceId ? 1 : 0;
}

export function findEarlier(one: Arrival, other: Arrival): Arrival {
  return compareArrivals(one, other) < 0 ? one : other;
}

/** Returns the place after everything that arrived at that time. */
export function endArrivals(micros: number): Arrival {
  return { micros, traceId: lastTraceId };
}

/** Whether entries that arrived at the same time may follow the place. */
export function isInsideInsert({ traceId }: Arrival): boolean {
  return traceId !== lastTraceId;
}

/** Returns the last place, up to this one, that names no entry. */
export function findPlainPlace(place: Arrival): Arrival {
  return isInsideInsert(place) ? endArrivals(place.micros - 1) : place;
}
