/** The doors to the log store, and what each call promises. First the half that takes entries in. */
import type { EntryStamp, RowSink } from '@tapedeck/log-entries';
import type { Draft } from './drafts.ts';

export type { EntryStamp, LogRow, RowSink, Slice, SlicedRow } from '@tapedeck/log-entries';

/** Where entries go. */
export type LogTarget = { project: string; dataset: string };

/** With the days that the dataset keeps its entries for at present; null: for ever. Those of one span expire together. */
export type BatchTarget = LogTarget & { retentionDays: number | null };

/** Under which key a request stored its entries: a repeat within 24 hours is answered from this. Hashes are 16 bytes. */
export type KeyRecord = {
  /** Of token, route and key. */
  scopeHash: Buffer;
  /** Of what was asked for: another body under the same key is an error. */
  bodyHash: Buffer;
  /** Of the first entry stored, as 16 bytes. */
  traceId: Buffer;
  /** Unix milliseconds. */
  storedAt: number;
};

/** What a draft lacks. */
export type DraftStamps = {
  /** Called for each row in its order, with its time or `unstampedMicros`; sets time and identity. */
  stamp(row: EntryStamp): void;
  /** The parent of all rows but the first, called when all are stamped; null: each has its own. */
  parentId(): string | null;
};

/** Rows on their way in: filled, and then committed or cancelled in one go, without waiting in between. */
export interface LogBatch extends RowSink {
  /** Adds the rows of a draft, which is within what a batch may take. */
  addDraft(draft: Draft, stamps: DraftStamps): void;
  /**
   * Resolves once all rows (and the key) survive a power cut; every `settle` called afterwards covers them.
   * Rejects with `disk_full` or `unavailable`: then none of them will ever be visible. When the service stops before
   * a failed write could be taken back, it stays open: nobody knows then.
   */
  commit(key: KeyRecord | null): Promise<void>;
}

export interface LogIntake {
  /**
   * At most one batch is open at a time. Throws `overloaded`, `journal_full`, `disk_full`, `unavailable` or `stopping`
   * when nothing can be taken.
   */
  openBatch(target: BatchTarget): LogBatch;
  /** What was stored under a key within the last 24 hours. Throws `overloaded` when no more keys can be remembered. */
  findKey(scopeHash: Buffer): Promise<KeyRecord | null>;
  /**
   * Resolves once everything acknowledged before the call is visible to queries. Rejects with `engine_unavailable`
   * when the engine does not take it within the time given.
   */
  settle(timeMsMax: number): Promise<void>;
  /**
   * Resolves when no batch is visible in part, nor will be for the tenth of a second that a question needs to look what
   * there is: it is to be sent at once, however long it waited after `settle`. Rejects with `overloaded` when that takes
   * longer than the time given, and with the signal's reason.
   */
  steady(timeMsMax: number, signal?: AbortSignal): Promise<void>;
  /** Calls the listener whenever entries were acknowledged, until unsubscribed. */
  subscribe(listener: () => void): () => void;
}
