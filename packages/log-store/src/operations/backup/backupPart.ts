/** Saves and restores log entries. A backup has one compressed file per shard, with its hash, and restores to any number of shards. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isUnchanged, writeChecksum } from '@tapedeck/durable-files';
import { LogStoreFailure } from '../../failures.ts';
import { closeArrivals } from '../../queries/arrivals.ts';
import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import {
  countBackedUp,
  countEntries,
  type EntrySelection,
  findLastArrival,
  saveEntries,
  writeEverything,
} from './transfer.ts';

type LogsPart = {
  /** Also the name of its folder in the backup. */
  name: string;
  /** Writes all entries into the folder, synced, and returns their number. */
  save(folder: string): Promise<Readonly<Record<string, number>>>;
  /** Fills an empty store from the folder, with all entries or the selected ones. A store with entries is an error. */
  restore(folder: string, selection?: EntrySelection | null): Promise<void>;
  /** Rejects if the store has entries, because they could not be told from the restored ones. */
  requireEmpty(): Promise<void>;
};

/** The parts of a store that a backup needs: its servers; `flush` and `sync` of the attached store. */
type SavedStore = {
  shards: readonly [EngineAccess, ...EngineAccess[]];
  flush(): Promise<void>;
  sync(): Promise<void>;
};

export const logsPartName = 'logs';
const suffix = '.native.zst';

export function logsPart(store: SavedStore): LogsPart {
  const { shards } = store;
  const requireEmpty = async () => {
    for (const access of shards) {
      const [row] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
      if (Number(row?.[0] ?? 0) === 0) continue;
      throw new LogStoreFailure('not_empty', 'The log store holds entries; restore into an empty one.');
    }
  };
  return {
    name: logsPartName,
    requireEmpty,
    save: async folder => {
      await store.flush();
      const counts = { log_entries_saved: 0 };
      for (const [index, access] of shards.entries()) {
        counts.log_entries_saved += await saveShard(access, path.join(folder, `${index}${suffix}`));
      }
      return counts;
    },
    restore: async (folder, selection = null) => {
      await requireEmpty();
      const files = (await readdir(folder)).filter(name => name.endsWith(suffix)).sort();
      for (const name of files) await requireWhole(path.join(folder, name));
      for (const [index, name] of files.entries()) {
        await writeEverything(
          shards[index % shards.length]!,
          createReadStream(path.join(folder, name)),
          selection,
        );
      }
      await store.sync();
    },
  };
}

/** Saves the entries that had arrived before and were not deleted meanwhile. Returns their number. */
async function saveShard(access: EngineAccess, file: string): Promise<number> {
  // Read first, so that it is later than the time below only if the clock was ahead once. Then everything up to it is saved.
  const lastMicros = await findLastArrival(access);
  const untilMicros = Math.max(await closeArrivals(access), lastMicros);
  const before = await countEntries(access, untilMicros);
  const hash = await saveEntries(access, untilMicros, file);
  const after = await countEntries(access, untilMicros);
  const saved = await countBackedUp(access, file);
  // Expiry and deletion may remove entries meanwhile. No more arrive, unless the clock was ahead.
  const least = Math.min(before, after);
  const most = Math.max(before, after);
  const isWhole = least <= saved && saved <= most;
  if (!isWhole) {
    const range = least === most ? `${least}` : `between ${least} and ${most}`;
    throw new LogStoreFailure(
      'unavailable',
      `The backup is not complete: ${file} holds ${saved} log entries where the log engine has ${range}. Make it again.`,
    );
  }
  await writeChecksum(file, hash);
  return saved;
}

async function requireWhole(file: string): Promise<void> {
  if (await isUnchanged(file)) return;
  throw new LogStoreFailure('unavailable', `The backup is damaged: ${file} differs from what was saved.`);
}
