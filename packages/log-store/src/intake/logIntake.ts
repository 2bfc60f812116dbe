/** Port to the intake of the log store, with the promises of each call. */
import type { RowSink } from '@tapedeck/log-entries';
import type { DraftRows, DraftStamps } from '../blocks/drafts.ts';
import type { BatchTarget } from '../blocks/targets.ts';
import type { Entering, KeyRecord } from '../journal/journal.ts';

/** A batch of new rows. Fill it, then commit or cancel it, without waiting in between. */
export interface LogBatch extends RowSink {
  /** Number of rows, and bytes of their texts. Read both before the commit. */
  readonly rows: number;
  readonly textBytes: number;
  /** Adds the rows of a draft. The draft must fit into a batch. */
  addDraft(draft: DraftRows, stamps: DraftStamps): void;
  /**
   * Resolves once all rows (and the key) survive a power cut; every `flush` called afterwards covers them. Rejects with
   * `disk_full` or `unavailable` if none of them will ever be visible. If the service stops before it could take back a
   * failed write, the promise never settles, because the outcome is unknown.
   */
  commit(key: KeyRecord | null): Promise<void>;
}

export interface LogIntake {
  /**
   * Opens a batch; only one may be open at a time. Commit it with a key if, and only if, `entering` said so. Throws
   * `overloaded`, `journal_full`, `disk_full`, `unavailable` or `stopping` when nothing can be taken.
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
   * Resolves when no batch is partly visible, nor will be for the tenth of a second that a query needs to take its view.
   * Send the query at once, however long ago `flush` was. Rejects with `overloaded` after the given time, and with the
   * signal's reason.
   */
  waitForWholeBatches(timeMsMax: number, signal?: AbortSignal): Promise<void>;
  /** Calls the listener whenever entries were acknowledged, until unsubscribed. */
  subscribe(listener: () => void): () => void;
}
