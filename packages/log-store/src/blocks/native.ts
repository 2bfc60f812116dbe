/**
 * Encodes entries as blocks of ClickHouse's Native format, column by column, into reusable buffers. The journal stores these
 * blocks and the flusher sends them as they are, so nothing is encoded twice.
 */

import {
  type EncodedRow,
  type EntryStamp,
  type LogLevel,
  type LogRow,
  logLevels,
  type Slice,
} from '@tapedeck/log-entries';
import { type Leaves, PatternReader } from '@tapedeck/log-patterns';
import {
  appendByte,
  appendRepeated,
  appendSlice,
  appendText,
  appendWords,
  type ByteColumn,
  createBytes,
  createWords,
  encodeText,
  encodeVarint,
  resetColumn,
  viewBytes,
  viewWords,
  type WordColumn,
} from './byteColumns.ts';
import type { BatchTarget } from './targets.ts';

/**
 * The range of the rows' times (Unix microseconds) and of the lower halves of their traceIds, rounded to what a number can
 * hold. Cancelled rows may have widened it.
 */
export type RowRange = { timeMin: number; timeMax: number; identityMin: number; identityMax: number };

/** Collects the rows of one block. */
export type LogColumns = {
  range: RowRange;
  rows: number;
  leaves: number;
  /** Start of the next row's paths and values. */
  rowLeaves: { paths: number; values: number };
  projects: ByteColumn;
  datasets: ByteColumn;
  retentions: ByteColumn;
  timestamps: WordColumn;
  traceIds: WordColumn;
  parentIds: ByteColumn;
  levels: ByteColumn;
  resources: ByteColumn;
  bodies: ByteColumn;
  patterns: WordColumn;
  leafCounts: WordColumn;
  leafPaths: ByteColumn;
  leafValues: ByteColumn;
};

type ColumnsMark = readonly number[];

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
  { name: 'pattern', type: 'UInt64' },
  { name: 'metadata', type: 'Map(String, String)' },
] as const;

const levelCodes = new Map(logLevels.map((level, index) => [level, index + 1]));
const wordRange = 2 ** 32;

/** Creates columns with this much room each; the default suits a block. */
export function createColumns(bytesAtFirst?: number): LogColumns {
  return {
    range: emptyRange(),
    rows: 0,
    leaves: 0,
    rowLeaves: { paths: 0, values: 0 },
    projects: createBytes(bytesAtFirst),
    datasets: createBytes(bytesAtFirst),
    retentions: createBytes(bytesAtFirst),
    timestamps: createWords(bytesAtFirst),
    traceIds: createWords(bytesAtFirst),
    parentIds: createBytes(bytesAtFirst),
    levels: createBytes(bytesAtFirst),
    resources: createBytes(bytesAtFirst),
    bodies: createBytes(bytesAtFirst),
    patterns: createWords(bytesAtFirst),
    leafCounts: createWords(bytesAtFirst),
    leafPaths: createBytes(bytesAtFirst),
    leafValues: createBytes(bytesAtFirst),
  };
}

/** Adds a leaf to the metadata of the row that `appendRow` completes next. */
export function appendLeaf(columns: LogColumns, path: string, value: string): void {
  columns.leaves++;
  appendText(columns.leafPaths, path);
  appendText(columns.leafValues, value);
}

/** Does the same for texts that are encoded already. */
export function appendEncodedLeaf(columns: LogColumns, path: Slice, value: Slice): void {
  columns.leaves++;
  appendSlice(columns.leafPaths, path);
  appendSlice(columns.leafValues, value);
}

const reader = new PatternReader();
const noBytes = new Uint8Array();
const body: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };
const leaves: Leaves = { paths: noBytes, pathsStart: 0, values: noBytes, valuesStart: 0, valuesEnd: 0 };

/** Appends a row without the columns that all rows of a batch share. `appendTarget` writes those, for many rows at once. */
export function appendRow(columns: LogColumns, row: LogRow): void {
  appendText(columns.parentIds, row.parentId);
  appendText(columns.resources, row.resource);
  const bodies = columns.bodies;
  body.start = appendText(bodies, row.message);
  body.bytes = bodies.bytes;
  body.end = bodies.length;
  readPattern(columns, body);
  completeRow(columns, row);
}

/** Does the same for texts that are encoded already. */
export function appendEncodedRow(columns: LogColumns, row: EncodedRow): void {
  appendSlice(columns.parentIds, row.parentId);
  appendSlice(columns.resources, row.resource);
  appendSlice(columns.bodies, row.message);
  readPattern(columns, row.message);
  completeRow(columns, row);
}

