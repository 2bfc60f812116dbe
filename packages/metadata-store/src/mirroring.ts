/** Mirrors all rows into another database while the first is in use. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  compareRows,
  type MirroredRows,
  mirrorRows,
  openDatabase,
  openDatabaseAsIs,
} from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import { layout } from './layout.ts';
import type { MetadataDatabase, Schema } from './schema.ts';
import { describePlace, type MetadataConfig } from './store.ts';

export type MetadataPair = { from: MetadataConfig; to: MetadataConfig };

/** Makes the target equal to the source, in one transaction. */
export async function mirrorMetadata(pair: MetadataPair, onRow: () => void): Promise<MirroredRows> {
  return await withBoth(pair, databases => mirrorRows(databases, layout, onRow));
}

/** Rejects if a row differs. */
export async function compareMetadata(pair: MetadataPair): Promise<void> {
  await withBoth(pair, databases => compareRows(databases, layout));
}

type Databases = { from: MetadataDatabase; to: MetadataDatabase };

async function withBoth<T>(
  { from, to }: MetadataPair,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  await using source = await openDatabase(describePlace(from), layout);
  await using target = await openDatabase(describePlace(to), layout);
  // Awaited because both databases close when this function ends.
  return await work({ from: source, to: target });
}

/** True if no program has made tables there yet. Rejects if the server is unusable or lets this user make no tables. Writes nothing. */
export async function isUnmade(config: Extract<MetadataConfig, { kind: 'postgres' }>): Promise<boolean> {
  await using database = await openDatabaseAsIs<Schema>(describePlace(config));
  const tables = sql<{
    name: string;
  }>`(select tablename as name from pg_tables where schemaname = current_schema())`;
  const found = await database.reading.selectFrom(tables.as('made')).select('name').limit(1).execute();
  if (found.length > 0) return false;
  const rights = sql<{ may: boolean }>`(select has_schema_privilege(current_schema(), 'create') as may)`;
  const [right] = await database.reading.selectFrom(rights.as('rights')).select('may').execute();
  if (right?.may === true) return true;
  const sentence = `${nameDatabase(config)} does not let ${new URL(config.url).username} create tables: grant that right.`;
  throw new ServiceError('unavailable', sentence);
}

export async function countRows(config: MetadataConfig): Promise<number> {
  await using database = await openDatabase(describePlace(config), layout);
  let rows = 0;
  for (const { table } of [...layout.tables, ...layout.unsaved]) {
    const counted = sql<{ rows: number }>`(select count(*) as rows from ${sql.table(table)})`;
    const [row] = await database.reading.selectFrom(counted.as('counted')).select('rows').execute();
    rows += Number(row?.rows ?? 0);
  }
  return rows;
}

/** Names the server and the database, without user and password. */
export function nameDatabase({ url }: Extract<MetadataConfig, { kind: 'postgres' }>): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL at ${host}${pathname}`;
}
