/**
 * Drafts hold the rows of one body in separate columns, which are copied into the journal's columns once the whole body is
 * checked. A row that turns out wrong is left out.
 */
import type { EntryStamp, RowSink } from '@tapedeck/log-entries';
import { openBatchRows, requireRoom } from './batchRows.ts';
import { appendBytes, appendRepeated, appendText, appendWords, encodeText } from './byteColumns.ts';
import { appendStamp, beginRow, countTextBytes, createColumns, type LogColumns } from './native.ts';

/** Rows for a batch, without what only the batch knows: identities and times of receipt. */
export type DraftRows = {
  rows: number;
  leaves: number;
  /** Pairs of 32-bit words, low word first, as in the next two. The code that stamps the rows knows which times stand for none. */
  timestamps: Uint32Array;
  leafCounts: Uint32Array;
  patterns: Uint32Array;
  levels: Uint8Array;
  /** Each text follows its length, here and below. */
  parentIds: Uint8Array;
  resources: Uint8Array;
  bodies: Uint8Array;
  leafPaths: Uint8Array;
  leafValues: Uint8Array;
};

/** Completes the rows of a draft. */
export type DraftStamps = {
  /** Called for each row in order, with its drafted time; sets time and identity. */
  stamp(row: EntryStamp): void;
  /** Called when all rows are stamped. Returns the parent of all rows but the first; null if each has its own. */
  parentId(): string | null;
};

const wordRange = 2 ** 32;

/** Returns the rows of columns that hold nothing else, as views of the columns' memory. */
export function takeDraftRows(columns: LogColumns): DraftRows {
  const bytesOf = ({ bytes, length }: LogColumns['bodies']) =>
    new Uint8Array(bytes.buffer, bytes.byteOffset, length);
  const wordsOf = ({ words, length }: LogColumns['timestamps']) => words.subarray(0, length);
  return {
    rows: columns.rows,
    leaves: columns.leaves,
    timestamps: wordsOf(columns.timestamps),
    leafCounts: wordsOf(columns.leafCounts),
    patterns: wordsOf(columns.patterns),
    levels: bytesOf(columns.levels),
    parentIds: bytesOf(columns.parentIds),
    resources: bytesOf(columns.resources),
    bodies: bytesOf(columns.bodies),
    leafPaths: bytesOf(columns.leafPaths),
    leafValues: bytesOf(columns.leafValues),
  };
}

export function appendDraftRows(
  columns: LogColumns,
  draft: DraftRows,
  { stamp, parentId }: DraftStamps,
): void {
  const { timestamps, leafCounts, patterns } = draft;
  const row: EntryStamp = { timestampMicros: 0, identityHigh: 0, identityLow: 0 };
  for (let word = 0; word < 2 * draft.rows; word += 2) {
    row.timestampMicros = timestamps[word + 1]! * wordRange + timestamps[word]!;
    stamp(row);
    appendStamp(columns, row);
    appendWords(columns.leafCounts, columns.leaves + leafCounts[word]!, 0);
    appendWords(columns.patterns, patterns[word]!, patterns[word + 1]!);
  }
  const parent = parentId();
  if (parent === null) appendBytes(columns.parentIds, draft.parentIds);
  else {
    appendText(columns.parentIds, '');
    appendRepeated(columns.parentIds, encodeText(parent), draft.rows - 1);
  }
  appendBytes(columns.levels, draft.levels);
  appendBytes(columns.resources, draft.resources);
  appendBytes(columns.bodies, draft.bodies);
  appendBytes(columns.leafPaths, draft.leafPaths);
  appendBytes(columns.leafValues, draft.leafValues);
  columns.leaves += draft.leaves;
  columns.rows += draft.rows;
  beginRow(columns);
}

type Draft = {
  sink: RowSink;
  /** Call it before each row. Throws `body_too_large` when all drafts of the body together take too much room. */
  beginRow(): void;
  /** Takes back the incomplete row that was begun last. */
  cancelRow(): void;
  /** Returns null if there are no rows. */
  take(): DraftRows | null;
};

/** Opens the drafts of one body. */
export function openDrafts(): { open(bytesAtFirst: number): Draft } {
  /** Bytes of all drafts but the current one. */
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