/** Reads the body's pattern. Values of the row's metadata count as names where the body has them. */
function readPattern({ leafPaths, leafValues, rowLeaves }: LogColumns, text: Slice): void {
  if (leafValues.length === rowLeaves.values) {
    reader.readEntry(text, null);
    return;
  }
  leaves.paths = leafPaths.bytes;
  leaves.pathsStart = rowLeaves.paths;
  leaves.values = leafValues.bytes;
  leaves.valuesStart = rowLeaves.values;
  leaves.valuesEnd = leafValues.length;
  reader.readEntry(text, leaves);
}

/** Expects that the row's body is the last one that the pattern reader has read. */
function completeRow(columns: LogColumns, row: EntryStamp & { level: LogLevel }): void {
  appendStamp(columns, row);
  appendByte(columns.levels, levelCodes.get(row.level) ?? 0);
  appendWords(columns.patterns, reader.low, reader.high);
  appendWords(columns.leafCounts, columns.leaves, 0);
  beginRow(columns);
  columns.rows++;
}

/** Makes the next leaves belong to the next row. */
export function beginRow({ rowLeaves, leafPaths, leafValues }: LogColumns): void {
  rowLeaves.paths = leafPaths.length;
  rowLeaves.values = leafValues.length;
}

/** Writes the time and the traceId of a row. */
export function appendStamp(columns: LogColumns, row: EntryStamp): void {
  const micros = row.timestampMicros;
  appendWords(columns.timestamps, micros >>> 0, Math.floor(micros / wordRange));
  const millis = Math.floor(micros / 1000);
  // Version 7: 48 bits of milliseconds, the version, and the microseconds within the millisecond in twelve bits.
  const identity = ((millis << 16) | 0x7000 | (micros - millis * 1000)) >>> 0;
  appendWords(columns.traceIds, identity, Math.floor(millis / 0x10000));
  appendWords(columns.traceIds, row.identityLow, row.identityHigh);
  const identityRounded = row.identityHigh * wordRange + row.identityLow;
  const range = columns.range;
  if (micros < range.timeMin) range.timeMin = micros;
  if (micros > range.timeMax) range.timeMax = micros;
  if (identityRounded < range.identityMin) range.identityMin = identityRounded;
  if (identityRounded > range.identityMax) range.identityMax = identityRounded;
}

export function emptyRange(): RowRange {
  return { timeMin: Infinity, timeMax: -Infinity, identityMin: Infinity, identityMax: -Infinity };
}

export function widenRange(range: RowRange, other: RowRange): void {
  range.timeMin = Math.min(range.timeMin, other.timeMin);
  range.timeMax = Math.max(range.timeMax, other.timeMax);
  range.identityMin = Math.min(range.identityMin, other.identityMin);
  range.identityMax = Math.max(range.identityMax, other.identityMax);
}

/** Writes the columns that the last `rows` rows share. */
export function appendTarget(columns: LogColumns, target: BatchTarget, rows: number): void {
  appendRepeated(columns.projects, encodeText(target.project), rows);
  appendRepeated(columns.datasets, encodeText(target.dataset), rows);
  const retentionDays = Buffer.alloc(2);
  retentionDays.writeUInt16LE(target.retentionDays ?? 0);
  appendRepeated(columns.retentions, retentionDays, rows);
}

/** Returns the current ends of the columns; `cutColumns` restores them. */
export function markColumns(columns: LogColumns): ColumnsMark {
  return [columns.rows, columns.leaves, ...listColumns(columns).map(column => column.length)];
}

export function cutColumns(columns: LogColumns, mark: ColumnsMark): void {
  const [rows = 0, leaves = 0, ...lengths] = mark;
  columns.rows = rows;
  columns.leaves = leaves;
  for (const [index, column] of listColumns(columns).entries()) column.length = lengths[index] ?? 0;
  beginRow(columns);
}

export function resetColumns(columns: LogColumns): void {
  columns.range = emptyRange();
  columns.rows = 0;
  columns.leaves = 0;
  for (const column of listColumns(columns)) resetColumn(column);
  beginRow(columns);
}

/** Counts the bytes of the rows' texts, which make up most of their size. */
export function countTextBytes(columns: LogColumns): number {
  const { parentIds, resources, bodies, leafPaths, leafValues } = columns;
  return parentIds.length + resources.length + bodies.length + leafPaths.length + leafValues.length;
}

export function countColumnBytes(columns: LogColumns): number {
  let bytes = 0;
  for (const column of listColumns(columns)) bytes += 'bytes' in column ? column.length : column.length * 4;
  return bytes;
}

/** The head of each column: its name and type. */
export const columnHeaders = blockColumns.map(({ name, type }) =>
  Buffer.concat([encodeText(name), encodeText(type)]),
);

/** Returns the block's bytes in pieces, which are views of the columns: valid until those change. */
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
    [viewWords(columns.patterns)],
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
    columns.patterns,
    columns.leafCounts,
    columns.leafPaths,
    columns.leafValues,
  ];
}
