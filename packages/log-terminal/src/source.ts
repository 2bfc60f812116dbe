/** Port to the source of entries. */
import type { TerminalEntry } from './entryText.ts';

export type EntryOrder = 'asc' | 'desc';

/** Events for followers; `following` comes first, and after each `broken`. */
type Told =
  | { kind: 'following' }
  | { kind: 'entry'; entry: TerminalEntry }
  | { kind: 'broken'; error: Error };

export type EntrySource = {
  /** At most so many; null as the next cursor: there are no more. */
  readPage(page: {
    order: EntryOrder;
    limit: number;
    cursor: string | null;
  }): Promise<{ entries: readonly TerminalEntry[]; nextCursor: string | null }>;
  /** All there are, quicker than by pages, for readers that do not stop. */
  readAll(order: EntryOrder): AsyncIterable<TerminalEntry>;
  /** Follows new entries, also after an outage of the source; earlier entries may be included. */
  follow(): AsyncIterable<Told>;
};
