/** A file that is removed when the disk is full, so that deleting has room to work in. */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { fillReserve, makeDirectory } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/failures';
import type { DiskReserve } from './blobStore.ts';
import { closeFile, lookAt, openNewFile, removeFile, syncFile, writeChunks } from './fileCalls.ts';

const diskReserveBytes = 8 * 1024 * 1024; // a few hundred transactions of deleting
/** Taking the reserve must not fill the disk again that was just relieved. */
const roomFactor = 4;

export async function openDiskReserve(
  directory: string,
  sizeBytes: number = diskReserveBytes,
): Promise<DiskReserve> {
  await makeDirectory(directory);
  const at = path.join(directory, 'reserve');
  let refilling: Promise<boolean> | undefined;

  const refill = async (): Promise<boolean> => {
    if (lookAt(at)?.size === sizeBytes) return true;
    await removeFile(at); // one that was cut short
    const room = await statfs(directory);
    if (room.bavail * room.bsize < sizeBytes * roomFactor) return false;
    try {
      await writeReserve(at, sizeBytes);
      return true;
    } catch (error) {
      await removeFile(at);
      if (error instanceof Failure && error.code === 'disk_full') return false;
      throw error;
    }
  };

  return {
    release: () => removeFile(at),
    refill: () => {
      refilling ??= refill().finally(() => {
        refilling = undefined;
      });
      return refilling;
    },
  };
}

async function writeReserve(at: string, sizeBytes: number): Promise<void> {
  const descriptor = await openNewFile(at);
  try {
    for (const chunk of fillReserve(sizeBytes)) await writeChunks(descriptor, [chunk]);
    await syncFile(descriptor);
  } finally {
    closeFile(descriptor);
  }
}
