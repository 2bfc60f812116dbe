/** What suites that go through entries one by one know of their values. */
import type { LogEntry, LogField } from '@tapedeck/log-entries';

/** In the order in which the engine sorts texts. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Strict JSON numbers are what JSON.parse takes, but for the white space around them. */
export function isNumber(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'number' && text.trim() === text;
  } catch {
    return false;
  }
}

/** undefined: there is none. */
export function readValue({ metadata, ...entry }: LogEntry, field: LogField): string | undefined {
  if (field.kind !== 'metadata') return entry[field.kind];
  return Object.hasOwn(metadata, field.path) ? metadata[field.path] : undefined;
}
