/** The half of the store that takes entries in, and what each call promises. */
import type { RowSink } from '@tapedeck/log-entries';
import type { DraftRows, DraftStamps } from '../blocks/drafts.ts';
import type { BatchTarget } from '../blocks/targets.ts';
import type { Entering, KeyRecord } from '../journal/journal.ts';

/** Rows on their way in: filled, and then committed or cancelled in one go, without waiting in between. */
export interface LogBatch extends RowSink {
  /** How many rows it holds, and the bytes of their texts; to be read before it is committed. */
  readonly rows: number;
  readonly textBytes: number;
  /** Adds the rows of a draft, which is within what a batch may take. */
  addDraft(draft: DraftRows, stamps: DraftStamps): void;
  /**
   * Resolves once all rows (and the key) survive a power cut; every `flush` called afterwards covers them. Rejects with
   * `disk_full` or `unavailable` if none of them will ever be visible. If the service stops before it could take back a
   * failed write, it never settles: nobody knows the outcome then.
   */
  commit(key: KeyRecord | null): Promise<void>;
}

export interface LogIntake {
  /**
   * At most one batch is open at a time, and it is committed with a key if that was said here. Throws `overloaded`, `journal_full`, `disk_full`, `unavailable` or `stopping`
   * when nothing can be taken.
   */
  openBatch(target: BatchTarget, entering: Entering): LogBatch;
  /** Finds the record of a key from the last 24 hours. Throws `overloaded` when no more keys can be remembered. */
  findKey(scopeHash: Buffer): Promise<KeyRecord | null>;
  /**
   * Resolves once everything acknowledged before the call is visible to queries. Rejects with `engine_unavailable`
   * when the engine does not take it within the time given.
   */
  flush(timeMsMax: number): Promise<void>;
  /**
   * Resolves when no batch is visible in part, nor will be for the tenth of a second that a query needs to see what
   * there is. Send the query at once, however long ago `flush` was. Rejects with `overloaded` when that takes longer
   * than the given time, and with the signal's reason.
   */
  waitForWholeBatches(timeMsMax: number, signal?: AbortSignal): Promise<void>;
  /** Calls the listener whenever entries were acknowledged, until unsubscribed. */
  subscribe(listener: () => void): () => void;
}
