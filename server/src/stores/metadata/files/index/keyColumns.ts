/** Ids and keys of blocks, read when a question matches them by parts, and kept as long as the block. */
import type { Queries } from '../../schema.ts';
import { bucketPositions } from '../rows.ts';
import { type Block, type BlockColumns, positionOf } from './block.ts';
import type { KeyColumns } from './blockJudge.ts';
import { TextColumn } from './textColumn.ts';

export class KeyColumnCache {
  readonly #reading: Queries;
  readonly #read = new WeakMap<BlockColumns, KeyColumns>();

  constructor(reading: Queries) {
    this.#reading = reading;
  }

  readonly find = (columns: BlockColumns): KeyColumns | undefined => this.#read.get(columns);

  async load(project: string, blocks: Iterable<Block>): Promise<void> {
    for (const { columns } of blocks)
      if (!this.#read.has(columns)) this.#read.set(columns, await this.#readKeys(project, columns));
  }

  /** Files that went meanwhile have empty ones. */
  async #readKeys(project: string, columns: BlockColumns): Promise<KeyColumns> {
    const first = columns.bucket * bucketPositions;
    const rows = await this.#reading
      .selectFrom('files')
      .select(['position', 'id', 'key'])
      .where('project', '=', project)
      .where('position', '>=', first)
      .where('position', '<', first + bucketPositions)
      .execute();
    const byPosition = new Map(rows.map(row => [row.position, row]));
    const indexes = Array.from({ length: columns.count }, (_, index) => positionOf(columns, index));
    return makeKeyColumns(indexes.map(position => byPosition.get(position)));
  }
}

export function makeKeyColumns(files: readonly ({ id: string; key: string } | undefined)[]): KeyColumns {
  return {
    ids: new TextColumn(files.map(file => file?.id ?? '')),
    keys: new TextColumn(files.map(file => file?.key ?? '')),
  };
}
