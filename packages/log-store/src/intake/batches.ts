/** Opens batches, which write rows to the journal. */
import { openBatchRows } from '../blocks/batchRows.ts';
import { appendDraftRows } from '../blocks/drafts.ts';
import { appendTarget } from '../blocks/native.ts';
import type { BatchTarget } from '../blocks/targets.ts';
import type { Entering, Journal } from '../journal/journal.ts';
import type { LogBatch, LogIntake } from './logIntake.ts';

type BatchJournal = Pick<Journal, 'requireColumns' | 'enter'>;

export function openBatchesOf(journal: BatchJournal): LogIntake['openBatch'] {
  return (target, entering) => openBatch(journal, target, entering);
}

function openBatch(journal: BatchJournal, target: BatchTarget, entering: Entering): LogBatch {
  const columns = journal.requireColumns(entering);
  const rows = openBatchRows(columns);
  return {
    get rows() {
      return rows.rows;
    },
    get textBytes() {
      return rows.textBytes;
    },
    addLeaf: rows.addLeaf,
    add: rows.add,
    addEncodedLeaf: rows.addEncodedLeaf,
    addEncoded: rows.addEncoded,
    cancel: rows.cancel,
    addDraft: (draft, { stamp, parentId }) =>
      appendDraftRows(columns, draft, {
        stamp(row) {
          stamp(row);
          rows.countRow(row);
        },
        parentId,
      }),
    commit(key) {
      if ((key !== null) !== entering.isKeyed) throw new Error('A batch has a key if it was opened for one.');
      appendTarget(columns, target, rows.rows);
      return journal.enter({ key, isSpread: rows.isSpread });
    },
  };
}
