/** A reserve file that shrinks when the disk is full, so that deletions have space to work in. Absent while the disk has ample space. */
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { ampleFreeBytes, fillReserve, makeDirectory } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/values/failure';
import type { DiskReserve } from './blobStore.ts';
import {
  closeFile,
  openNewFile,
  openPartialFile,
  removeFile,
  statFile,
  syncFile,
  writeChunks,
} from './fileCalls.ts';

const diskReserveBytes = 8 * 1024 * 1024; // a few hundred deleting transactions
/** A few transactions. Other programs that write to the full disk can take at most one piece of the reserve at a time. */
const pieceBytes = 128 * 1024;
/** Refilling the reserve must not fill up a disk that just regained space. */
const spaceFactor = 4;

type ReserveSizes = { sizeBytes: number; ampleBytes: number };

const usualSizes: ReserveSizes = { sizeBytes: diskReserveBytes, ampleBytes: ampleFreeBytes };

export async function openDiskReserve(
  directory: string,
  { sizeBytes, ampleBytes }: ReserveSizes = usualSizes,
): Promise<DiskReserve> {
  await makeDirectory(directory);
  const at = path.join(directory, 'reserve');
  let refilling: Promise<boolean> | undefined;

  const refill = async (): Promise<boolean> => {
    const heldBytes = statFile(at)?.size ?? 0;
    if (heldBytes === sizeBytes) return true;
    const space = await statfs(directory);
    const freeBytes = space.bavail * space.bsize;
    if (freeBytes >= ampleBytes) return true;
    if (freeBytes + heldBytes < sizeBytes * spaceFactor) return false;
    await removeFile(at); // the rest of the old reserve
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
    release: () => shortenReserve(at),
    refill: () => {
      refilling ??= refill().finally(() => {
        refilling = undefined;
      });
      return refilling;
    },
  };
}

async function shortenReserve(at: string): Promise<boolean> {
  const heldBytes = statFile(at)?.size ?? 0;
  if (heldBytes === 0) return false;
  const descriptor = await openPartialFile(at, Math.max(0, heldBytes - pieceBytes));
  try {
    await syncFile(descriptor); // some file systems free the space only at a sync
  } finally {
    closeFile(descriptor);
  }
  return true;
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
