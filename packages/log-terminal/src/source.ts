/** Port to the source of entries. */
import type { TerminalEntry } from './entryText.ts';

export type EntryOrder = 'asc' | 'desc';

/** Events for followers: `following` comes first, and again after each `broken`. */
type FollowEvent =
  | { kind: 'following' }
  | { kind: 'entry'; entry: TerminalEntry }
  | { kind: 'broken'; error: Error };

export type EntrySource = {
  /** Returns at most this many entries. A next cursor of null means that there are no more. */
  readPage(page: {
    order: EntryOrder;
    limit: number;
    cursor: string | null;
  }): Promise<{ entries: readonly TerminalEntry[]; nextCursor: string | null }>;
  /** Yields all entries, faster than pages, for readers that do not pause. */
  readAll(order: EntryOrder): AsyncIterable<TerminalEntry>;
  /** Follows new entries, and continues after an outage of the source. May repeat earlier entries. */
  follow(): AsyncIterable<FollowEvent>;
};
