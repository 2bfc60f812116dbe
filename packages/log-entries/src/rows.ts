/** Rows: entries on their way into a store, and the port that receives them. */
import type { LogLevel } from './levels.ts';

/** The time of an entry and its identity. */
export type EntryStamp = {
  /** Unix microseconds. */
  timestampMicros: number;
  /** The lower half of the traceId; the upper half follows from the timestamp. See `identity.ts`. */
  identityHigh: number;
  identityLow: number;
};

/** One entry as the intake hands it over. The caller may reuse the object for the next one. */
export type LogRow = EntryStamp & EntryTexts<string>;

/** A row whose texts point into UTF-8 buffers. */
export type EncodedRow = EntryStamp & EntryTexts<Slice>;

type EntryTexts<Text> = {
  level: LogLevel;
  message: Text;
  /** Empty when absent. */
  resource: Text;
  /** Empty when absent. */
  parentId: Text;
};

/** A UTF-8 text in `bytes`, from `start` up to but excluding `end`. */
export type Slice = { bytes: Buffer; start: number; end: number };

/** Receives the rows of one request. The metadata leaves of a row come before it. */
export interface RowSink {
  /** Adds a metadata leaf to the row that the next `add` completes. */
  addLeaf(path: string, value: string): void;
  /** Throws `body_too_large` if the row makes the batch too large. */
  add(row: LogRow): void;
  /** Like `addLeaf`, for texts that are already UTF-8. Copies them. */
  addEncodedLeaf(path: Slice, value: Slice): void;
  /** Like `add`, for texts that are already UTF-8. Copies them. Returns false if the row makes the batch too large. */
  addEncoded(row: EncodedRow): boolean;
  /** Discards the rows. The sink can then be reused. */
  cancel(): void;
}
