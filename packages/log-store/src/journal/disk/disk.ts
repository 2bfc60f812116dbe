/** Port to the disk. Tests inject failures and crashes; the service uses `localDisk`. */
import fs from 'node:fs';
import { readdir, rename, rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { makeDirectory, readAll, syncDirectory, writeAll } from '@tapedeck/durable-files';

const fdatasync = promisify(fs.fdatasync);
const ftruncate = promisify(fs.ftruncate);
const close = promisify(fs.close);
const stat = promisify(fs.fstat);
const openFile = promisify(fs.open);

export type JournalFile = AsyncDisposable & {
  /** Writes all bytes at the position. If it rejects, any of them may have been written. */
  write(pieces: readonly Buffer[], position: number): Promise<void>;
  /** Resolves once everything written survives a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Fills the buffer from the position on; fewer bytes mean the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  size(): Promise<number>;
  /** A second call does nothing. */
  close(): Promise<void>;
};

export type JournalDisk = {
  makeDirectory(path: string): Promise<void>;
  /** Lists the names of the files in a directory, in no particular order. */
  list(directory: string): Promise<string[]>;
  /** An existing file is an error. */
  create(path: string): Promise<JournalFile>;
  open(path: string): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves once created and removed names in the directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  measureSpace(path: string): Promise<{ freeBytes: number; totalBytes: number }>;
};

export const localDisk: JournalDisk = {
  makeDirectory: path => makeDirectory(path, 0o700),
  list: path => readdir(path),
  create: async path => wrapFile(await openFile(path, 'wx+', 0o600)),
  open: async path => wrapFile(await openFile(path, 'r+')),
  rename,
  remove: path => rm(path, { force: true }),
  syncDirectory: path => syncDirectory(path),
  async measureSpace(path) {
    const { bavail, blocks, bsize } = await statfs(path);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
};

function wrapFile(descriptor: number): JournalFile {
  let isOpen = true;
  const closeOnce = async () => {
    if (isOpen) await close(descriptor);
    isOpen = false;
  };
  return {
    write: (pieces, position) => writeAll(descriptor, pieces, position),
    sync: () => fdatasync(descriptor),
    truncate: length => ftruncate(descriptor, length),
    read: (into, position) => readAll(descriptor, into, position),
    size: async () => (await stat(descriptor)).size,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
