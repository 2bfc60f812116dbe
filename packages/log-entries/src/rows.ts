/** Entries on their way into a store: rows, and what takes them. */
import type { LogLevel } from './levels.ts';

/** When an entry came, or happened, and what tells it apart. */
export type EntryStamp = {
  /** Unix microseconds. */
  timestampMicros: number;
  /** The lower half of the traceId; the upper half follows from the timestamp. See `identity.ts`. */
  identityHigh: number;
  identityLow: number;
};

/** One entry as the intake hands it over. The object may be used again for the next one. */
export type LogRow = EntryStamp & EntryTexts<string>;

/** The same with its texts in UTF-8, where they lie. */
export type EncodedRow = EntryStamp & EntryTexts<Slice>;

type EntryTexts<Text> = {
  level: LogLevel;
  message: Text;
  /** Empty when absent. */
  resource: Text;
  /** Empty when absent. */
  parentId: Text;
};

/** A text in UTF-8, from `start` until before `end`. */
export type Slice = { bytes: Buffer; start: number; end: number };

/** Takes the rows of one request, each behind its leaves. */
export interface RowSink {
  /** One leaf of the metadata of the row that the next `add` completes. */
  addLeaf(path: string, value: string): void;
  /** Throws `body_too_large` when the batch takes too much room with it. */
  add(row: LogRow): void;
  /** Like `addLeaf`, for texts that are already UTF-8. They are copied. */
  addEncodedLeaf(path: Slice, value: Slice): void;
  /** Like `add`, for texts that are already UTF-8. They are copied. False if the row makes the batch too large. */
  addEncoded(row: EncodedRow): boolean;
  /** Forgets the rows. The sink may then be filled anew. */
  cancel(): void;
}
