/** Where entries come from. */
import type { TerminalEntry } from './entryText.ts';

export type EntryOrder = 'asc' | 'desc';

/** What followers are told; `following` comes first, and after each `broken`. */
export type Told =
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
  /** What arrives from now on, also after the source was away; what was there before may be told as well. */
  follow(): AsyncIterable<Told>;
};
