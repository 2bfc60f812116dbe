/** Drafts in the making: the rows of one body, for one batch or several, where a row that turns out wrong is left out. */
import type { RowSink } from '@tapedeck/log-entries';
import { openBatchRows, requireRoom } from './batchRows.ts';
import { type DraftRows, takeDraftRows } from './draftRows.ts';
import { countTextBytes, createColumns, type LogColumns } from './native.ts';

export type Draft = {
  sink: RowSink;
  /** To be called before each row. Throws `body_too_large` when all drafts of the body together take too much room. */
  beginRow(): void;
  /** Takes back what was written of the row that was begun last, and is not complete. */
  cancelRow(): void;
  /** null when there is none. */
  take(): DraftRows | null;
};

/** Opens the drafts of one body. */
export function openDrafts(): { open(bytesAtFirst: number): Draft } {
  /** Of those that are not being written. */
  let otherBytes = 0;
  let current: LogColumns | null = null;
  return {
    open(bytesAtFirst) {
      const columns = createColumns(bytesAtFirst);
      const [paths, values] = [columns.leafPaths, columns.leafValues];
      let mark = { leaves: 0, paths: 0, values: 0 };
      return {
        sink: openBatchRows(columns),
        beginRow() {
          if (current !== columns) {
            if (current !== null) otherBytes += countTextBytes(current);
            otherBytes -= countTextBytes(columns);
            current = columns;
          }
          requireRoom(otherBytes + countTextBytes(columns));
          mark = { leaves: columns.leaves, paths: paths.length, values: values.length };
        },
        cancelRow() {
          columns.leaves = mark.leaves;
          paths.length = mark.paths;
          values.length = mark.values;
        },
        take: () => (columns.rows === 0 ? null : takeDraftRows(columns)),
      };
    },
  };
}
