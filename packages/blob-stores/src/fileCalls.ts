/**
 * The calls to the file system that staging and the disk store make: on plain descriptors, which cost half of what
 * `FileHandle`s do, and failing in the service's words.
 */
import fs from 'node:fs';
import { hasCode, isDiskFull, readAll, writeAll } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/values/failure';
import { BlobStoreFailure } from './failures.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;

/** The owner may write, the group may read, for a backup that runs as another user. */
const fileMode = 0o640;
export const directoryMode = 0o750;

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** A call as a promise, its failures explained. Fewer steps than `promisify`, and these are made for every upload. */
function call<T>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) =>
      error === null || error === undefined ? resolve(value) : reject(explain(error)),
    );
  });
}

export function openNewFile(at: string): Promise<number> {
  return call<number>(done => fs.open(at, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode, done));
}

/** Made where it is missing, and cut to the size where it is longer. */
export async function openPartialFile(at: string, sizeBytes: number): Promise<number> {
  const descriptor = await call<number>(done => fs.open(at, O_RDWR | O_CREAT | O_NOFOLLOW, fileMode, done));
  await call<void>(done => fs.ftruncate(descriptor, sizeBytes, error => done(error, undefined))).catch(
    error => {
      closeFile(descriptor);
      throw error;
    },
  );
  return descriptor;
}

/** null when there is no plain file of that name: a symbolic link is none, and not followed. */
export function openFile(at: string): Promise<number | null> {
  const open = call<number>(done => fs.open(at, O_RDONLY | O_NOFOLLOW, done));
  return orNull(open, ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK']);
}

/** Closes at once: the bytes have been synced or are not wanted, so there is nothing to wait for. */
export function closeFile(descriptor: number): void {
  fs.closeSync(descriptor);
}

/** Writes all bytes after those written before. */
export function writeChunks(descriptor: number, chunks: readonly Uint8Array[]): Promise<void> {
  return explained(writeAll(descriptor, chunks, null));
}

/** Fewer bytes than asked for only at the end of the file. */
export async function readAt(descriptor: number, position: number, lengthBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(lengthBytes);
  return buffer.subarray(0, await explained(readAll(descriptor, buffer, position)));
}

/** Over those that are there. */
export function writeAt(descriptor: number, position: number, bytes: Uint8Array): Promise<void> {
  return explained(writeAll(descriptor, [bytes], position));
}

export function syncFile(descriptor: number): Promise<void> {
  return call<void>(done => fs.fdatasync(descriptor, error => done(error, undefined)));
}

export function renameFile(from: string, to: string): Promise<void> {
  return call<void>(done => fs.rename(from, to, error => done(error, undefined)));
}

export function setModifiedAt(at: string, modifiedAt: number): Promise<void> {
  const seconds = modifiedAt / 1000;
  return call<void>(done => fs.lutimes(at, seconds, seconds, error => done(error, undefined)));
}

/** False when there was none. */
export async function removeFile(at: string): Promise<boolean> {
  const unlink = call<true>(done => fs.unlink(at, error => done(error, true)));
  return (await orNull(unlink, ['ENOENT', 'ENOTDIR'])) ?? false;
}

/** Leaves it alone when something is in it. */
export async function removeDirectoryIfEmpty(at: string): Promise<boolean> {
  const remove = call<true>(done => fs.rmdir(at, error => done(error, true)));
  return (await orNull(remove, ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'])) ?? false;
}

/** Looks at a file without following links; null when there is none. Usually answered from memory. */
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
    if (hasCode(error, absent) || (error instanceof Failure && hasCode(error.cause, absent))) return null;
    throw error;
  }
}

/** Waits for the work, and explains its failures. */
export function explained<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    throw explain(error);
  });
}

/** A disk that is full, and one that fails, are not this program's mistakes. */
export function explain(cause: unknown): unknown {
  if (isDiskFull(cause)) {
    return new BlobStoreFailure('disk_full', 'The disk of the service is full: delete files, or add room.', {
      cause,
    });
  }
  if (hasCode(cause, ['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ESTALE', 'ELOOP'])) {
    const sentence = 'The disk of the service does not answer as it should: try again later.';
    return new BlobStoreFailure('blobs_unavailable', sentence, { retryAfterSeconds: 5, cause });
  }
  return cause;
}
