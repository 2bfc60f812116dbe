/**
 * Encodes entries as blocks of ClickHouse's Native format, column by column, into buffers that are used again and again.
 * The journal stores these blocks and the flusher sends them as they are: nothing is encoded twice.
 */
import type { BatchTarget, LogRow } from '../../domain/ports/logs.ts';
import { logLevels } from '../../vocabulary.ts';

/** Bytes that grow at their end. */
export type ByteColumn = { bytes: Buffer; length: number };

/** Fixed-width values as pairs of 32-bit words, low word first: what a 64-bit little-endian integer is. */
type WordColumn = { words: Uint32Array; length: number };

/**
 * Within which the times of rows lie (Unix microseconds) and the lower halves of their traceIds, those rounded to what a
 * number can hold. Cancelled rows may have widened it.
 */
export type RowRange = { timeMin: number; timeMax: number; identityMin: number; identityMax: number };

/** The rows of one block to be. */
export type LogColumns = {
  range: RowRange;
  rows: number;
  leaves: number;
  projects: ByteColumn;
  datasets: ByteColumn;
  retentions: ByteColumn;
  timestamps: WordColumn;
  traceIds: WordColumn;
  parentIds: ByteColumn;
  levels: ByteColumn;
  resources: ByteColumn;
  bodies: ByteColumn;
  leafCounts: WordColumn;
  leafPaths: ByteColumn;
  leafValues: ByteColumn;
};

export type ColumnsMark = readonly number[];

/** Names and types of a block's columns, in order. ClickHouse converts them to those of the table. */
export const blockColumns = [
  { name: 'project', type: 'String' },
  { name: 'dataset', type: 'String' },
  { name: 'retentionDays', type: 'UInt16' },
  { name: 'timestamp', type: "DateTime64(6, 'UTC')" },
  { name: 'traceId', type: 'UUID' },
  { name: 'parentId', type: 'String' },
  {
    name: 'level',
    type: `Enum8(${logLevels.map((level, index) => `'${level}' = ${index + 1}`).join(', ')})`,
  },
  { name: 'resource', type: 'String' },
  { name: 'body', type: 'String' },
  { name: 'metadata', type: 'Map(String, String)' },
] as const;

const levelCodes = new Map(logLevels.map((level, index) => [level, index + 1]));
const wordRange = 2 ** 32;
const utf8BytesPerUnitMax = 3; // a UTF-16 unit becomes at most three bytes, a pair of them four
const shortTextUnitsMax = 10; // below it, a loop is faster than a call into the runtime
const varintBytesMax = 5; // lengths stay below 2^32
const columnBytesAtFirst = 64 * 1024; // grows to what the load needs
const columnBytesKept = 8 * 1024 * 1024; // larger ones, left by a rare huge group, are given back

export function createColumns(): LogColumns {
  return {
    range: emptyRange(),
    rows: 0,
    leaves: 0,
    projects: createBytes(),
    datasets: createBytes(),
    retentions: createBytes(),
    timestamps: createWords(),
    traceIds: createWords(),
    parentIds: createBytes(),
    levels: createBytes(),
    resources: createBytes(),
    bodies: createBytes(),
    leafCounts: createWords(),
    leafPaths: createBytes(),
    leafValues: createBytes(),
  };
}

/** Adds a leaf to the metadata of the row that `appendRow` completes next. */
export function appendLeaf(columns: LogColumns, path: string, value: string): void {
  columns.leaves++;
  appendText(columns.leafPaths, path);
  appendText(columns.leafValues, value);
}

/** What rows share is left to `appendTarget`, which writes it for many at once. */
export function appendRow(columns: LogColumns, row: LogRow): void {
  const micros = row.timestampMicros;
  appendWords(columns.timestamps, micros >>> 0, Math.floor(micros / wordRange));
  const millis = Math.floor(micros / 1000);
  // Version 7: 48 bits of milliseconds, the version, and the microseconds within the millisecond in twelve bits.
  const identity = ((millis << 16) | 0x7000 | (micros - millis * 1000)) >>> 0;
  appendWords(columns.traceIds, identity, Math.floor(millis / 0x10000));
  appendWords(columns.traceIds, row.identityLow, row.identityHigh);
  reserve(columns.levels, 1);
  columns.levels.bytes[columns.levels.length++] = levelCodes.get(row.level) ?? 0;
  appendText(columns.parentIds, row.parentId);
  appendText(columns.resources, row.resource);
  appendText(columns.bodies, row.message);
  appendWords(columns.leafCounts, columns.leaves, 0);
  columns.rows++;
  const identityRounded = row.identityHigh * wordRange + row.identityLow;
  const range = columns.range;
  if (micros < range.timeMin) range.timeMin = micros;
  if (micros > range.timeMax) range.timeMax = micros;
  if (identityRounded < range.identityMin) range.identityMin = identityRounded;
  if (identityRounded > range.identityMax) range.identityMax = identityRounded;
}

/** Of no rows yet. */
export function emptyRange(): RowRange {
  return { timeMin: Infinity, timeMax: -Infinity, identityMin: Infinity, identityMax: -Infinity };
}

export function widenRange(range: RowRange, other: RowRange): void {
  range.timeMin = Math.min(range.timeMin, other.timeMin);
  range.timeMax = Math.max(range.timeMax, other.timeMax);
  range.identityMin = Math.min(range.identityMin, other.identityMin);
  range.identityMax = Math.max(range.identityMax, other.identityMax);
}

