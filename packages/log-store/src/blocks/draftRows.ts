/** Drafts: rows that were written into columns elsewhere, as they leave those and as they come into the columns of the journal. */
import type { EntryStamp } from '@tapedeck/log-entries';
import { appendBytes, appendRepeated, appendText, appendWords, encodeText } from './byteColumns.ts';
import { appendStamp, beginRow, type LogColumns } from './native.ts';

/** Rows as they go into a batch, but for what only the batch knows: identities, and times of receipt. */
export type DraftRows = {
  rows: number;
  leaves: number;
  /** Pairs of 32-bit words, low word first, as in the next two; whoever stamps the rows knows which times stand for none. */
  timestamps: Uint32Array;
  leafCounts: Uint32Array;
  patterns: Uint32Array;
  levels: Uint8Array;
  /** Each text behind its length, here and below. */
  parentIds: Uint8Array;
  resources: Uint8Array;
  bodies: Uint8Array;
  leafPaths: Uint8Array;
  leafValues: Uint8Array;
};

/** What a draft lacks. */
export type DraftStamps = {
  /** Called for each row in its order, with the time that it was drafted with; sets time and identity. */
  stamp(row: EntryStamp): void;
  /** The parent of all rows but the first, called when all are stamped; null: each has its own. */
  parentId(): string | null;
};

const wordRange = 2 ** 32;

/** The rows of columns that hold nothing else. They show the columns' own memory. */
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
