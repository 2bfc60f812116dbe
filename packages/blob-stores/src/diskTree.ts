/**
 * Lays out blobs on disk as `<project>/<day of upload>/<id>.<ext>`, and no deeper. File names never come from a client, so none can be
 * too long, differ only in case or lead elsewhere. Uploads of a day share a directory, so one sync serves many. Directories of past days
 * get no new files.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type DirectorySync, hasCode, makeOneDirectory } from '@tapedeck/durable-files';
import type { BlobEntry, BlobName, BlobPlace, BlobVariant } from './blobStore.ts';
import { BlobStoreFailure } from './failures.ts';
import { directoryMode, explained, removeDirectoryIfEmpty, statFile } from './fileCalls.ts';

const fileNamePattern =
  /^(?<fileId>[0-9A-Za-z]{20})(?:\.(?<variant>[a-z][0-9a-z]*\.[0-9a-z]{1,5})|\.[0-9a-z]{1,5})$/;
const placePattern = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}\/[0-9]{4}-[0-9]{2}-[0-9]{2}\/[0-9A-Za-z.]+$/;

/** Enough for a day's projects. Forgetting a directory costs one sync. */
const directoriesKnownMax = 1000;
/** Pruning can remove a directory during a move once. A third time means that something else is wrong. */
const moveAttemptsMax = 3;

/** The secret makes no difference, because only this service reads the disk. */
export function placeOnDisk(name: BlobName, variant: BlobVariant | null): BlobPlace {
  const extension = variant === null ? path.posix.extname(name.storageKey) : `.${variant}`;
  return checkPlace(`${name.project}/${dayOf(name.createdAt)}/${name.fileId}${extension}`);
}

export function isPlaceOnDisk(place: BlobPlace, { fileId }: BlobName): boolean {
  return fileNamePattern.exec(path.posix.basename(place))?.groups?.fileId === fileId;
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function checkPlace(place: BlobPlace): BlobPlace {
  if (!placePattern.test(place) || !fileNamePattern.test(path.posix.basename(place))) {
    throw new Error(`${JSON.stringify(place)} is not a place on disk.`);
  }
  return place;
}

/** A tree of such places below a root directory. None of its directories may be a symbolic link. */
export class DiskTree {
  readonly root: string;
  readonly #syncDirectory: DirectorySync;
  /** Directories that are synced or being synced. An earlier process may have created some without syncing them. */
  readonly #durable = new Map<string, Promise<void>>();

  constructor(root: string, syncDirectory: DirectorySync) {
    this.root = root;
    this.#syncDirectory = syncDirectory;
  }

  /** Returns the path of a place, after checking that each part of the way is a real directory. */
  pathOf(place: BlobPlace): string {
    const [project = '', day = '', file = ''] = checkPlace(place).split('/');
    const directories = [this.root, path.join(this.root, project), path.join(this.root, project, day)];
    for (const directory of directories) {
      const found = statFile(directory);
      if (found !== null && !found.isDirectory()) throw plantedLinkError(directory);
    }
    return path.join(this.root, project, day, file);
  }

  /** Moves a file to a place and durably creates missing directories. Syncing the directory of the place makes the move itself durable. */
  async moveIn(place: BlobPlace, move: (to: string) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const to = this.pathOf(place);
      const day = path.dirname(to);
      if (!this.#durable.has(day)) await this.#makeDurable(path.dirname(day));
      await this.#makeDurable(day);
      if (statFile(to) !== null)
        throw new BlobStoreFailure('blob_exists', 'The service tried to store a blob twice.');
      try {
        return await move(to);
      } catch (error) {
        // A prune removed the directory between the two calls.
        if (!hasCode(error, ['ENOENT']) || attempt === moveAttemptsMax) throw error;
        this.#durable.clear();
      }
    }
  }

  async #makeDurable(directory: string): Promise<void> {
    let made = this.#durable.get(directory);
    if (made === undefined) {
      if (this.#durable.size >= directoriesKnownMax) this.#durable.clear();
      made = explained(
        makeOneDirectory(directory, directoryMode).then(() => this.#syncDirectory(path.dirname(directory))),
      );
      this.#durable.set(directory, made);
      made.catch(() => this.#durable.delete(directory));
    }
    return made;
  }

  /** Makes the last change at a place survive a power cut. */
  async syncDirectoryOf(place: BlobPlace): Promise<void> {
    await explained(this.#syncDirectory(path.join(this.root, path.posix.dirname(place))));
  }

  /** Removes the directory of a place if it is empty and its day is before the day of `now`. */
  async pruneDirectoryOf(place: BlobPlace, now: number): Promise<void> {
    const directory = path.join(this.root, path.posix.dirname(place));
    if (path.basename(directory) >= dayOf(now)) return;
    if (await removeDirectoryIfEmpty(directory)) this.#durable.delete(directory);
  }

  async *list(after: BlobPlace | null = null): AsyncGenerator<BlobEntry> {
    for (const project of await readNames(this.root)) {
      if (isPassed(project, after)) continue;
      if (!isDirectory(path.join(this.root, project))) yield this.#entryOf(project);
      else {
        for (const day of await readNames(path.join(this.root, project))) {
          yield* this.#listDay(`${project}/${day}`, after);
        }
      }
    }
  }

  async *#listDay(day: string, after: BlobPlace | null): AsyncGenerator<BlobEntry> {
    if (isPassed(day, after)) return;
    if (!isDirectory(path.join(this.root, day))) {
      yield this.#entryOf(day);
      return;
    }
    for (const name of await readNames(path.join(this.root, day))) {
      const place = `${day}/${name}`;
      if (!isPassed(place, after) && statFile(path.join(this.root, place)) !== null)
        yield this.#entryOf(place);
    }
  }

  #entryOf(place: string): BlobEntry {
    const found = statFile(path.join(this.root, place));
    const parts =
      placePattern.test(place) && found?.isFile() ? fileNamePattern.exec(path.posix.basename(place)) : null;
    return {
      place,
      fileId: parts?.groups?.fileId ?? null,
      variant: parts?.groups?.variant ?? null,
      sizeBytes: found?.size ?? 0,
      modifiedAt: Math.floor(found?.mtimeMs ?? 0),
    };
  }
}

/** Reads names in order. A directory that is gone counts as empty. */
async function readNames(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort((a, b) =>
      Buffer.compare(Buffer.from(`${a}/`), Buffer.from(`${b}/`)),
    );
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return [];
    throw error;
  }
}

/** True if this entry and everything in it comes no later than a place, in the order of `readNames`. */
function isPassed(at: string, after: BlobPlace | null): boolean {
  if (after === null || after.startsWith(`${at}/`)) return false;
  return Buffer.compare(Buffer.from(`${at}/`), Buffer.from(`${after}/`)) <= 0;
}

function isDirectory(at: string): boolean {
  return statFile(at)?.isDirectory() === true;
}

function plantedLinkError(at: string): BlobStoreFailure {
  const cause = new Error(`${at} is not a directory; links are not followed here.`);
  return new BlobStoreFailure('blobs_unavailable', 'The data directory of the service is damaged.', {
    cause,
  });
}
