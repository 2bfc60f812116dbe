/** Keeps unfinished uploads as files beside the blobs: appends to them, syncs them as they grow, and links finished ones into place. */
import { link, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { type DirectorySync, hasCode, makeDirectory, writeAll } from '@tapedeck/durable-files';
import type { BlobPlace, ByteRange, Partial, PartialBlobs, PartialBytes } from './blobStore.ts';
import type { DiskTree } from './diskTree.ts';
import { BlobStoreFailure } from './failures.ts';
import {
  closeFile,
  explained,
  openFile,
  openPartialFile,
  removeFile,
  renameFile,
  statFile,
  syncFile,
} from './fileCalls.ts';
import { openRangeStream } from './rangeStream.ts';

const writeBytesMin = 512 * 1024; // larger writes gain little
const syncedBytesMax = 16 * 1024 * 1024; // what a crash may lose: a second on a fast line
const namePattern = /^[0-9A-Za-z]{20}$/;

type DiskPartialsPlaces = { directory: string; files: DiskTree; syncDirectory: DirectorySync };

export class DiskPartials implements PartialBlobs {
  readonly #directory: string;
  readonly #files: DiskTree;
  readonly #syncDirectory: DirectorySync;

  constructor({ directory, files, syncDirectory }: DiskPartialsPlaces) {
    this.#directory = directory;
    this.#files = files;
    this.#syncDirectory = syncDirectory;
  }

  async append({ name, sizeBytes }: Partial, bytes: PartialBytes): Promise<void> {
    const descriptor = await this.#open(name, sizeBytes);
    try {
      await writeBehind(descriptor, sizeBytes, bytes);
    } finally {
      closeFile(descriptor);
    }
  }

  /** Syncs the directory before the first bytes, because an earlier try may have created the file without that. */
  async #open(name: string, sizeBytes: number): Promise<number> {
    const at = this.#pathOf(name);
    const size = statFile(at)?.size ?? null;
    if (size === null) await makeDirectory(this.#directory);
    if ((size ?? 0) < sizeBytes) throw new BlobStoreFailure('blobs_unavailable', lostSentence);
    const descriptor = await openPartialFile(at, sizeBytes);
    try {
      if (sizeBytes === 0) await explained(this.#syncDirectory(this.#directory));
    } catch (error) {
      closeFile(descriptor);
      throw error;
    }
    return descriptor;
  }

  async read({ name }: Partial, { start, end }: ByteRange): Promise<Readable> {
    const descriptor = await openFile(this.#pathOf(name));
    if (descriptor === null) throw new BlobStoreFailure('blobs_unavailable', lostSentence);
    return openRangeStream({ descriptor, start, end });
  }

  async isThere({ name, sizeBytes }: Partial): Promise<boolean> {
    const size = statFile(this.#pathOf(name))?.size ?? 0;
    if (size === 0 && sizeBytes > 0 && statFile(this.#directory) === null)
      throw new BlobStoreFailure('blobs_unavailable', goneSentence);
    return size >= sizeBytes;
  }

  async promote({ name, sizeBytes }: Partial, { place }: { place: BlobPlace }): Promise<void> {
    const at = this.#pathOf(name);
    if (statFile(at)?.size !== sizeBytes) throw new BlobStoreFailure('blobs_unavailable', lostSentence);
    await this.#files.moveIn(place, to => linkFile(at, to));
    await this.#files.syncDirectoryOf(place);
  }

  delete(name: string): Promise<boolean> {
    return removeFile(this.#pathOf(name));
  }

  async *list(): AsyncGenerator<string> {
    const names = await readdir(this.#directory).catch(error => {
      if (hasCode(error, ['ENOENT'])) return [];
      throw error;
    });
    yield* names.filter(name => namePattern.test(name));
  }

  #pathOf(name: string): string {
    if (!namePattern.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of an upload.`);
    return path.join(this.#directory, name);
  }
}

const goneSentence = 'The folder of unfinished uploads is missing: check that its disk is mounted.';
const lostSentence = 'The bytes of this upload are no longer on the disk of the service: start a new upload.';

/**
 * Keeps the bytes before the chunks failed. After a failed sync it keeps nothing more: the system may have dropped those bytes, and a
 * second sync would succeed all the same.
 */
async function writeBehind(
  descriptor: number,
  from: number,
  { chunks, reportStored }: PartialBytes,
): Promise<void> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let written = from;
  let synced = from;
  let hasSyncFailed = false;
  const write = async () => {
    const [some, bytes] = [waiting, waitingBytes];
    [waiting, waitingBytes] = [[], 0];
    await explained(writeAll(descriptor, some, written));
    written += bytes;
  };
  const keep = async () => {
    await write();
    if (written === synced || hasSyncFailed) return;
    hasSyncFailed = true;
    await syncFile(descriptor);
    hasSyncFailed = false;
    synced = written;
    await reportStored(synced);
  };
  try {
    for await (const chunk of chunks) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (written + waitingBytes - synced >= syncedBytesMax) await keep();
      else if (waitingBytes >= writeBytesMin) await write();
    }
  } catch (error) {
    await keep();
    throw error;
  }
  await keep();
}

/** Links the file, or moves it if the file system has no links. A crash just after a move would lose the upload. */
async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])) throw error;
    await renameFile(from, to);
  }
}
