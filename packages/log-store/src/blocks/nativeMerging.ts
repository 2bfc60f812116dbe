/**
 * Merges small blocks. A block costs ClickHouse as much as hundreds of rows, and so much memory that thousands of blocks do
 * not fit into one insert.
 */
import { countLeaves, readVarint, startWalk, takeColumn, takeTexts, type Walk } from './blockWalk.ts';
import { encodeVarint } from './byteColumns.ts';
import { blockColumns, columnHeaders } from './native.ts';

/** The columns of several blocks, each as the pieces that hold its values. */
type Pieces = Buffer[][];

type MapPieces = { ends: Buffer[]; paths: Buffer[]; values: Buffer[]; leaves: number };

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

/** Row ends count from the first row of their block, so this moves them to count from that of the merged block. */
function takeMap(walk: Walk, map: MapPieces): void {
  const ends = Buffer.from(takeColumn(walk, 'metadata'));
  const leaves = countLeaves(ends);
  if (map.leaves > 0) {
    for (let row = 0; row < walk.rows; row++)
      ends.writeUInt32LE(ends.readUInt32LE(row * 8) + map.leaves, row * 8);
  }
  map.ends.push(ends);
  map.paths.push(takeTexts(walk, leaves));
  map.values.push(takeTexts(walk, leaves));
  map.leaves += leaves;
}
