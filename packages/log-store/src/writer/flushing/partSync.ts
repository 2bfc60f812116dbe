/**
 * Syncs parts in the directory of an embedded engine. The engine doesn't sync inserted parts, so that no query waits for the
 * disk (`checkpoint.ts`). It syncs merged parts except for the files of text indexes. It rejects a whole part whose index is
 * empty, so the replaced parts must stay until the merged part is synced here.
 *
 * A part whose sync failed is not synced again: the system may have dropped its bytes, and a second sync would succeed all
 * the same. The part holds checkpoints back until the engine has merged it, which reads all of it, compares its checksums,
 * and syncs new files.
 */
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, syncDirectory } from '@tapedeck/durable-files';
import { listUncovered, readPartName } from '../engine/partNames.ts';

const syncsAtOnce = 4; // the disk handles several syncs together
const settledMs = 120_000; // the system by itself writes data older than half a minute

/** `lineage` stays the same when deletions make a new version of the part, which shares its files. */
type Part = { directory: string; lineage: string; level: number };

export class PartSync {
  readonly #storeDirectory: string;
  /** Parts merged before this time (Unix milliseconds) need no sync. */
  readonly #settledBefore = Date.now() - settledMs;
  /** Paths of parts that need no more syncs. Parts never change. */
  #synced: ReadonlySet<string> = new Set();
  /** Lineages of parts whose sync failed. */
  readonly #doubtful = new Set<string>();

  constructor(engineDirectory: string) {
    this.#storeDirectory = path.join(engineDirectory, 'data', 'store');
  }

  /**
   * Resolves once every part that existed before the call survives a power cut. A part that has vanished by then was merged
   * into another or deleted on purpose. Rejects while a part remains whose sync failed. Tells whether parts that were replaced
   * are still there.
   */
  sync(): Promise<{ hasReplaced: boolean }> {
    return this.#syncLevels(0);
  }

  /** Syncs only merged parts. Call it before the engine starts, because the engine removes replaced parts at once. */
  async syncMerged(): Promise<void> {
    await this.#syncLevels(1);
  }

  async #syncLevels(levelMin: number): Promise<{ hasReplaced: boolean }> {
    const synced = new Set<string>();
    let hasReplaced = false;
    for (const table of await listTables(this.#storeDirectory)) {
      const names = await listNames(table);
      const uncovered = listUncovered(names);
      hasReplaced ||= uncovered.length < names.filter(name => readPartName(name) !== null).length;
      const parts = uncovered.map(({ name, level, ...part }) => ({
        directory: path.join(table, name),
        lineage: path.join(table, `${part.partition}_${part.firstBlock}_${part.lastBlock}_${level}`),
        level,
      }));
      const due = parts.filter(({ level }) => level >= levelMin);
      const left = due.filter(({ directory }) => !this.#synced.has(directory));
      for (const part of left) await this.#syncOnce(part);
      if (left.length > 0) await syncIfThere(table);
      for (const { directory } of due) synced.add(directory);
    }
    this.#synced = synced;
    return { hasReplaced };
  }

  async #syncOnce(part: Part): Promise<void> {
    const { directory, lineage } = part;
    if (this.#doubtful.has(lineage))
      throw new Error(`${directory} could not be synced; this is over once the engine has merged it.`);
    try {
      if (part.level === 0 || (await findChangeTime(directory)) >= this.#settledBefore)
        await syncPart(directory);
    } catch (error) {
      if (error instanceof SyncFailure) this.#doubtful.add(lineage);
      throw error;
    }
  }
}

/** The file was open, but its bytes may not be on disk. */
class SyncFailure extends Error {}

async function listTables(storeDirectory: string): Promise<string[]> {
  const groups = (await listNames(storeDirectory)).map(name => path.join(storeDirectory, name));
  const tables = await Promise.all(
    groups.map(async group => (await listNames(group)).map(name => path.join(group, name))),
  );
  return tables.flat();
}

/** Returns the directory's change time: by then it had its name. */
async function findChangeTime(directory: string): Promise<number> {
  const found = await ignoreAbsent(stat(directory), null);
  return found?.ctimeMs ?? Number.NEGATIVE_INFINITY;
}

/** Syncs a part and its projections, which are directories within it. */
async function syncPart(directory: string): Promise<void> {
  const entries = await ignoreAbsent(readdir(directory, { withFileTypes: true }), []);
  const directories = [directory, ...entries.filter(entry => entry.isDirectory()).map(nameEntry)];
  const nested = await Promise.all(directories.slice(1).map(listFiles));
  await syncFiles([...entries.filter(entry => entry.isFile()).map(nameEntry), ...nested.flat()]);
  for (const each of directories) await syncIfThere(each);
}

function nameEntry({ parentPath, name }: { parentPath: string; name: string }): string {
  return path.join(parentPath, name);
}

async function listFiles(directory: string): Promise<string[]> {
  return (await listNames(directory)).map(name => path.join(directory, name));
}

function listNames(directory: string): Promise<string[]> {
  return ignoreAbsent(readdir(directory), []);
}

async function syncFiles(files: readonly string[]): Promise<void> {
  const left = files.values();
  const syncRest = async () => {
    for (const file of left) await ignoreAbsent(syncFile(file), undefined);
  };
  await Promise.all(Array.from({ length: syncsAtOnce }, syncRest));
}

async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r');
  await handle.sync().catch(cause => {
    throw new SyncFailure(`${file} could not be synced.`, { cause });
  });
}

function syncIfThere(directory: string): Promise<void> {
  return ignoreAbsent(syncDirectory(directory), undefined);
}

async function ignoreAbsent<T, Absent>(work: Promise<T>, absent: Absent): Promise<T | Absent> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return absent;
    throw error;
  }
}
