/** The files of one bucket as columns. A block never changes; a new block replaces it. */
import { foldCase } from '@tapedeck/values/case-folding';
import { listLeaves } from '@tapedeck/values/json';
import { Distinct, type Mask, type SharedColumn, shareTexts, TextColumn } from './textColumn.ts';
import { TextHashes } from './textHashes.ts';

/** Positions per bucket. A deep page skips whole buckets by their counts, and at most this many files one by one. */
export const bucketPositions = 1024;

export const blockColumns = [
  'position',
  'id',
  'key',
  'filename',
  'path',
  'type',
  'mime_type',
  'size_bytes',
  'width',
  'height',
  'duration_ms',
  'retention_exempt',
  'metadata',
  'created_at',
  'listed_at',
] as const;
/** A row as databases return it: times in Unix milliseconds, flags as 0 and 1, metadata as JSON. */
export type BlockRow = {
  position: number;
  id: string;
  key: string;
  filename: string;
  path: string;
  type: string;
  mime_type: string;
  size_bytes: number;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  retention_exempt: number;
  metadata: string;
  created_at: number;
  listed_at: number | null;
};

/** The rows that have a metadata path, in order, each with its value. A row may occur twice. */
export type PathColumn = {
  readonly rows: Uint16Array;
  readonly ids: Uint16Array | Uint32Array;
  /** Hashes of the path's values. */
  readonly hashes: TextHashes;
};

export type NumberColumn = Float32Array | Float64Array;

export type BlockColumns = {
  readonly bucket: number;
  /** Files in the block, in the order of their positions. */
  readonly count: number;
  /** Offsets from the start of the bucket. */
  readonly offsets: Uint16Array;
  readonly names: TextColumn;
  /** Case-folded. Searches for a whole id or key ask the database. */
  readonly keys: Readonly<Record<'id' | 'key', TextColumn>>;
  readonly shared: Readonly<Record<'path' | 'type' | 'mimeType' | 'exempt', SharedColumn>>;
  /** NaN if unknown. Durations are in seconds. */
  readonly numbers: Readonly<Record<'size' | 'width' | 'height' | 'duration', NumberColumn>>;
  /** Unix milliseconds as lists show them, in ascending order. */
  readonly listedAt: Float64Array;
  /** Metadata values, each once. */
  readonly values: TextColumn;
  readonly paths: ReadonlyMap<string, PathColumn>;
  readonly bytes: number;
};

export type Block = {
  readonly columns: BlockColumns;
  /** 1 for files deleted since the columns were built; null for none. */
  readonly deleted: Mask | null;
  readonly count: number;
};

/** The files of a project at one state of the database. */
export type ProjectIndex = {
  readonly lastPosition: number;
  readonly lastChange: number;
  readonly files: number;
  /** Blocks by bucket, ascending, without empty buckets. */
  readonly blocks: ReadonlyMap<number, Block>;
};

/** The rows of one bucket come in the order of their positions. */
export function buildBlock(bucket: number, rows: readonly BlockRow[]): Block {
  const columns = buildColumns(bucket, rows);
  return { columns, deleted: null, count: columns.count };
}

function buildColumns(bucket: number, rows: readonly BlockRow[]): BlockColumns {
  const first = bucket * bucketPositions;
  const { values, paths } = buildMetadata(rows);
  const names = TextColumn.of(rows.map(row => row.filename));
  const keys = {
    id: TextColumn.of(rows.map(row => foldCase(row.id))),
    key: TextColumn.of(rows.map(row => foldCase(row.key))),
  };
  const shared = {
    path: shareTexts(rows.map(row => row.path)),
    type: shareTexts(rows.map(row => row.type)),
    mimeType: shareTexts(rows.map(row => row.mime_type)),
    exempt: shareTexts(rows.map(row => String(row.retention_exempt === 1))),
  };
  const numbers = {
    size: Float64Array.from(rows, row => row.size_bytes),
    width: shrink(Float64Array.from(rows, row => row.width ?? Number.NaN)),
    height: shrink(Float64Array.from(rows, row => row.height ?? Number.NaN)),
    duration: Float64Array.from(rows, row =>
      row.duration_ms === null ? Number.NaN : row.duration_ms / 1000,
    ),
  };
  let bytes = names.bytes + values.bytes + keys.id.bytes + keys.key.bytes + rows.length * bytesPerRow;
  for (const { texts } of Object.values(shared)) bytes += texts.bytes;
  for (const { rows: own, ids, hashes } of paths.values())
    bytes += own.byteLength + ids.byteLength + hashes.bytes + bytesPerPath;
  return {
    bucket,
    count: rows.length,
    names,
    keys,
    shared,
    numbers,
    values,
    paths,
    bytes,
    offsets: Uint16Array.from(rows, row => row.position - first),
    listedAt: Float64Array.from(rows, row => row.listed_at ?? row.created_at),
  };
}

const bytesPerRow = 42; // numbers, times, offsets and ids
const bytesPerPath = 300; // for the path's objects

/** Stores the numbers in half the memory if they are small enough, as widths are. */
function shrink(numbers: Float64Array): NumberColumn {
  const small = Float32Array.from(numbers);
  return small.every((number, index) => Object.is(number, numbers[index])) ? small : numbers;
}

const uint16Numbers = 65_536;

function buildMetadata(rows: readonly BlockRow[]): Pick<BlockColumns, 'values' | 'paths'> {
  const values = new Distinct();
  const found = new Map<string, { rows: number[]; ids: number[] }>();
  for (const [index, row] of rows.entries()) {
    if (row.metadata === '{}') continue;
    // Only `buildFileRow` writes this column, from such an object.
    for (const [path, text] of listLeaves(JSON.parse(row.metadata) as Record<string, unknown>)) {
      let column = found.get(path);
      if (column === undefined) {
        column = { rows: [], ids: [] };
        found.set(path, column);
      }
      column.rows.push(index);
      column.ids.push(values.add(text));
    }
  }
  const { texts } = values;
  const paths = new Map<string, PathColumn>();
  for (const [path, { rows: own, ids }] of found) {
    const hashes = TextHashes.of([...new Set(ids)].map(id => texts[id] ?? ''));
    const ownIds = texts.length > uint16Numbers ? Uint32Array.from(ids) : Uint16Array.from(ids);
    paths.set(path, { rows: Uint16Array.from(own), ids: ownIds, hashes });
  }
  return { values: TextColumn.of(texts), paths };
}

export function positionOf({ bucket, offsets }: BlockColumns, index: number): number {
  return bucket * bucketPositions + (offsets[index] ?? 0);
}

/** Returns -1 if the block has no such file. */
export function findRow({ bucket, offsets }: BlockColumns, position: number): number {
  const offset = position - bucket * bucketPositions;
  if (offset < 0 || offset >= bucketPositions) return -1;
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return offsets[low] === offset ? low : -1;
}

export function removeFromBlock(block: Block, positions: readonly number[]): Block {
  const deleted =
    block.deleted === null ? new Uint8Array(block.columns.count) : Uint8Array.from(block.deleted);
  for (const position of positions) {
    const index = findRow(block.columns, position);
    if (index >= 0) deleted[index] = 1;
  }
  return { ...block, deleted, count: deleted.reduce((count, one) => count - one, deleted.length) };
}
