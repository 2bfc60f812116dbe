/**
 * Keeps the indexes of large projects on disk, so that a start need not read all files. A snapshot holds a token that the database got
 * after the snapshot's state was read. While the database knows the token, the snapshot and the later changes lead to the present state.
 * A database restored to an earlier time doesn't know the token, so the index is rebuilt.
 */
import { hash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  type Block,
  blockVersion,
  bucketPositions,
  type ProjectIndex,
  readBlock,
  writeBlock,
} from '@tapedeck/file-index';
import { buildInstallationFacts } from '../../installation.ts';
import type { MetadataDatabase } from '../../schema.ts';

const writtenApartMs = 15 * 60_000; // a million files take 250 MB
const staleShare = 10; // a tenth of the blocks would have to be read again
const staleBlocksMin = 4;
const changedMsMax = 24 * 3_600_000; // names of deleted files leave the disk within a day
const headBytes = 8; // the length and checksum of a frame
const frameBytesMax = 256 * 1024 * 1024; // more than any block holds

type Header = Omit<ProjectIndex, 'blocks'> & {
  version: number;
  token: string;
  project: string;
  blocks: number;
};
type Written = Pick<Header, 'token' | 'lastPosition' | 'lastChange'> & { readAt: number };

export class FileSnapshots {
  readonly #database: MetadataDatabase;
  readonly #directory: string;
  readonly #written = new Map<string, Written>();
  readonly #restUntil = new Map<string, number>();

  constructor(database: MetadataDatabase, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Returns null if there is no readable and reliable snapshot. */
  async read(project: string, signal: AbortSignal | null): Promise<ProjectIndex | null> {
    try {
      await using file = await open(this.#nameFile(project));
      return await this.#readFrom(file, project, signal);
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  }

  async #readFrom(
    file: FileHandle,
    project: string,
    signal: AbortSignal | null,
  ): Promise<ProjectIndex | null> {
    // Written below. Damage throws.
    const header = JSON.parse((await readFrame(file)).toString()) as Header;
    if (header.version !== blockVersion || header.project !== project) return null;
    const facts = buildInstallationFacts(this.#database.reading);
    if ((await facts.find(nameFact(header.token))) === null) return null;
    const blocks = new Map<number, Block>();
    for (let count = 0; count < header.blocks; count++) {
      const block = readBlock(await readFrame(file));
      blocks.set(block.columns.bucket, block);
      signal?.throwIfAborted();
    }
    const { token, lastPosition, lastChange, files } = header;
    this.#written.set(project, { token, lastPosition, lastChange, readAt: performance.now() });
    return { lastPosition, lastChange, files, blocks };
  }

  /** Writes a snapshot unless the current one still saves most of the work. */
  async writeWhenDue(project: string, index: ProjectIndex, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    if (now < (this.#restUntil.get(project) ?? 0) || !this.#isStale(project, index)) return;
    this.#restUntil.set(project, now + writtenApartMs);
    await this.#write(project, index, signal);
  }

  #isStale(project: string, { lastPosition, lastChange, blocks }: ProjectIndex): boolean {
    const written = this.#written.get(project);
    if (written === undefined) return true;
    const changed = lastChange - written.lastChange + (lastPosition - written.lastPosition) / bucketPositions;
    if (performance.now() - written.readAt > changedMsMax) return changed > 0;
    return changed > Math.max(staleBlocksMin, blocks.size / staleShare);
  }

  async #write(project: string, index: ProjectIndex, signal: AbortSignal): Promise<void> {
    const { blocks, ...state } = index;
    const { lastPosition, lastChange } = state;
    const token = randomBytes(16).toString('hex');
    const header: Header = { ...state, version: blockVersion, token, project, blocks: blocks.size };
    const name = this.#nameFile(project);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    try {
      await writeBlocks(`${name}.new`, header, { blocks: blocks.values(), signal });
    } catch (error) {
      await rm(`${name}.new`, { force: true });
      throw error;
    }
    const before = this.#written.get(project);
    await this.#database.transact(async queries => {
      const facts = buildInstallationFacts(queries);
      await facts.put(nameFact(token), project);
      if (before !== undefined) await facts.remove(nameFact(before.token));
    });
    // Not synced: a power cut may damage the file, and its checksums would show that.
    await rename(`${name}.new`, name);
    this.#written.set(project, { token, lastPosition, lastChange, readAt: performance.now() });
  }

  /** Removes snapshots of deleted projects and of those that have become small. */
  async keepOnly(projects: readonly string[]): Promise<void> {
    const kept = new Set(projects.map(project => path.basename(this.#nameFile(project))));
    const names = await readdir(this.#directory).catch(() => []); // the first snapshot creates the directory
    for (const name of names)
      if (!kept.has(name)) await rm(path.join(this.#directory, name), { force: true });
  }

  #nameFile(project: string): string {
    return path.join(this.#directory, hash('sha256', project));
  }
}

function nameFact(token: string): string {
  return `file index ${token}`;
}

async function writeBlocks(
  name: string,
  header: Header,
  { blocks, signal }: { blocks: Iterable<Block>; signal: AbortSignal },
): Promise<void> {
  await using file = await open(name, 'w', 0o600);
  await writeFrame(file, Buffer.from(JSON.stringify(header)));
  for (const block of blocks) {
    await writeFrame(file, writeBlock(block));
    await setImmediate();
    signal.throwIfAborted();
  }
}

async function writeFrame(file: FileHandle, bytes: Buffer): Promise<void> {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(crc32(bytes), 4);
  await file.writev([head, bytes]);
}

/** Throws if the frame isn't what was written. */
async function readFrame(file: FileHandle): Promise<Buffer> {
  const head = await readWhole(file, headBytes);
  const length = head.readUInt32LE(0);
  if (length > frameBytesMax) throw new Error('A frame of a snapshot is damaged.');
  const bytes = await readWhole(file, length);
  if (crc32(bytes) !== head.readUInt32LE(4)) throw new Error('A frame of a snapshot is damaged.');
  return bytes;
}

async function readWhole(file: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length);
  if (bytesRead < length) throw new Error('A snapshot ends too early.');
  return buffer;
}
