/** Moves files into a bucket. Copies while the service adds and deletes files, and reconciles the two at the end. */
import { type BlobStore, copyBlob, isSameBlob, type KnownBlob } from '@tapedeck/blob-stores';
import type { ReportProgress } from '@tapedeck/command-line';
import { isPrivate } from '@tapedeck/domain/files/librarySettings';
import { nameBlob } from '@tapedeck/domain/files/naming';
import { walkAllFiles } from '@tapedeck/domain/files/pageIteration';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { newId } from '@tapedeck/values/random-ids';

const copiesAtOnceMax = 8; // a distant bucket is idle most of the time

export type BlobRoute = { from: BlobStore; to: BlobStore };

/** `leftOut`: files whose bytes are damaged or gone, as `verify` would report. */
type FilePass = { files: number; bytes: number; leftOut: number; removed: number };

export class FileMove {
  readonly #route: BlobRoute;
  /** Maps files whose bytes are known to be in the bucket to their places there. */
  readonly #copied = new Map<string, string>();
  /** Objects that an earlier try left in the bucket and that are still unchecked. */
  #found: Map<string, string> | null = null;

  constructor(route: BlobRoute) {
    this.#route = route;
  }

  /** Files known to be in the bucket, including those that an earlier try copied. */
  get copiedFiles(): number {
    return this.#copied.size;
  }

  /** Copies new files. `isLast`: nothing changes any more, so objects without a record are removed. */
  async pass(store: MetadataStore, isLast: boolean, report: ReportProgress): Promise<FilePass> {
    const { files } = store;
    this.#found ??= await listFound(this.#route.to);
    const done: FilePass = { files: 0, bytes: 0, leftOut: 0, removed: 0 };
    let found = 0; // in the bucket from an earlier try
    const present = new Set<string>();
    const until = isLast ? Number.POSITIVE_INFINITY : Date.now();
    const work = async (file: StoredFile) => {
      const isNew = await this.#bring(file, async () => (await files.find(file.project, file.id)) !== null);
      if (isNew === 'left out') done.leftOut += 1;
      if (isNew === 'was there') found += 1;
      if (isNew === 'brought') {
        done.files += 1;
        done.bytes += file.sizeBytes;
      }
      report({ files: done.files + found, bytes: done.bytes });
    };
    const waiting = this.#listNew(addSecrets(store, this.#route), { present, until });
    await Promise.all(Array.from({ length: copiesAtOnceMax }, () => workThrough(waiting, work)));
    if (isLast) done.removed = await this.#removeOthers(present);
    return done;
  }

  async *#listNew(
    all: AsyncIterable<StoredFile>,
    { present, until }: { present: Set<string>; until: number },
  ): AsyncGenerator<StoredFile> {
    for await (const file of all) {
      present.add(file.id);
      // Files may arrive faster than they are copied: leaves newer ones to the next pass.
      const isCopied = this.#copied.get(file.id) === this.#route.to.placeOf(nameBlob(file), null);
      if (!isCopied && file.createdAt <= until) yield file;
    }
  }

  async #bring(
    file: StoredFile,
    isThere: () => Promise<boolean>,
  ): Promise<'brought' | 'was there' | 'left out' | 'gone'> {
    const { from, to } = this.#route;
    const name = nameBlob(file);
    const places = { from: from.placeOf(name, null), to: to.placeOf(name, null) };
    const blob: KnownBlob = file;
    const before = this.#copied.get(file.id);
    if (before !== undefined && this.#copied.delete(file.id)) await to.delete(before); // the file was hidden or shown meanwhile
    if (this.#found?.delete(places.to)) {
      if (await isSameBlob(to, places.to, blob)) {
        this.#copied.set(file.id, places.to);
        return 'was there';
      }
      await to.delete(places.to);
    }
    const outcome = await copyBlob(this.#route, places, blob);
    if (outcome !== 'copied') return (await isThere()) ? 'left out' : 'gone';
    this.#copied.set(file.id, places.to);
    return 'brought';
  }

  /** Removes files that were deleted after this try or an earlier one copied them. */
  async #removeOthers(present: ReadonlySet<string>): Promise<number> {
    const deleted = [...this.#copied].filter(([id]) => !present.has(id)).map(([, place]) => place);
    const others = [...deleted, ...(this.#found?.keys() ?? [])];
    for (const place of others) await this.#route.to.delete(place);
    for (const [id] of this.#copied) if (!present.has(id)) this.#copied.delete(id);
    this.#found = new Map();
    return others.length;
  }
}

/** Gives private files unguessable places, which only a bucket needs. */
async function* addSecrets(
  { files, read }: Pick<MetadataStore, 'files' | 'read'>,
  { from }: BlobRoute,
): AsyncGenerator<StoredFile> {
  const projects = new Map((await read.projects.list()).map(project => [project.slug, project]));
  for await (const file of walkAllFiles(files)) {
    const project = projects.get(file.project);
    const isBare = project !== undefined && file.blobSecret === null && isPrivate(project, file);
    const hidden = { ...file, blobSecret: newId() };
    // Only for a disk: a bucket moves the bytes itself.
    const isSamePlace = from.placeOf(nameBlob(file), null) === from.placeOf(nameBlob(hidden), null);
    const isHidden = isBare && isSamePlace && (await files.relocate(file, hidden.blobSecret));
    yield isHidden ? hidden : file;
  }
}

/** Lists found blobs by place, without those that belong to no file. */
async function listFound(to: BlobStore): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { place, fileId } of to.list()) if (fileId !== null) found.set(place, fileId);
  return found;
}

/** Several calls share one list. */
async function workThrough<T>(list: AsyncGenerator<T>, work: (item: T) => Promise<void>): Promise<void> {
  for (let next = await list.next(); !next.done; next = await list.next()) await work(next.value);
}
