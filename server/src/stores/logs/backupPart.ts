/** The log entries in a backup: one compressed file a shard, and its hash. They come back on however many shards there are. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BackupPart } from '../../domain/ports/backup.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { AttachedLogStore } from './attachedStore.ts';
import { queryRows } from './query/statements.ts';
import { localTable } from './schema.ts';
import { readEverything, writeEverything } from './transfer.ts';

export type LogsPart = BackupPart & {
  /** Rejects when there are entries already: they could not be told from those that come back. */
  requireEmpty(): Promise<void>;
};

export const logsPartName = 'logs';
const suffix = '.native.zst';

export function logsPart(store: Pick<AttachedLogStore, 'shards' | 'settle'>): LogsPart {
  const { shards } = store;
  const requireEmpty = async () => {
    for (const access of shards) {
      const [row] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
      if (Number(row?.[0] ?? 0) === 0) continue;
      throw new ServiceError('not_empty', 'The log store holds entries; restore into an empty one.');
    }
  };
  return {
    name: logsPartName,
    requireEmpty,
    save: async folder => {
      await store.settle();
      const counts = { log_entries_saved: 0 };
      for (const [index, access] of shards.entries()) {
        const [row] = await queryRows(access, { sql: 'SELECT toUnixTimestamp64Micro(now64(6))' });
        const untilMicros = Number(row?.[0]);
        const sql = `SELECT count() FROM ${localTable} WHERE arrivedAt <= fromUnixTimestamp64Micro(${untilMicros}, 'UTC')`;
        const [counted] = await queryRows(access, { sql });
        const file = path.join(folder, `${index}${suffix}`);
        const hash = await keepStream(file, await readEverything(access, untilMicros));
        await writeFile(`${file}.sha256`, `${hash}\n`, { mode: 0o600, flush: true });
        counts.log_entries_saved += Number(counted?.[0]);
      }
      return counts;
    },
    restore: async folder => {
      await requireEmpty();
      const files = (await readdir(folder)).filter(name => name.endsWith(suffix)).sort();
      for (const name of files) await requireWhole(path.join(folder, name));
      for (const [index, name] of files.entries()) {
        await writeEverything(shards[index % shards.length]!, createReadStream(path.join(folder, name)));
      }
    },
  };
}

/** Synced; returns the hash of what was written. */
async function keepStream(file: string, stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await using handle = await open(file, 'wx', 0o600); // logs hold what nobody else is to read
  for await (const chunk of stream) {
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return hash.digest('hex');
}

async function requireWhole(file: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const expected = (await readFile(`${file}.sha256`, 'utf8').catch(() => '')).trim();
  if (hash.digest('hex') === expected) return;
  throw new ServiceError('unavailable', `The backup is damaged: ${file} is not what was saved there.`);
}
