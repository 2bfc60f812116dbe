/** What the journal asks of the disk. Tests put failures and deaths in between; the service takes `localDisk`. */
import fs from 'node:fs';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { syncDirectory } from '../../disk/syncing.ts';

const writev = promisify(fs.writev);
const read = promisify(fs.read);
const fdatasync = promisify(fs.fdatasync);
const ftruncate = promisify(fs.ftruncate);
const close = promisify(fs.close);
const stat = promisify(fs.fstat);
const openFile = promisify(fs.open);

export type JournalFile = AsyncDisposable & {
  /** Writes all of the bytes at the position, or rejects; then any part of them may have been written. */
  write(pieces: readonly Buffer[], position: number): Promise<void>;
  /** Resolves once everything written survives a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Fills the buffer from the position on; fewer bytes mean the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  size(): Promise<number>;
  /** A second time does nothing. */
  close(): Promise<void>;
};

export type JournalDisk = {
  makeDirectory(path: string): Promise<void>;
  /** Names of the files in a directory, in no order. */
  list(directory: string): Promise<string[]>;
  /** An existing file is an error. */
  create(path: string): Promise<JournalFile>;
  open(path: string): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves once names that were made or removed in the directory survive a power cut. */
  syncDirectory(path: string): Promise<void>;
  measureSpace(path: string): Promise<{ freeBytes: number; totalBytes: number }>;
};

export const localDisk: JournalDisk = {
  makeDirectory: async path => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
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

/** A short write is no failure: the system says why it stopped when the rest is tried. */
async function writeAll(descriptor: number, pieces: readonly Buffer[], position: number): Promise<void> {
  let left = pieces;
  let at = position;
  while (left.length > 0) {
    const { bytesWritten } = await writev(descriptor, left, at);
    at += bytesWritten;
    left = dropBytes(left, bytesWritten);
  }
}

function dropBytes(pieces: readonly Buffer[], count: number): Buffer[] {
  const left: Buffer[] = [];
  let dropped = 0;
  for (const piece of pieces) {
    const skip = Math.min(count - dropped, piece.length);
    dropped += skip;
    if (skip < piece.length) left.push(piece.subarray(skip));
  }
  return left;
}

async function readAll(descriptor: number, into: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await read(descriptor, into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
