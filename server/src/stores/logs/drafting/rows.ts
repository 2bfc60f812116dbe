/** Drafts as they leave the columns of the thread that wrote them, and as they come into those of the journal. */
import type { Draft } from '../../../domain/ports/drafts.ts';
import type { DraftStamps, EntryStamp } from '../../../domain/ports/logs.ts';
import { appendBytes, appendRepeated, appendText, appendWords, encodeText } from '../blocks/byteColumns.ts';
import { appendStamp, type LogColumns } from '../blocks/native.ts';

const wordRange = 2 ** 32;

/** The rows of columns that hold nothing else. They show the columns' own memory. */
export function takeDraft(columns: LogColumns, shown: Pick<Draft, 'parentIsFirst' | 'payload'>): Draft {
  const bytesOf = ({ bytes, length }: LogColumns['bodies']) =>
    new Uint8Array(bytes.buffer, bytes.byteOffset, length);
  const wordsOf = ({ words, length }: LogColumns['timestamps']) => words.subarray(0, length);
  return {
    ...shown,
    rows: columns.rows,
    leaves: columns.leaves,
    timestamps: wordsOf(columns.timestamps),
    leafCounts: wordsOf(columns.leafCounts),
    levels: bytesOf(columns.levels),
    parentIds: bytesOf(columns.parentIds),
    resources: bytesOf(columns.resources),
    bodies: bytesOf(columns.bodies),
    leafPaths: bytesOf(columns.leafPaths),
    leafValues: bytesOf(columns.leafValues),
  };
}

export function appendDraft(columns: LogColumns, draft: Draft, { stamp, parentId }: DraftStamps): void {
  const { timestamps, leafCounts } = draft;
  const row: EntryStamp = { timestampMicros: 0, identityHigh: 0, identityLow: 0 };
  for (let word = 0; word < 2 * draft.rows; word += 2) {
    row.timestampMicros = timestamps[word + 1]! * wordRange + timestamps[word]!;
    stamp(row);
    appendStamp(columns, row);
    appendWords(columns.leafCounts, columns.leaves + leafCounts[word]!, 0);
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
}
