/** Ids and keys of blocks, read when a question matches them by parts, and kept as long as the block. */
import { type RawBuilder, sql } from 'kysely';
import type { MetadataDatabase } from '../../schema.ts';
import { bucketPositions } from '../rows.ts';
import { type Block, type BlockColumns, positionOf } from './block.ts';
import type { KeyColumns } from './blockJudge.ts';
import { TextColumn } from './textColumn.ts';

const bucketsPerRead = 8; // parsed in a millisecond or two

type FileKeys = { positions: number[]; ids: string[]; keys: string[] };

export class KeyColumnCache {
  readonly #database: MetadataDatabase;
  readonly #read = new WeakMap<BlockColumns, KeyColumns>();

  constructor(database: MetadataDatabase) {
    this.#database = database;
  }

  readonly find = (columns: BlockColumns): KeyColumns | undefined => this.#read.get(columns);

  async load(project: string, blocks: Iterable<Block>): Promise<void> {
    const unread = [...blocks].map(({ columns }) => columns).filter(columns => !this.#read.has(columns));
    for (let start = 0; start < unread.length; start += bucketsPerRead) {
      const some = unread.slice(start, start + bucketsPerRead);
      const read = await this.#readKeys(
        project,
        some.map(({ bucket }) => bucket),
      );
      for (const columns of some) this.#read.set(columns, placeKeys(columns, read.get(columns.bucket)));
    }
  }

  /** One row for each bucket: a row for each file would cost far more than what is in it. */
  async #readKeys(project: string, buckets: readonly number[]): Promise<Map<number, FileKeys>> {
    const { reading, dialect } = this.#database;
    const listOf = (column: string): RawBuilder<string> =>
      dialect === 'sqlite'
        ? sql`json_group_array(${sql.ref(column)})`
        : sql`json_agg(${sql.ref(column)})::text`;
    const bucketOfRow = sql<number>`position / ${sql.lit(bucketPositions)}`;
    const rows = await reading
      .selectFrom('files')
      .select([
        bucketOfRow.as('bucket'),
        listOf('position').as('positions'),
        listOf('id').as('ids'),
        listOf('key').as('keys'),
      ])
      .where('project', '=', project)
      .where('position', '>=', Math.min(...buckets) * bucketPositions)
      .where('position', '<', (Math.max(...buckets) + 1) * bucketPositions)
      .groupBy(bucketOfRow)
      .execute();
    return new Map(
      rows.map(({ bucket, positions, ids, keys }) => [
        bucket,
        // As the database has just composed them, in one order.
        { positions: JSON.parse(positions), ids: JSON.parse(ids), keys: JSON.parse(keys) } as FileKeys,
      ]),
    );
  }
}

/** Files that went meanwhile have empty ones. */
function placeKeys(columns: BlockColumns, read: FileKeys | undefined): KeyColumns {
  const places = new Map(read?.positions.map((position, index) => [position, index]));
  const files = Array.from({ length: columns.count }, (_, row) => {
    const index = places.get(positionOf(columns, row)) ?? -1;
    return { id: read?.ids[index] ?? '', key: read?.keys[index] ?? '' };
  });
  return makeKeyColumns(files);
}

export function makeKeyColumns(files: readonly { id: string; key: string }[]): KeyColumns {
  return {
    ids: new TextColumn(files.map(({ id }) => id)),
    keys: new TextColumn(files.map(({ key }) => key)),
  };
}
