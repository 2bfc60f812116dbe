/** Keeps blobs as files on the local disk. Everything acknowledged survives a power cut. The store never follows links. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import {
  hasCode,
  makeDirectory,
  openDirectorySync,
  readMarkFile,
  writeMarkFile,
} from '@tapedeck/durable-files';
import {
  type BlobEntry,
  type BlobName,
  type BlobPlace,
  type BlobStore,
  type BlobVariant,
  type ByteRange,
  blobReadBytesMax,
  type PartialBlobs,
  type StagedFile,
} from './blobStore.ts';
import { DiskPartials } from './diskPartials.ts';
import { DiskTree, isPlaceOnDisk, placeOnDisk } from './diskTree.ts';
import { BlobStoreFailure } from './failures.ts';
import {
  closeFile,
  explain,
  explained,
  openFile,
  readAt,
  removeFile,
  renameFile,
  setModifiedAt,
  statFile,
} from './fileCalls.ts';
import { openRangeStream } from './rangeStream.ts';

type DiskBlobsConfig = {
  /** The directory for blobs, on the same file system as the staging directory. May itself be reached through a link. */
  directory: string;
  now: () => number;
};

export async function openDiskBlobs({ directory, now }: DiskBlobsConfig): Promise<BlobStore> {
  const syncDirectory = openDirectorySync(constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const files = new DiskTree(path.join(directory, 'files'), syncDirectory);
  const quarantined = new DiskTree(path.join(directory, 'quarantine'), syncDirectory);
  for (const { root } of [files, quarantined]) await makeDirectory(root);
  await explained(syncDirectory(directory));
  await explained(syncDirectory(path.dirname(path.resolve(directory))));
  const partials = new DiskPartials({ directory: path.join(directory, 'partial'), files, syncDirectory });
  return new DiskBlobs({ directory, files, quarantined, partials }, now);
}

type DiskPlaces = { directory: string; files: DiskTree; quarantined: DiskTree; partials: PartialBlobs };

class DiskBlobs implements BlobStore {
  readonly #files: DiskTree;
  readonly #quarantined: DiskTree;
  readonly #partials: PartialBlobs;
  readonly #now: () => number;
  /** Checking a place and taking it are two steps. No other call may come between them. */
  readonly #beingPut = new Set<BlobPlace>();

  readonly title: string;
  readonly #directory: string;

  constructor({ directory, files, quarantined, partials }: DiskPlaces, now: () => number) {
    this.title = `the folder ${directory}`;
    this.#directory = directory;
    this.#files = files;
    this.#quarantined = quarantined;
    this.#partials = partials;
    this.#now = now;
  }

  readMark(): Promise<string | null> {
    return readMarkFile(this.#directory);
  }

  writeMark(installationId: string): Promise<void> {
    return writeMarkFile(this.#directory, installationId);
  }

  placeOf(name: BlobName, variant: BlobVariant | null): BlobPlace {
    return placeOnDisk(name, variant);
  }

  isPlaceOf(place: BlobPlace, name: BlobName): boolean {
    return isPlaceOnDisk(place, name);
  }

  async findVariants(name: BlobName, variants: readonly BlobVariant[]): Promise<BlobVariant[]> {
    // Each picture that is made or deleted looks up hundreds of names, all in the original's directory.
    const directory = path.dirname(this.#files.pathOf(placeOnDisk(name, null)));
    const stem = path.join(directory, name.fileId);
    return variants.filter(variant => statFile(`${stem}.${variant}`)?.isFile());
  }

  async copy(from: BlobPlace, to: BlobPlace): Promise<boolean> {
    if (from !== to) throw new Error('A file has one place on disk.');
    return (await this.size(from)) !== null;
  }

  async put(place: BlobPlace, staged: StagedFile): Promise<void> {
    await staged.file.sync();
    await this.#moveIn(this.#files, place, to => staged.file.moveTo(to));
  }

  async #moveIn(tree: DiskTree, place: BlobPlace, move: (to: string) => Promise<void>): Promise<void> {
    if (this.#beingPut.has(place))
      throw new BlobStoreFailure('blob_exists', 'The service tried to store a blob twice.');
    this.#beingPut.add(place);
    try {
      await tree.moveIn(place, move);
    } finally {
      this.#beingPut.delete(place);
    }
    await tree.syncDirectoryOf(place);
  }

  async size(place: BlobPlace): Promise<number | null> {
    const found = statFile(this.#files.pathOf(place));
    return found?.isFile() ? found.size : null;
  }

  async read(place: BlobPlace, range: ByteRange): Promise<Readable | null> {
    const descriptor = await openFile(this.#files.pathOf(place));
    return descriptor === null ? null : openRangeStream({ descriptor, ...range });
  }

  async readBytes(place: BlobPlace, range: ByteRange): Promise<Buffer | null> {
    const lengthBytes = range.end - range.start;
    if (lengthBytes > blobReadBytesMax) throw new Error(`Read ${lengthBytes} bytes as a stream.`);
    const descriptor = await openFile(this.#files.pathOf(place));
    if (descriptor === null) return null;
    try {
      const bytes = await readAt(descriptor, range.start, lengthBytes);
      if (bytes.length < lengthBytes) throw new Error('The file is shorter than the range.');
      return bytes;
    } finally {
      closeFile(descriptor);
    }
  }

  delete(place: BlobPlace): Promise<boolean> {
    return this.#deleteFrom(this.#files, place);
  }

  purge(place: BlobPlace): Promise<boolean> {
    return this.#deleteFrom(this.#quarantined, place);
  }

  async #deleteFrom(tree: DiskTree, place: BlobPlace): Promise<boolean> {
    if (!(await removeFile(tree.pathOf(place)))) return false;
    await tree.syncDirectoryOf(place);
    await tree.pruneDirectoryOf(place, this.#now());
    return true;
  }

  list(after: BlobPlace | null = null): AsyncIterable<BlobEntry> {
    return this.#files.list(after);
  }

  listQuarantine(): AsyncIterable<BlobEntry> {
    return this.#quarantined.list();
  }

  async quarantine(place: BlobPlace, now: number): Promise<boolean> {
    const from = this.#files.pathOf(place);
    if (!statFile(from)?.isFile()) return false;
    await setModifiedAt(from, now);
    return this.#moveBetween(this.#files, this.#quarantined, place);
  }

  restore(place: BlobPlace): Promise<boolean> {
    return this.#moveBetween(this.#quarantined, this.#files, place);
  }

  async #moveBetween(from: DiskTree, to: DiskTree, place: BlobPlace): Promise<boolean> {
    const source = from.pathOf(place);
    if (!statFile(source)?.isFile()) return false;
    await this.#moveIn(to, place, target => renameFile(source, target));
    await from.syncDirectoryOf(place);
    await from.pruneDirectoryOf(place, this.#now());
    return true;
  }

  openPartials(): PartialBlobs {
    return this.#partials;
  }

  async check(): Promise<void> {
    for (const { root } of [this.#files, this.#quarantined]) {
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK).catch(error => {
        if (!hasCode(error, ['ENOENT', 'ENOTDIR'])) throw explain(error);
        const sentence = 'The folder of the media is missing: check that its disk is mounted.';
        throw new BlobStoreFailure('blobs_unavailable', sentence, { cause: error });
      });
    }
  }

  /** `check` asks for the right to write, and the disk watch looks for room. */
  async checkWriting(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    // Every call closes what it opened, so nothing is left to close.
  }
}
