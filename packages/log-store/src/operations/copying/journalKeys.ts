/** Reads the keys in a journal on disk, for a store that takes over its work. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { localDisk } from '../../journal/disk/disk.ts';
import { KeyShelves } from '../../journal/disk/keys.ts';
import { keepNodeId } from '../../journal/disk/nodeId.ts';
import type { KeyRecord } from '../../journal/journal.ts';

type KeptKeys = { nodeId: string; records: AsyncIterable<KeyRecord> };

/** No service may use the directory meanwhile, and nothing may wait in the journal: keys of waiting entries are in its segments. */
export async function readKeptKeys(
  dataDir: string,
  now: number,
  use: (kept: KeptKeys) => Promise<void>,
): Promise<void> {
  const journal = path.join(dataDir, 'journal');
  if (!existsSync(journal)) return;
  await using shelves = await KeyShelves.open(localDisk, path.join(journal, 'keys'), now);
  // Awaited here: the files are closed when this function ends.
  return await use({ nodeId: await keepNodeId(localDisk, journal), records: shelves.list(now) });
}
