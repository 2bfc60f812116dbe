/** Counts entries and values one by one, for suites to compare with. */

import type { LogEntry, LogField, MatchableArrival, ValueCount } from '@tapedeck/log-entries';
import { MatchableEntry } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import type { WholeEntry } from './randomEntries.ts';

/** Judges entries as if they had just arrived. */
export function makeMatchable(entries: readonly WholeEntry[]): MatchableArrival[] {
  return entries.map(({ project, entry }) => {
    const arrival = { micros: 0, traceId: entry.traceId };
    return { arrived: { arrival, project, entry }, judged: new MatchableEntry(entry) };
  });
}

/** Compares texts in the engine's order. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Tests for what JSON.parse accepts as a number, without white space around it. */
export function isNumber(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'number' && text.trim() === text;
  } catch {
    return false;
  }
}

/** Returns undefined if the entry has no such value. */
export function readValue({ metadata, ...entry }: LogEntry, field: LogField): string | undefined {
  if (field.kind !== 'metadata') return entry[field.kind];
  return Object.hasOwn(metadata, field.path) ? metadata[field.path] : undefined;
}

/** Returns the most frequent values first. */
export function countValuesByHand(matches: readonly LogEntry[], field: LogField, prefix = ''): ValueCount[] {
  const values = matches.map(entry => readValue(entry, field)).filter(value => value !== undefined);
  return [...Map.groupBy(values, value => value)]
    .filter(([value]) => foldCase(value).startsWith(foldCase(prefix)))
    .map(([value, { length }]) => ({ value, count: length }))
    .sort((one, other) => other.count - one.count || compareBytes(one.value, other.value));
}
