/**
 * The base of readers that walk the bytes of a body and write entries into the batch without creating values. A direct reader stores plain entries
 * exactly as the protocol's other reader would, and leaves everything else to that reader.
 */
import { isUtf8 } from 'node:buffer';
import {
  type EncodedRow,
  entryLimits,
  formatTraceId,
  type ItemSink,
  type Slice,
} from '@tapedeck/log-entries';
import {
  beginLeaves,
  createPlainLeaves,
  createSlice,
  hashKey,
  mayRepeatPaths,
  type PlainLeaves,
  type Reading,
  recordKey,
  setKey,
  startReading,
  writeLeaf,
} from '@tapedeck/log-entries/direct';
import { readUtf8 } from '../reading/utf8.ts';

/** Receives all entries of a body. */
export type DirectTask = {
  sink: ItemSink;
  dataset: string;
  /** The dataset of entries that name none. */
  usualDataset: string;
  /** Larger bodies go to the other reader, because a few bytes may expand into many rows. */
  rowsMax: number;
  /** The limit for unpacked bodies. */
  bytesMax: number;
  /** Each metadata value costs 1. Other slow steps cost a number of values. */
  workMax: number;
  /** Set if the first entry names another dataset. Then nothing is written, and the caller may retry with that dataset. */
  otherDataset: string | null;
};

export type DirectWriter = {
  readonly task: DirectTask;
  readonly reading: Reading;
  readonly leaves: PlainLeaves;
  readonly row: EncodedRow;
  /** The last text that is not part of the row. */
  readonly text: Slice;
  rows: number;
  work: number;
  traceId: string;
};

export const noTime = Number.NEGATIVE_INFINITY;

/** Returns the traceId of the first entry. If the body is not plain, returns null and restores the batch. */
function writeDirectly(
  task: DirectTask,
  body: Buffer,
  write: (writer: DirectWriter) => boolean,
): string | null {
  const { batch, stamper } = task.sink;
  stamper.begin();
  const writer = openWriter(task, body);
  if (write(writer) && writer.rows > 0) return writer.traceId;
  batch.cancel();
  stamper.takeBack();
  return null;
}

/** Like `writeDirectly`, for text, which must be UTF-8. */
export function writeDirectText(
  task: DirectTask,
  body: Buffer,
  write: (writer: DirectWriter) => boolean,
): string | null {
  return isUtf8(body) ? writeDirectly(task, body, write) : null;
}

function openWriter(task: DirectTask, body: Buffer): DirectWriter {
  const reading = startReading(body);
  const slice = () => createSlice(body);
  return {
    task,
    reading,
    leaves: createPlainLeaves(reading, task.sink.batch),
    row: {
      timestampMicros: 0,
      identityHigh: 0,
      identityLow: 0,
      level: 'info',
      message: slice(),
      resource: slice(),
      parentId: slice(),
    },
    text: slice(),
    rows: 0,
    work: 0,
    traceId: '',
  };
}

/** Call this before writing anything of an entry. Sets its level to `info`. */
export function beginRow({ row, leaves }: DirectWriter): void {
  row.level = 'info';
  clearSlice(row.message);
  clearSlice(row.resource);
  beginLeaves(leaves);
}

/** Writes the entry with a time in Unix milliseconds. Returns false if the entry cannot be stored. */
export function completeRow(writer: DirectWriter, millis: number): boolean {
  const { task, leaves, row } = writer;
  const { batch, stamper, rules } = task.sink;
  if (mayRepeatPaths(leaves.keys)) return false;
  if (row.message.end - row.message.start > entryLimits.messageBytesMax) return false;
  if (row.resource.end - row.resource.start > entryLimits.nameBytesMax) return false;
  if (millis === noTime) stamper.stampTime(row);
  else {
    const micros = Math.floor(millis * 1000);
    const { fromMicros, toMicros } = rules.range;
    if (!(micros >= fromMicros && micros <= toMicros)) return false;
    row.timestampMicros = micros;
  }
  stamper.stampIdentity(row);
  if (writer.rows === 0) writer.traceId = formatTraceId(row);
  writer.rows++;
  if (writer.rows > task.rowsMax || !spendWork(writer, leaves.count)) return false;
  return batch.addEncoded(row);
}

/** Returns false when the work exceeds the limit. */
export function spendWork(writer: DirectWriter, count: number): boolean {
  writer.work += count;
  return writer.work <= writer.task.workMax;
}

/** Returns false if the entry names another dataset than earlier ones. null: the entry names no dataset. */
export function requireSimpleDataset({ task, rows }: DirectWriter, named: string | null): boolean {
  const dataset = named ?? task.usualDataset;
  if (dataset === task.dataset) return true;
  if (rows === 0) task.otherDataset = dataset;
  return false;
}

/** A name that is known before any body is read. */
export type DirectName = { readonly slice: Slice; readonly hash: number };

export function nameDirectly(name: string): DirectName {
  const bytes = Buffer.from(name);
  return { slice: { bytes, start: 0, end: bytes.length }, hash: hashKey(bytes) };
}

/** Adds a value under the name. Returns false if the entry may already have one. */
export function writeNamed({ leaves }: DirectWriter, name: Slice, value: Slice): boolean {
  return setKey(leaves, name) && recordKey(leaves.keys, true, 0) && writeLeaf(leaves, value);
}

export function copySlice(into: Slice, from: Slice): void {
  into.bytes = from.bytes;
  into.start = from.start;
  into.end = from.end;
}

export function clearSlice(slice: Slice): void {
  slice.start = 0;
  slice.end = 0;
}

export function isEmptySlice({ start, end }: Slice): boolean {
  return start === end;
}

/** Reuses short texts. */
export function readSlice({ bytes, start, end }: Slice): string {
  return readUtf8(bytes, start, end);
}
