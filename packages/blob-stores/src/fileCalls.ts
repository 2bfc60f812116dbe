/**
 * The file system calls of the staging and the disk store. They use plain descriptors, which cost half as much as `FileHandle`s, and fail
 * with the service's error codes.
 */
import fs from 'node:fs';
import { hasCode, isDiskFull, readAll, writeAll } from '@tapedeck/durable-files';
import { Failure } from '@tapedeck/values/failure';
import { BlobStoreFailure } from './failures.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;

/** The owner may write. The group may read, so that a backup can run as another user. */
const fileMode = 0o640;
export const directoryMode = 0o750;

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;

/** Makes a promise of a call. Takes fewer steps than `promisify`, because every upload makes such calls. */
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

/** Opens a file, creates it if it is missing, and truncates it to the size. */
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

/** Opens a plain file. Returns null if there is none. It doesn't follow symbolic links. */
export function openFile(at: string): Promise<number | null> {
  const open = call<number>(done => fs.open(at, O_RDONLY | O_NOFOLLOW, done));
  return orNull(open, ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK']);
}

/** Closes synchronously: the bytes are synced or not wanted, so there is nothing to wait for. */
export function closeFile(descriptor: number): void {
  fs.closeSync(descriptor);
}

/** Writes all bytes after those written before. */
export function writeChunks(descriptor: number, chunks: readonly Uint8Array[]): Promise<void> {
  return explained(writeAll(descriptor, chunks, null));
}

/** Returns fewer bytes than requested only at the end of the file. */
export async function readAt(descriptor: number, position: number, lengthBytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(lengthBytes);
  return buffer.subarray(0, await explained(readAll(descriptor, buffer, position)));
}

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

/** Returns false if there was no file. */
export async function removeFile(at: string): Promise<boolean> {
  const unlink = call<true>(done => fs.unlink(at, error => done(error, true)));
  return (await orNull(unlink, ['ENOENT', 'ENOTDIR'])) ?? false;
}

export async function removeDirectoryIfEmpty(at: string): Promise<boolean> {
  const remove = call<true>(done => fs.rmdir(at, error => done(error, true)));
  return (await orNull(remove, ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'])) ?? false;
}

/** Doesn't follow links. Returns null if there is no file. The system usually answers from memory. */
export function statFile(at: string): fs.Stats | null {
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

export function explained<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    throw explain(error);
  });
}

/** Explains full and failing disks, which aren't bugs of this program. */
export function explain(cause: unknown): unknown {
  if (isDiskFull(cause)) {
    return new BlobStoreFailure('disk_full', 'The disk of the service is full: delete files or add space.', {
      cause,
    });
  }
  if (hasCode(cause, ['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ESTALE', 'ELOOP'])) {
    const sentence = 'The disk of the service is not working properly: try again later.';
    return new BlobStoreFailure('blobs_unavailable', sentence, { retryAfterSeconds: 5, cause });
  }
  return cause;
}