/** Writes what is the same for all of the last rows. */
export function appendTarget(columns: LogColumns, target: BatchTarget, rows: number): void {
  appendRepeated(columns.projects, encodeText(target.project), rows);
  appendRepeated(columns.datasets, encodeText(target.dataset), rows);
  const retentionDays = Buffer.alloc(2);
  retentionDays.writeUInt16LE(target.retentionDays ?? 0);
  appendRepeated(columns.retentions, retentionDays, rows);
}

/** Where the columns end now; `cutColumns` takes them back to there. */
export function markColumns(columns: LogColumns): ColumnsMark {
  return [columns.rows, columns.leaves, ...listColumns(columns).map(column => column.length)];
}

export function cutColumns(columns: LogColumns, mark: ColumnsMark): void {
  const [rows = 0, leaves = 0, ...lengths] = mark;
  columns.rows = rows;
  columns.leaves = leaves;
  for (const [index, column] of listColumns(columns).entries()) column.length = lengths[index] ?? 0;
}

/** Empties the columns for the next block. */
export function resetColumns(columns: LogColumns): void {
  columns.range = emptyRange();
  columns.rows = 0;
  columns.leaves = 0;
  for (const column of listColumns(columns)) {
    column.length = 0;
    if ('bytes' in column && column.bytes.length > columnBytesKept)
      column.bytes = Buffer.allocUnsafeSlow(columnBytesAtFirst);
  }
}

export function countColumnBytes(columns: LogColumns): number {
  let bytes = 0;
  for (const column of listColumns(columns)) bytes += 'bytes' in column ? column.length : column.length * 4;
  return bytes;
}

const columnHeaders = blockColumns.map(({ name, type }) =>
  Buffer.concat([encodeText(name), encodeText(type)]),
);

/** The block's bytes, in pieces that show the columns themselves: valid until those change. */
export function encodeBlock(columns: LogColumns): Buffer[] {
  const contents: Buffer[][] = [
    [viewBytes(columns.projects)],
    [viewBytes(columns.datasets)],
    [viewBytes(columns.retentions)],
    [viewWords(columns.timestamps)],
    [viewWords(columns.traceIds)],
    [viewBytes(columns.parentIds)],
    [viewBytes(columns.levels)],
    [viewBytes(columns.resources)],
    [viewBytes(columns.bodies)],
    [viewWords(columns.leafCounts), viewBytes(columns.leafPaths), viewBytes(columns.leafValues)],
  ];
  const pieces: Buffer[] = [Buffer.concat([encodeVarint(contents.length), encodeVarint(columns.rows)])];
  for (const [index, content] of contents.entries()) pieces.push(columnHeaders[index]!, ...content);
  return pieces.filter(piece => piece.length > 0);
}

function listColumns(columns: LogColumns): (ByteColumn | WordColumn)[] {
  return [
    columns.projects,
    columns.datasets,
    columns.retentions,
    columns.timestamps,
    columns.traceIds,
    columns.parentIds,
    columns.levels,
    columns.resources,
    columns.bodies,
    columns.leafCounts,
    columns.leafPaths,
    columns.leafValues,
  ];
}

function createBytes(): ByteColumn {
  return { bytes: Buffer.allocUnsafeSlow(columnBytesAtFirst), length: 0 };
}

function createWords(): WordColumn {
  return { words: new Uint32Array(columnBytesAtFirst / 4), length: 0 };
}

function viewBytes(column: ByteColumn): Buffer {
  return column.bytes.subarray(0, column.length);
}

function viewWords(column: WordColumn): Buffer {
  return Buffer.from(column.words.buffer, 0, column.length * 4);
}

function appendWords(column: WordColumn, low: number, high: number): void {
  if (column.length + 2 > column.words.length) {
    const grown = new Uint32Array(column.words.length * 2);
    grown.set(column.words);
    column.words = grown;
  }
  column.words[column.length++] = low;
  column.words[column.length++] = high;
}

/** Lone surrogates become U+FFFD: UTF-8 has no form for them, and cut emoji must not cost anybody their logs. */
function appendText(column: ByteColumn, text: string): void {
  const room = text.length * utf8BytesPerUnitMax;
  reserve(column, varintBytesMax + room);
  const { bytes, length } = column;
  if (text.length <= shortTextUnitsMax && writeShortText(bytes, length, text)) {
    column.length = length + 1 + text.length;
    return;
  }
  // The length stands before the text and is known after it: that of pure ASCII is right most of the time.
  const expected = countVarintBytes(text.length);
  const written = room === 0 ? 0 : bytes.write(text, length + expected, room);
  const needed = countVarintBytes(written);
  if (needed !== expected) bytes.copyWithin(length + needed, length + expected, length + expected + written);
  writeVarint(bytes, length, written);
  column.length = length + needed + written;
}

/** False when the text is not pure ASCII. */
function writeShortText(bytes: Buffer, position: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[position + 1 + index] = unit;
  }
  bytes[position] = text.length;
  return true;
}

function appendRepeated(column: ByteColumn, pattern: Buffer, count: number): void {
  reserve(column, pattern.length * count);
  const end = column.length + pattern.length * count;
  column.bytes.fill(pattern, column.length, end);
  column.length = end;
}

function reserve(column: ByteColumn, count: number): void {
  const needed = column.length + count;
  if (needed <= column.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, column.bytes.length * 2));
  column.bytes.copy(grown, 0, 0, column.length);
  column.bytes = grown;
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([encodeVarint(bytes.length), bytes]);
}

function encodeVarint(value: number): Buffer {
  const bytes = Buffer.alloc(countVarintBytes(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

function countVarintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

function writeVarint(bytes: Buffer, position: number, value: number): void {
  let rest = value;
  let at = position;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at] = rest;
}
