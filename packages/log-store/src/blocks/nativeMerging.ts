/**
 * Merges small blocks. A block costs ClickHouse as much as hundreds of rows, and so much memory that thousands of blocks do
 * not fit into one insert.
 */
import { encodeVarint } from './byteColumns.ts';
import { blockColumns, columnHeaders } from './native.ts';

/** The columns of several blocks, each as the pieces that hold its values. */
type Pieces = Buffer[][];

type MapPieces = { ends: Buffer[]; paths: Buffer[]; values: Buffer[]; leaves: number };

type Walk = { block: Buffer; position: number; rows: number };

const fixedBytes: Readonly<Partial<Record<ColumnName, number>>> = {
  retentionDays: 2,
  timestamp: 8,
  traceId: 16,
  level: 1,
  pattern: 8,
  metadata: 8, // where each row's leaves end; the leaves follow
};

type ColumnName = (typeof blockColumns)[number]['name'];
const headers = new Map(blockColumns.map(({ name }, index) => [name, columnHeaders[index]!]));

/** Returns one block that holds the rows of all, in order. */
export function mergeBlocks(blocks: readonly Buffer[]): Buffer {
  const columns: Pieces = blockColumns.map(() => []);
  const map: MapPieces = { ends: [], paths: [], values: [], leaves: 0 };
  let rows = 0;
  for (const block of blocks) {
    const walk = startWalk(block);
    rows += walk.rows;
    for (const [index, { name }] of blockColumns.entries()) {
      if (name === 'metadata') takeMap(walk, map);
      else columns[index]!.push(takeColumn(walk, name));
    }
    if (walk.position !== block.length) throw new Error('A block goes on behind its last column.');
  }
  columns[columns.length - 1] = [...map.ends, ...map.paths, ...map.values];
  const head = [encodeVarint(columns.length), encodeVarint(rows)];
  return Buffer.concat([...head, ...columns.flatMap((pieces, index) => [columnHeaders[index]!, ...pieces])]);
}

/** Identifies a row of a block. */
export type BlockRow = { project: string; dataset: string; micros: number; identity: bigint };

/** Reads the rows of one block of the journal. */
export function* readBlockRows(block: Buffer): Generator<BlockRow> {
  const walk = startWalk(block);
  const columns = new Map<string, Buffer>();
  for (const { name } of blockColumns) {
    if (name === 'metadata') break; // the last column
    columns.set(name, takeColumn(walk, name));
  }
  const [projects, datasets] = [columns.get('project')!, columns.get('dataset')!].map(column =>
    readTexts(column),
  );
  for (let row = 0; row < walk.rows; row++) {
    yield {
      project: projects!.next().value ?? '',
      dataset: datasets!.next().value ?? '',
      micros: Number(columns.get('timestamp')!.readBigInt64LE(row * 8)),
      identity: columns.get('traceId')!.readBigUInt64LE(row * 16 + 8), // the lower half comes second
    };
  }
}

function* readTexts(column: Buffer): Generator<string, undefined> {
  const walk: Walk = { block: column, position: 0, rows: 0 };
  while (walk.position < column.length) {
    const length = readVarint(walk);
    yield column.toString('utf8', walk.position, walk.position + length);
    walk.position += length;
  }
}

function startWalk(block: Buffer): Walk {
  const walk: Walk = { block, position: 0, rows: 0 };
  readVarint(walk); // the number of columns
  walk.rows = readVarint(walk);
  return walk;
}

/** Takes a column of fixed-width values, or of texts. Returns zeros if an earlier version did not know the column. */
function takeColumn(walk: Walk, name: ColumnName): Buffer {
  const width = fixedBytes[name];
  if (!takeHeader(walk, name)) return Buffer.alloc(requireAdded(name) * walk.rows);
  if (width === undefined) return takeTexts(walk, walk.rows);
  const start = walk.position;
  walk.position += width * walk.rows;
  return walk.block.subarray(start, walk.position);
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

/** Row ends count from the first row of their block, so this moves them to count from that of the merged block. */
function takeMap(walk: Walk, map: MapPieces): void {
  const ends = Buffer.from(takeColumn(walk, 'metadata'));
  const leaves = walk.rows === 0 ? 0 : ends.readUInt32LE((walk.rows - 1) * 8);
  if (map.leaves > 0) {
    for (let row = 0; row < walk.rows; row++)
      ends.writeUInt32LE(ends.readUInt32LE(row * 8) + map.leaves, row * 8);
  }
  map.ends.push(ends);
  map.paths.push(takeTexts(walk, leaves));
  map.values.push(takeTexts(walk, leaves));
  map.leaves += leaves;
}

function takeTexts(walk: Walk, count: number): Buffer {
  const start = walk.position;
  for (let index = 0; index < count; index++) {
    const length = readVarint(walk);
    walk.position += length;
  }
  return walk.block.subarray(start, walk.position);
}

function readVarint(walk: Walk): number {
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
