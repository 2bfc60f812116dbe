/** Reads blocks that the journal wrote, without an engine. */
import { type LogRow, logLevels } from '@tapedeck/log-entries';
import { blockColumns } from '../src/blocks/native.ts';
import type { LogTarget } from '../src/blocks/targets.ts';

export type DecodedRow = LogTarget &
  LogRow & { traceId: string; pattern: string; metadata: Record<string, string> };

type Reader = { bytes: Buffer; position: number };

export function* decodeBlock(block: Buffer): Generator<DecodedRow> {
  const reader = { bytes: block, position: 0 };
  const columns = readVarint(reader);
  const rows = readVarint(reader);
  if (columns !== blockColumns.length)
    throw new Error(`A block of ${columns} columns is none of the journal's.`);
  const projects = readTextColumn(reader, 'project', rows);
  const datasets = readTextColumn(reader, 'dataset', rows);
  readFixedColumn(reader, 'retentionDays', rows * 2); // not part of an entry
  const timestamps = readFixedColumn(reader, 'timestamp', rows * 8);
  const traceIds = readFixedColumn(reader, 'traceId', rows * 16);
  const parentIds = readTextColumn(reader, 'parentId', rows);
  const levels = readFixedColumn(reader, 'level', rows);
  const resources = readTextColumn(reader, 'resource', rows);
  const bodies = readTextColumn(reader, 'body', rows);
  const patterns = readFixedColumn(reader, 'pattern', rows * 8);
  const metadata = readMetadataColumn(reader, rows);
  for (let row = 0; row < rows; row++) {
    const [low, high] = [traceIds.readBigUInt64LE(row * 16), traceIds.readBigUInt64LE(row * 16 + 8)];
    yield {
      project: projects[row] ?? '',
      dataset: datasets[row] ?? '',
      timestampMicros: Number(timestamps.readBigInt64LE(row * 8)),
      traceId: low.toString(16).padStart(16, '0') + high.toString(16).padStart(16, '0'),
      identityHigh: traceIds.readUInt32LE(row * 16 + 12),
      identityLow: traceIds.readUInt32LE(row * 16 + 8),
      parentId: parentIds[row] ?? '',
      level: logLevels[(levels[row] ?? 0) - 1] ?? 'info',
      resource: resources[row] ?? '',
      message: bodies[row] ?? '',
      pattern: patterns
        .readBigUInt64LE(row * 8)
        .toString(16)
        .padStart(16, '0'),
      metadata: metadata[row] ?? {},
    };
  }
}

function readMetadataColumn(reader: Reader, rows: number): Record<string, string>[] {
  const ends = readFixedColumn(reader, 'metadata', rows * 8);
  const leaves = rows === 0 ? 0 : Number(ends.readBigUInt64LE((rows - 1) * 8));
  const paths = readTexts(reader, leaves);
  const values = readTexts(reader, leaves);
  const metadata: Record<string, string>[] = [];
  let leaf = 0;
  for (let row = 0; row < rows; row++) {
    const end = Number(ends.readBigUInt64LE(row * 8));
    const entries: [string, string][] = [];
    for (; leaf < end; leaf++) entries.push([paths[leaf] ?? '', values[leaf] ?? '']);
    metadata.push(Object.fromEntries(entries)); // defines properties, including `__proto__`
  }
  return metadata;
}

function readTextColumn(reader: Reader, name: string, rows: number): string[] {
  readColumnHeader(reader, name);
  return readTexts(reader, rows);
}

function readFixedColumn(reader: Reader, name: string, bytes: number): Buffer {
  readColumnHeader(reader, name);
  const content = reader.bytes.subarray(reader.position, reader.position + bytes);
  if (content.length < bytes) throw new Error('The block ends within a column.');
  reader.position += bytes;
  return content;
}

function readColumnHeader(reader: Reader, expected: string): void {
  const name = readText(reader);
  readText(reader); // skips the type, which follows from the name
  if (name !== expected) throw new Error(`A column ${name} stands where ${expected} is expected.`);
}

function readTexts(reader: Reader, count: number): string[] {
  const texts: string[] = [];
  for (let index = 0; index < count; index++) texts.push(readText(reader));
  return texts;
}

function readText(reader: Reader): string {
  const length = readVarint(reader);
  const end = reader.position + length;
  if (end > reader.bytes.length) throw new Error('The block ends within a text.');
  const text = reader.bytes.toString('utf8', reader.position, end);
  reader.position = end;
  return text;
}

function readVarint(reader: Reader): number {
  let value = 0;
  let factor = 1;
  for (;;) {
    const byte = reader.bytes[reader.position++];
    if (byte === undefined) throw new Error('The block ends within a number.');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 0x80;
  }
}
