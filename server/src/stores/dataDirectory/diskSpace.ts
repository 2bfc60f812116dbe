/** Measures free space on the disk of the data directory. */
import { randomBytes } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { DiskMeasure } from '@tapedeck/domain/operations/diskWatch';
import { isDiskFull } from '@tapedeck/durable-files';

const suspectBytes = 4 * 1024 * 1024; // small files always fit if more than this is free
const suspectFiles = 16;
const trialBytes = 64 * 1024;

/** `freeBytes` is the space for programs other than the system's. */
export async function measureDisk(directory: string): Promise<DiskMeasure> {
  const [{ bavail, blocks, bsize, ffree, files }, { dev }] = await Promise.all([
    statfs(directory),
    stat(directory),
  ]);
  return {
    fileSystem: dev,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    // Some file systems create inodes on demand and report none.
    freeFiles: ffree,
    filesMax: files,
  };
}

/**
 * True if no program can write any more. With little space left, writes a small trial file: system programs may write more than the disk
 * reports, and quotas may allow less. With no space even for the system, skips the trial: freeing the trial file a moment later would look
 * like new space.
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
