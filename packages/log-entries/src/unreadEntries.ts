/** Entries of a page that are read later, because together they would take too much memory. */
import type { LogEntry } from './entries.ts';

/** The place of an entry that was found but not read. */
export type UnreadEntry = {
  readonly traceId: string;
  readonly timestampMicros: number;
  /** The length of its JSON. */
  readonly characters: number;
};

export function isUnread(entry: Readonly<LogEntry> | UnreadEntry): entry is UnreadEntry {
  return !('body' in entry);
}
