/**
 * Holds uploads in progress as files in one directory of the local disk, for both the disk store and S3. It counts, hashes and writes
 * incoming bytes in one pass.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { lockDirectory, lockName, makeDirectory } from '@tapedeck/durable-files';
import type { StagedFile, Staging, StagingFile, StagingLimit } from './blobStore.ts';
import {
  closeFile,
  openFile,
  openNewFile,
  readAt,
  removeFile,
  renameFile,
  statFile,
  syncFile,
  writeAt,
  writeChunks,
} from './fileCalls.ts';
import { openRangeStream } from './rangeStream.ts';

const stagingBytes = 8 * 1024 * 1024; // shared by all uploads: bytes collected before a write, and as many again during it
const stagingAppendBytesMin = 64 * 1024; // one read from a socket
export const stagingAppendBytesMax = 1024 * 1024; // larger writes gain nothing
const nameBytes = 10; // random, so that names never repeat

/** Opens a staging directory that only this process uses until it disposes of it. Removes what an earlier process left there. */
export async function openOwnStaging(directory: string): Promise<Staging & Disposable> {
  await makeDirectory(directory);
  checkDirectory(directory);
  using opened = new DisposableStack();
  const taken = `Another service uses the directory ${directory}; give each its own directory.`;
  opened.use(lockDirectory(directory, taken));
  for (const name of await readdir(directory)) {
    if (name !== lockName) await rm(path.join(directory, name), { recursive: true });
  }
  const staging = await openStaging(path.join(directory, 'files'));
  const held = opened.move();
  return { ...staging, [Symbol.dispose]: () => held.dispose() };
}

export async function openStaging(directory: string): Promise<Staging> {
  await makeDirectory(directory);
  checkDirectory(directory);
  const underWay = new Set<StagingFile>();
  const create = () => {
    const name = randomBytes(nameBytes).toString('hex');
    const file = new DiskStagingFile(path.join(directory, name), underWay);
    underWay.add(file);
    return file;
  };
  return {
    create,
    stage: async (chunks, limit) => stageChunks(create(), chunks, limit),
    patch: patchStaged,
  };
}

function checkDirectory(directory: string): void {
  if (statFile(directory)?.isDirectory() !== true)
    throw new Error(`${directory} must be a directory, not a link to one.`);
}

class DiskStagingFile implements StagingFile {
  #path: string;
  #descriptor: number | undefined;
  #isMoved = false;
  #isDisposed = false;
  /** The call in progress. Closing a descriptor during a call could close the next file that gets its number. */
  #busy: Promise<unknown> = Promise.resolve();

  readonly #underWay: Set<StagingFile>;

  constructor(at: string, underWay: Set<StagingFile>) {
    this.#path = at;
    this.#underWay = underWay;
  }

  get appendBytes(): number {
    const share = stagingBytes / this.#underWay.size;
    return Math.min(Math.max(share, stagingAppendBytesMin), stagingAppendBytesMax);
  }

  append(chunks: readonly Uint8Array[]): Promise<void> {
    return this.#run(async descriptor => writeChunks(descriptor, chunks));
  }

  overwrite(position: number, bytes: Uint8Array): Promise<void> {
    return this.#run(descriptor => writeAt(descriptor, position, bytes));
  }

  read(position: number, lengthBytes: number): Promise<Buffer> {
    return this.#run(descriptor => readAt(descriptor, position, lengthBytes));
  }

  sync(): Promise<void> {
    return this.#run(syncFile);
  }

  moveTo(to: string): Promise<void> {
    return this.#run(async () => {
      await renameFile(this.#path, to);
      this.#path = to;
      this.#isMoved = true;
    });
  }

  async stream(): Promise<Readable> {
    // Opens a second descriptor, so that disposing of the file doesn't cut off its readers.
    const descriptor = await this.#run(() => openFile(this.#path));
    if (descriptor === null) throw new Error('The staged file is gone.');
    return openRangeStream({ descriptor, start: 0, end: Number.POSITIVE_INFINITY });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#underWay.delete(this);
    await this.#busy.catch(() => {}); // that call reports its own failure
    if (this.#descriptor === undefined) return;
    closeFile(this.#descriptor);
    if (!this.#isMoved) await removeFile(this.#path);
  }

  #run<T>(call: (descriptor: number) => Promise<T>): Promise<T> {
    if (this.#isDisposed) throw new Error('The staging file was disposed of.');
    const result = this.#busy.then(async () => {
      if (this.#descriptor === undefined) {
        checkDirectory(path.dirname(this.#path));
        this.#descriptor = await openNewFile(this.#path);
      }
      return call(this.#descriptor);
    });
    this.#busy = result.catch(() => {}); // the caller has `result`
    return result;
  }
}

async function patchStaged(
  { file }: StagedFile,
  patches: Parameters<Staging['patch']>[1],
): Promise<StagedFile> {
  for (const { offset, bytes } of patches) await file.overwrite(offset, bytes);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of await file.stream()) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return stagedFile(file, [], { sizeBytes, sha256: hash.digest('hex') });
}

/** Removes the file if it rejects. */
async function stageChunks(
  file: StagingFile,
  chunks: AsyncIterable<Uint8Array>,
  limit: StagingLimit,
): Promise<StagedFile> {
  try {
    return await writeAll(file, chunks, limit);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function writeAll(
  file: StagingFile,
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax, refuse }: StagingLimit,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw refuse();
    hash.update(chunk);
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < file.appendBytes) continue;
    // Writes while the bytes for the next write arrive.
    await writing;
    writing = file.append(waiting);
    writing.catch(() => {}); // the next `await` of it throws
    waiting = [];
    waitingBytes = 0;
    // With many uploads, another one writes meanwhile. Holding more bytes would gain nothing.
    if (file.appendBytes <= stagingAppendBytesMin) await writing;
  }
  await writing;
  await file.append(waiting);
  const inMemory = writing === undefined ? waiting : [];
  return stagedFile(file, inMemory, { sizeBytes, sha256: hash.digest('hex') });
}

/** Reads a file that was written in one piece from the memory that still holds it. */
function stagedFile(
  file: StagingFile,
  inMemory: readonly Uint8Array[],
  facts: { sizeBytes: number; sha256: string },
): StagedFile {
  const [first = Buffer.alloc(0)] = inMemory;
  let joined: Buffer | undefined;
  return {
    file,
    ...facts,
    read: async (position, lengthBytes) => {
      const end = Math.max(position, Math.min(position + lengthBytes, facts.sizeBytes));
      if (inMemory.length === 0) return file.read(position, end - position);
      if (end <= first.length) return Buffer.from(first.buffer, first.byteOffset + position, end - position);
      joined ??= Buffer.concat(inMemory);
      return joined.subarray(position, end);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
