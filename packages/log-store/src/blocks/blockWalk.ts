/** Walks the columns of a block in ClickHouse's Native format, as `native.ts` encodes them. */
import { blockColumns, columnHeaders } from './native.ts';

type ColumnName = (typeof blockColumns)[number]['name'];

/** Where the walk is. */
export type Walk = { block: Buffer; position: number; rows: number };

const fixedBytes: Readonly<Partial<Record<ColumnName, number>>> = {
  retentionDays: 2,
  timestamp: 8,
  traceId: 16,
  level: 1,
  pattern: 8,
  metadata: 8, // where each row's leaves end; the leaves follow
};

const headers = new Map(blockColumns.map(({ name }, index) => [name, columnHeaders[index]!]));

export function startWalk(block: Buffer): Walk {
  const walk: Walk = { block, position: 0, rows: 0 };
  readVarint(walk); // the number of columns
  walk.rows = readVarint(walk);
  return walk;
}

/** Takes a column of fixed-width values, or of texts. Returns zeros if an earlier version did not know the column. */
export function takeColumn(walk: Walk, name: ColumnName): Buffer {
  const width = fixedBytes[name];
  if (!takeHeader(walk, name)) return Buffer.alloc(requireAdded(name) * walk.rows);
  if (width === undefined) return takeTexts(walk, walk.rows);
  const start = walk.position;
  walk.position += width * walk.rows;
  return walk.block.subarray(start, walk.position);
}

/** Takes texts, each behind its length. */
export function takeTexts(walk: Walk, count: number): Buffer {
  const start = walk.position;
  for (let index = 0; index < count; index++) {
    const length = readVarint(walk);
    walk.position += length;
  }
  return walk.block.subarray(start, walk.position);
}

/** Counts the leaves of all rows, from the column `metadata`. */
export function countLeaves(rowEnds: Buffer): number {
  return rowEnds.length === 0 ? 0 : rowEnds.readUInt32LE(rowEnds.length - 8);
}

export function readVarint(walk: Walk): number {
  let value = 0;
  let shift = 0;
  for (;;) {
    const byte = walk.block[walk.position++];
    if (byte === undefined) throw new Error('The block ends too early.');
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
    shift += 7;
  }
}

/** Returns false if another column comes next. */
function takeHeader(walk: Walk, name: ColumnName): boolean {
  const header = headers.get(name)!;
  const end = walk.position + header.length;
  if (!walk.block.subarray(walk.position, end).equals(header)) return false;
  walk.position = end;
  return true;
}

/** Returns the width of a column that journals of earlier versions lack. */
function requireAdded(name: ColumnName): number {
  if (name === 'pattern') return fixedBytes[name]!;
  throw new Error(`A block without ${name} is none of the journal's.`);
}
