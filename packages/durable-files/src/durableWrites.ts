/**
 * Writes all bytes, and makes files and their names survive a power cut, for every store on this machine's disk. Plain descriptors cost
 * half as much as `FileHandle`s.
 */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './failures.ts';

const openDescriptor = promisify(fs.open);
const fsync = promisify(fs.fsync);

const ownerOnly = 0o600; // only the owner may read backups and secrets

/** Resolves once created, renamed and removed names in the directory survive a power cut. */
export async function syncDirectory(directory: string, flags = fs.constants.O_RDONLY): Promise<void> {
  const descriptor = await openDescriptor(directory, flags);
  try {
    await fsync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Resolves once everything done in the directory before the call survives a power cut. Calls that arrive during a sync share the next
 * one, because the current one may have begun too early for them.
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

/** Syncs the directory, or its parent if the directory was removed too. */
async function syncStanding(directory: string, flags: number | undefined): Promise<void> {
  try {
    await syncDirectory(directory, flags);
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return syncStanding(path.dirname(directory), flags);
    throw error;
  }
}

/** Resolves once the bytes of the new file survive a power cut. Its name does once its directory is synced. */
export async function writeSyncedFile(
  file: string,
  content: string | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await using handle = await open(file, 'wx', ownerOnly);
  await handle.writeFile(content);
  await handle.sync();
}

/**
 * Writes everything from the position on; null continues after the last write. After a short write it tries the rest, and the system then
 * says why it stopped.
 */
export async function writeAll(
  descriptor: number,
  chunks: readonly Uint8Array[],
  position: number | null,
): Promise<void> {
  let remaining = chunks;
  let at = position;
  while (remaining.length > 0) {
    const bytes = await writeSome(descriptor, remaining, at);
    remaining = dropBytes(remaining, bytes);
    if (at !== null) at += bytes;
  }
}

/** Fills the buffer from the position on. Returns fewer bytes only at the end of the file. */
export async function readAll(descriptor: number, into: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const bytes = await readSome(descriptor, into.subarray(filled), position + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

function dropBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let remaining = bytes;
  for (const [index, chunk] of chunks.entries()) {
    if (remaining < chunk.length) return [chunk.subarray(remaining), ...chunks.slice(index + 1)];
    remaining -= chunk.length;
  }
  return [];
}

function writeSome(
  descriptor: number,
  chunks: readonly Uint8Array[],
  position: number | null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.writev(descriptor, chunks, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

function readSome(descriptor: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(descriptor, into, 0, into.length, position, (error, bytes) =>
      error ? reject(error) : resolve(bytes),
    );
  });
}
