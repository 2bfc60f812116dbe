/** Makes names and files survive a power cut, for every store that keeps something on this machine's disk. */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './failures.ts';

const openDescriptor = promisify(fs.open);
const fsync = promisify(fs.fsync);

const ownerOnly = 0o600; // backups and secrets hold what nobody else is to read

/** Resolves once names that were made, changed or removed in the directory survive a power cut. */
export async function syncDirectory(directory: string, flags = fs.constants.O_RDONLY): Promise<void> {
  const descriptor = await openDescriptor(directory, flags);
  try {
    await fsync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Resolves once everything that was done in the directory before the call survives a power cut. Calls that come while
 * a sync is under way share the next one, for that one may have begun too early for them.
 */
export type DirectorySync = (directory: string) => Promise<void>;

export function openDirectorySync(flags?: number): DirectorySync {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  const start = (directory: string): Promise<void> => {
    waiting.delete(directory);
    const sync = syncStanding(directory, flags).finally(() => {
      if (running.get(directory) === sync) running.delete(directory);
    });
    running.set(directory, sync);
    return sync;
  };

  return directory => {
    const shared = waiting.get(directory);
    if (shared !== undefined) return shared;
    const current = running.get(directory);
    if (current === undefined) return start(directory);
    const next = current.then(
      () => start(directory),
      () => start(directory),
    );
    waiting.set(directory, next);
    return next;
  };
}

/** For an entry that was removed together with its directory, the one above tells of it. */
async function syncStanding(directory: string, flags: number | undefined): Promise<void> {
  try {
    await syncDirectory(directory, flags);
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return syncStanding(path.dirname(directory), flags);
    throw error;
  }
}

/** Resolves once the bytes of the new file survive a power cut; its name does once its directory is synced. */
export async function writeSyncedFile(
  file: string,
  content: string | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await using handle = await open(file, 'wx', ownerOnly);
  await handle.writeFile(content);
  await handle.sync();
}
