/** Batches of rows on their way into whatever keeps them. */
import { openBatchRows } from '../blocks/batchRows.ts';
import { appendDraftRows } from '../blocks/draftRows.ts';
import { appendTarget } from '../blocks/native.ts';
import type { Journal } from '../journal/journal.ts';
import type { LogBatch } from './logIntake.ts';
import type { BatchTarget } from './targets.ts';

export function openBatch(journal: Pick<Journal, 'requireColumns' | 'enter'>, target: BatchTarget): LogBatch {
  const columns = journal.requireColumns();
  const rows = openBatchRows(columns);
  return {
    addLeaf: rows.addLeaf,
    add: rows.add,
    addEncodedLeaf: rows.addEncodedLeaf,
    addEncoded: rows.addEncoded,
    cancel: rows.cancel,
    addDraft: (draft, { stamp, parentId }) =>
      appendDraftRows(columns, draft, {
        stamp(row) {
          stamp(row);
          rows.note(row);
        },
        parentId,
      }),
    commit(key) {
      appendTarget(columns, target, rows.rows);
      return journal.enter({ key, isSpread: rows.isSpread });
    },
  };
}
