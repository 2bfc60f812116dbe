/** Appends the rows of one batch to the columns of a block, up to the limit of a batch. */
import type { EntryStamp, RowSink } from '@tapedeck/log-entries';
import { dayMicros } from '../dayLength.ts';
import { LogStoreFailure } from '../failures.ts';
import {
  appendEncodedLeaf,
  appendEncodedRow,
  appendLeaf,
  appendRow,
  countTextBytes,
  cutColumns,
  type LogColumns,
  markColumns,
} from './native.ts';

type BatchRows = RowSink & {
  /** Whether the rows span several days. */
  readonly isSpread: boolean;
  readonly rows: number;
  readonly textBytes: number;
  /** Call it for each row. Returns false when the rows take too much room. */
  countRow(row: EntryStamp): boolean;
};

const storedBytesMax = 32 * 1024 * 1024; // nested metadata may grow to thirty times what was sent
const mebibyte = 1024 ** 2;

/** Appends after the rows that the columns hold. */
export function openBatchRows(columns: LogColumns): BatchRows {
  const mark = markColumns(columns);
  const rowsBefore = columns.rows;
  const bytesBefore = countTextBytes(columns);
  let day = -1;
  let isSpread = false;
  const countRow = ({ timestampMicros }: EntryStamp): boolean => {
    const dayOfRow = Math.floor(timestampMicros / dayMicros);
    if (day !== -1 && day !== dayOfRow) isSpread = true;
    day = dayOfRow;
    return countTextBytes(columns) - bytesBefore <= storedBytesMax;
  };
  return {
    get isSpread() {
      return isSpread;
    },
    get rows() {
      return columns.rows - rowsBefore;
    },
    get textBytes() {
      return countTextBytes(columns) - bytesBefore;
    },
    countRow,
    addLeaf: (leafPath, value) => appendLeaf(columns, leafPath, value),
    add(row) {
      appendRow(columns, row);
      if (!countRow(row)) throw tooLargeError();
    },
    addEncodedLeaf: (leafPath, value) => appendEncodedLeaf(columns, leafPath, value),
    addEncoded(row) {
      appendEncodedRow(columns, row);
      return countRow(row);
    },
    cancel() {
      cutColumns(columns, mark);
      day = -1;
      isSpread = false;
    },
  };
}

/** Checks the limit for entries that go into several batches, all of them together. */
export function requireRoom(textBytes: number): void {
  if (textBytes > storedBytesMax) throw tooLargeError();
}

/** Each value in deeply nested metadata is stored under its whole path. */
function tooLargeError(): LogStoreFailure {
  return new LogStoreFailure(
    'body_too_large',
    `With each metadata value under its whole path the entries take more than ${storedBytesMax / mebibyte} MiB; send them in parts.`,
  );
}
