/** All rows of an installation in another database, while the first one is in use. */
import { compareRows, type MirroredRows, mirrorRows, openDatabase } from '@tapedeck/metadata-database';
import { layout } from './layout.ts';
import type { MetadataDatabase } from './schema.ts';
import { describePlace, type MetadataConfig } from './store.ts';

export type MetadataPair = { from: MetadataConfig; to: MetadataConfig };

/** Makes the target what the source is, in one transaction. */
export async function mirrorMetadata(pair: MetadataPair, onRow: () => void): Promise<MirroredRows> {
  return await withBoth(pair, databases => mirrorRows(databases, layout, onRow));
}

/** Rejects where a row differs. */
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
  // Awaited here: both close when this function ends.
  return await work({ from: source, to: target });
}
