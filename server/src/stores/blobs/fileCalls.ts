/**
 * The calls to the file system that staging and the disk store make: on plain descriptors, which cost half of what
 * `FileHandle`s do, and failing in the service's words.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ServiceError } from '../../vocabulary.ts';

const calls = {
  open: promisify(fs.open),
  close: promisify(fs.close),
  read: promisify(fs.read),
  writev: promisify(fs.writev),
  fdatasync: promisify(fs.fdatasync),
  fsync: promisify(fs.fsync),
  rename: promisify(fs.rename),
  unlink: promisify(fs.unlink),
  rmdir: promisify(fs.rmdir),
  mkdir: promisify(fs.mkdir),
  lutimes: promisify(fs.lutimes),
};
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;

/** The owner may write, the group may read, for a backup that runs as another user. */
const fileMode = 0o640;
const directoryMode = 0o750;

export async function openNewFile(at: string): Promise<number> {
  return explainFailure(calls.open(at, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode));
}

/** null when there is no plain file of that name: a symbolic link is none, and not followed. */
export async function openFile(at: string): Promise<number | null> {
  return orNull(calls.open(at, O_RDONLY | O_NOFOLLOW), ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK']);
}

export async function closeFile(descriptor: number): Promise<void> {
  await explainFailure(calls.close(descriptor));
}

/** Behind what was written before, all of it. */
export async function writeChunks(descriptor: number, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks;
  while (rest.length > 0) {
    const { bytesWritten } = await explainFailure(calls.writev(descriptor, rest));
    rest = dropBytes(rest, bytesWritten);
  }
}

function dropBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}

/** Fewer bytes than asked for only at the end of the file. */
export async function readAt(descriptor: number, position: number, lengthBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(lengthBytes);
  let filled = 0;
  while (filled < lengthBytes) {
    const { bytesRead } = await explainFailure(
      calls.read(descriptor, buffer, filled, lengthBytes - filled, position + filled),
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export async function syncFile(descriptor: number): Promise<void> {
  await explainFailure(calls.fdatasync(descriptor));
}

export async function renameFile(from: string, to: string): Promise<void> {
  await explainFailure(calls.rename(from, to));
}

export async function setModifiedAt(at: string, modifiedAt: number): Promise<void> {
  await explainFailure(calls.lutimes(at, modifiedAt / 1000, modifiedAt / 1000));
}

/** False when there was none. */
export async function removeFile(at: string): Promise<boolean> {
  return (await orNull(calls.unlink(at), ['ENOENT', 'ENOTDIR'])) !== null;
}

/** Leaves it alone when something is in it. */
export async function removeDirectoryIfEmpty(at: string): Promise<boolean> {
  return (await orNull(calls.rmdir(at), ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'])) !== null;
}

/** False when it was there already. */
export async function makeDirectory(at: string): Promise<boolean> {
  return (await orNull(calls.mkdir(at, { mode: directoryMode }), ['EEXIST'])) !== null;
}

/** For an entry that was removed together with its directory, the one above tells of it. */
export async function syncDirectory(at: string): Promise<void> {
  const descriptor = await orNull(calls.open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), ['ENOENT']);
  if (descriptor === null) return syncDirectory(path.dirname(at));
  try {
    await explainFailure(calls.fsync(descriptor));
  } finally {
    await closeFile(descriptor);
  }
}

/** What lies there, itself rather than what it points to; null when there is nothing. Answered from memory, mostly. */
export function lookAt(at: string): fs.Stats | null {
  try {
    return fs.lstatSync(at, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (hasCode(error, ['ENOTDIR'])) return null;
    throw explain(error);
  }
}

async function orNull<T>(call: Promise<T>, absent: readonly string[]): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, absent)) return null;
    throw explain(error);
  }
}

/** A disk that is full, and one that fails, are not this program's mistakes. */
export async function explainFailure<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw explain(error);
  }
}

function explain(cause: unknown): unknown {
  if (hasCode(cause, ['ENOSPC', 'EDQUOT'])) {
    return new ServiceError('disk_full', 'The disk of the service is full: delete files, or add room.', {
      cause,
    });
  }
  if (hasCode(cause, ['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ESTALE', 'ELOOP'])) {
    const sentence = 'The disk of the service does not answer as it should: try again later.';
    return new ServiceError('blobs_unavailable', sentence, { retryAfterSeconds: 5, cause });
  }
  return cause;
}

export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some(code => code === error.code);
}
