/** The door to the thread that reads what is large or odd: read here, it would keep everybody else waiting. */
import type { ItemRules, LogItem, TimeRange } from '@tapedeck/log-entries';
import type { DraftRows } from '@tapedeck/log-store';
import type { ChatCompany } from '../logs/intake/chat.ts';

/** How entries are spelled: as a batch of V3, as a chat payload, as its form with attachments, or as a door translates. */
export type EntryForm = 'batch' | 'chat' | 'attachments' | ForeignForm;

/** A door's own reader, and the module that exports it for the other thread. */
export type ForeignForm = { readEntries: ReadEntries; module: string; options: object };

/** The module of a `ForeignForm` exports this as `readEntries`. */
export type ReadEntries = (body: Buffer, options: object) => ForeignEntries;

export type ForeignEntries = {
  entries: readonly object[];
  /** Called for one entry at a time, just before it is written: an item may take far more memory than its entry. */
  translate(entry: object, range: TimeRange): LogItem;
};

/** What an entry must be, and what comes beside a chat payload. */
export type EntryRules = ItemRules & { company?: ChatCompany };

/** A body to be read aside. It is copied. */
export type DraftRequest = {
  /** Whose body it is: projects take turns. */
  project: string;
  form: EntryForm;
  body: Buffer;
  rules: EntryRules;
};

/** Rows as they go into a batch, but for what only the batch knows: identities, and times of receipt. */
export type Draft = DraftRows & {
  /** Whether all rows but the first hang below the first. */
  parentIsFirst: boolean;
  /** Of a chat payload, what an answer shows of it; null for other forms. */
  payload: unknown;
};

/** Among a draft's times, stands for the time of receipt; no entry may have this time of its own. */
export const unstampedMicros = 0xffffffff * 2 ** 32;

export interface Drafting {
  /**
   * Resolves with the rows of the body. Rejects with the error of who judges the body, which is the same as here, and with
   * `overloaded` when too much waits or the body takes too long.
   */
  draft(request: DraftRequest): Promise<Draft>;
}
