/** Writes and reads blocks as bytes, with the orders of their rows. */
import { Deserializer, Serializer } from 'node:v8';
import type { Block, BlockColumns, PathColumn } from './block.ts';
import { keepOrders, listOrders } from './blockOrder.ts';
import { type SharedColumn, TextColumn, type TextState } from './textColumn.ts';
import { TextHashes } from './textHashes.ts';

/** Increase this with every change to the content of a block, or to how texts are folded and hashed. */
export const blockVersion = 1;

type SharedState = { texts: TextState; ids: SharedColumn['ids'] };
type PathState = Pick<PathColumn, 'rows' | 'ids'> & { path: string; hashes: Uint8Array };
type BlockState = Pick<BlockColumns, 'bucket' | 'count' | 'offsets' | 'numbers' | 'listedAt' | 'bytes'> & {
  gone: Block['deleted'];
  present: number;
  texts: Record<'names' | 'values' | 'id' | 'key', TextState>;
  shared: Record<keyof BlockColumns['shared'], SharedState>;
  paths: PathState[];
  orders: [string, Uint16Array][];
};

export function writeBlock({ columns, deleted, count }: Block): Buffer {
  const { bucket, offsets, numbers, listedAt, bytes, names, values, keys, shared, paths } = columns;
  const state: BlockState = {
    bucket,
    count: columns.count,
    offsets,
    numbers,
    listedAt,
    bytes,
    gone: deleted,
    present: count,
    texts: { names: names.state, values: values.state, id: keys.id.state, key: keys.key.state },
    shared: {
      path: writeShared(shared.path),
      type: writeShared(shared.type),
      mimeType: writeShared(shared.mimeType),
      exempt: writeShared(shared.exempt),
    },
    paths: [...paths].map(([path, { rows, ids, hashes }]) => ({ path, rows, ids, hashes: hashes.state })),
    orders: listOrders(columns),
  };
  // Not `serialize`: views of its output would keep all bytes of a block in memory.
  const serializer = new Serializer();
  serializer.writeHeader();
  serializer.writeValue(state);
  return serializer.releaseBuffer();
}

export function readBlock(bytes: Buffer): Block {
  const deserializer = new Deserializer(bytes);
  deserializer.readHeader();
  // Written above. The caller has checked that these are the same bytes.
  const state = deserializer.readValue() as BlockState;
  const { gone, present, texts, shared, paths, orders, ...rest } = state;
  const columns: BlockColumns = {
    ...rest,
    names: TextColumn.restore(texts.names),
    values: TextColumn.restore(texts.values),
    keys: { id: TextColumn.restore(texts.id), key: TextColumn.restore(texts.key) },
    shared: {
      path: readShared(shared.path),
      type: readShared(shared.type),
      mimeType: readShared(shared.mimeType),
      exempt: readShared(shared.exempt),
    },
    paths: new Map(
      paths.map(({ path, rows, ids, hashes }) => [path, { rows, ids, hashes: TextHashes.restore(hashes) }]),
    ),
  };
  keepOrders(columns, orders);
  return { columns, deleted: gone, count: present };
}

function writeShared({ texts, ids }: SharedColumn): SharedState {
  return { texts: texts.state, ids };
}

function readShared({ texts, ids }: SharedState): SharedColumn {
  return { texts: TextColumn.restore(texts), ids };
}
