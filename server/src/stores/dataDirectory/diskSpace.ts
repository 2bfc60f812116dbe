/** Measures free space on the disks that hold the data directory. */
import { randomBytes } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { isDiskFull } from '@tapedeck/durable-files';
import type { DiskMeasure } from '../../domain/operations/diskWatch.ts';

const suspectBytes = 4 * 1024 * 1024; // with more than that small files find room
const suspectFiles = 16;
const trialBytes = 64 * 1024;

/** `freeBytes`: for programs that are not the system's own. */
export async function measureDisk(directory: string): Promise<DiskMeasure> {
  const [{ bavail, blocks, bsize, ffree, files }, { dev }] = await Promise.all([
    statfs(directory),
    stat(directory),
  ]);
  return {
    fileSystem: dev,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    // Some file systems make room for as many files as there are, and count none.
    ...{ freeFiles: ffree, filesMax: files },
  };
}

/**
 * Whether nothing can be written any more. When little room is left, a small file is written as a trial, because
 * programs of the system may write more than the disk reports and quotas let others write less. When there is no room
 * even for the system's programs, no trial is made: the room of the trial file would be free again a moment later and
 * be mistaken for more.
 */
export async function isDirectoryFull(directory: string): Promise<boolean> {
  const { freeBytes, freeFiles, filesMax } = await measureDisk(directory);
  if (freeBytes >= suspectBytes && (filesMax === 0 || freeFiles >= suspectFiles)) return false;
  const { bfree, bsize } = await statfs(directory);
  if (bfree * bsize < trialBytes) return true;
  const at = path.join(directory, `.trial-${randomBytes(8).toString('hex')}`);
  try {
    await using file = await open(at, 'wx', 0o600);
    await file.write(Buffer.alloc(trialBytes, 1));
    await file.sync();
    return false;
  } catch (error) {
    if (isDiskFull(error)) return true;
    throw error;
  } finally {
    await rm(at, { force: true });
  }
}
