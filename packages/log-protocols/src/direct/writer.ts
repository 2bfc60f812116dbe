/**
 * The base of readers that walk through the bytes of a body and write entries into the batch without making values.
 * Such a reader stores plain entries exactly as the protocol's other reader would, and leaves everything else to that
 * one.
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
  noteKey,
  type PlainLeaves,
  type Reading,
  setKey,
  startReading,
  writeLeaf,
} from '@tapedeck/log-entries/direct';
import { readUtf8 } from '../reading/utf8.ts';

/** Receives all entries of a body. */
export type DirectTask = {
  sink: ItemSink;
  /** The dataset of the rows. */
  dataset: string;
  /** The dataset of entries that name none. */
  usualDataset: string;
  /** Who sends more has it read by the other reader: a few bytes may stand for lots of either. */
  rowsMax: number;
  /** The limit for unpacked bodies. */
  bytesMax: number;
  /** Each value of metadata is one; what else takes time counts as so many. */
  workMax: number;
  /** Set where the first entry is for another dataset: nothing is written then, and the body may be tried again for that. */
  otherDataset: string | null;
};

export type DirectWriter = {
  readonly task: DirectTask;
  readonly reading: Reading;
  readonly leaves: PlainLeaves;
  readonly row: EncodedRow;
  /** The last text that is no part of the row. */
  readonly text: Slice;
  rows: number;
  work: number;
  traceId: string;
};

export const noTime = Number.NEGATIVE_INFINITY;

/** Returns the traceId of the first entry; null when the body is not plain: then the batch is as it was. */
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

/** The same for a text, which must be UTF-8. */
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

/** To be called before anything of an entry is written. Its level is `info`. */
export function beginRow({ row, leaves }: DirectWriter): void {
  row.level = 'info';
  clearSlice(row.message);
  clearSlice(row.resource);
  beginLeaves(leaves);
}

/** Writes the entry, of a time in Unix milliseconds. False where an item could not be stored so. */
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

/** False when there was too much of it. */
export function spendWork(writer: DirectWriter, count: number): boolean {
  writer.work += count;
  return writer.work <= writer.task.workMax;
}

/** False when the entry goes elsewhere than those before it. null: it names no dataset. */
export function requireSimpleDataset({ task, rows }: DirectWriter, named: string | null): boolean {
  const dataset = named ?? task.usualDataset;
  if (dataset === task.dataset) return true;
  if (rows === 0) task.otherDataset = dataset;
  return false;
}

/** A name that is known before any body. */
export type DirectName = { readonly slice: Slice; readonly hash: number };

export function nameDirectly(name: string): DirectName {
  const bytes = Buffer.from(name);
  return { slice: { bytes, start: 0, end: bytes.length }, hash: hashKey(bytes) };
}

/** Adds a value under the name. Returns false if the entry may already have one. */
export function writeNamed({ leaves }: DirectWriter, name: Slice, value: Slice): boolean {
  return setKey(leaves, name) && noteKey(leaves.keys, true, 0) && writeLeaf(leaves, value);
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

/** Short ones are made once. */
export function readSlice({ bytes, start, end }: Slice): string {
  return readUtf8(bytes, start, end);
}
