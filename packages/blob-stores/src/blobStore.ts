/** Ports: a blob store, and the staging area on local disk where files wait until they are stored. */
import type { Readable } from 'node:stream';

export const blobReadBytesMax = 2 * 1024 * 1024; // callers stream larger ranges

/**
 * A file in progress on local disk. Only its creator knows it. Disposing of it removes the file and the descriptor, even in the middle of
 * a call. Disposing twice is fine.
 */
export interface StagingFile extends AsyncDisposable {
  /** The best number of bytes to collect for one `append`. It grows as fewer files are in progress. */
  readonly appendBytes: number;
  /** Appends the chunks. One call at a time. Throws `disk_full` if the disk is full. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  /** Reads bytes from `position`. Returns fewer than `lengthBytes` only at the end of the file. */
  read(position: number, lengthBytes: number): Promise<Buffer>;
  /** Overwrites bytes that were written before. One call at a time, and none during `append`. */
  overwrite(position: number, bytes: Uint8Array): Promise<void>;
  /** Streams the whole file from its beginning. Callers may open another stream while an earlier one is still open. */
  stream(): Promise<Readable>;
  /** Resolves once all appended bytes survive a power cut. */
  sync(): Promise<void>;
  /** Moves the file to another path on the same file system. Disposing then leaves that path alone. */
  moveTo(path: string): Promise<void>;
}

export interface Staging {
  /** Creates an empty file. The first `append` or `sync` is the first access to the disk. */
  create(): StagingFile;
  /**
   * Writes the bytes into a new file as they arrive, and counts and hashes them in the same pass. If it rejects, no file remains. If it
   * resolves, the caller disposes of the result.
   */
  stage(chunks: AsyncIterable<Uint8Array>, limit: StagingLimit): Promise<StagedFile>;
  /** Overwrites bytes at some offsets, then counts and hashes the file again. Disposing of either file disposes of both. */
  patch(staged: StagedFile, patches: readonly { offset: number; bytes: Uint8Array }[]): Promise<StagedFile>;
}

/** The first byte above `bytesMax` makes staging fail with the error from `refuse`. */
export type StagingLimit = { bytesMax: number; refuse: () => Error };

/** Bytes that arrived completely and within their limit, ready to be checked and stored. */
export interface StagedFile extends AsyncDisposable {
  readonly file: StagingFile;
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Reads small files from memory, so that checking them needs no disk access. */
  read(position: number, lengthBytes: number): Promise<Buffer>;
}

/** A file as its owner names it. Only the secret can change while the file exists. */
export type BlobName = {
  /** The file's project. Begins with a letter or digit and has no slash. */
  project: string;
  fileId: string;
  /** `[path/]<stem>-<id>.<ext>`, the key that a bucket shows the public. */
  storageKey: string;
  /** Unix milliseconds. */
  createdAt: number;
  /**
   * 20 letters and digits. The bytes lie where only clients that know it find them. null: at the storage key. Stores that the public
   * can't read directly use one place for both.
   */
  secret: string | null;
};

/** Names one of several versions of a picture: lower-case letters and digits, then an extension, such as `w320.webp`. */
export type BlobVariant = string;

/** The place of a blob, from `placeOf` or `list`. Only the store that made it understands it. */
export type BlobPlace = string;

export type BlobEntry = {
  place: BlobPlace;
  /** null: not written by this store. Callers report it and leave it alone. */
  fileId: string | null;
  /** null: the bytes as uploaded. */
  variant: BlobVariant | null;
  sizeBytes: number;
  /** Unix milliseconds of the put, or of the move to quarantine. */
  modifiedAt: number;
};

/** A half-open range of bytes. `{ start: 0, end: sizeBytes }` is everything. */
export type ByteRange = { start: number; end: number };

/** An unfinished upload: 20 letters and digits, and how many bytes are stored. Only the caller knows that number. */
export type Partial = { name: string; sizeBytes: number };

export type PartialBytes = {
  chunks: AsyncIterable<Uint8Array>;
  /** Reports how many bytes now survive a power cut. If it rejects, the append stops. */
  reportStored(sizeBytes: number): Promise<void>;
  /** True if the upload may later fall back to its previous length. */
  isOnTrial: boolean;
};

/** Bytes of unfinished uploads. They outlive requests and processes and, in a bucket, nodes. The caller makes one call at a time per name. */
export interface PartialBlobs {
  /**
   * Appends bytes to the stored ones and replaces anything after those. Reports every few megabytes, and at the end, how many are stored.
   * If the chunks fail, it still stores and reports the earlier ones, then rejects with the chunks' error.
   */
  append(partial: Partial, bytes: PartialBytes): Promise<void>;
  read(partial: Partial, range: ByteRange): Promise<Readable>;
  /** Resolves to false if stored bytes are gone, for example because somebody deleted them. Reads none of them. */
  isThere(partial: Partial): Promise<boolean>;
  /**
   * Turns the stored bytes into a blob, like `BlobStore.put`, without a second copy on disk and without reading them into this process.
   * The upload stays until it is deleted, so that the caller can retry the rest.
   */
  promote(partial: Partial, to: { place: BlobPlace; mimeType: string }): Promise<void>;
  /** Returns false if there was none. */
  delete(name: string): Promise<boolean>;
  /** Lists the name of each stored upload once. */
  list(): AsyncIterable<string>;
}

/** A store that records which installation's data it holds. */
export interface MarkedStore {
  /** The store's name in messages to the operator: `the bucket media at https://…`. */
  readonly title: string;
  /** Returns null if the store has no mark. */
  readMark(): Promise<string | null>;
  /** Replaces the mark durably. */
  writeMark(installationId: string): Promise<void>;
}

/**
 * Keeps bytes under places that are never reused. Calls that fail for reasons outside this process reject with `disk_full` or
 * `blobs_unavailable`. A missing blob is null or false, never an error.
 */
export interface BlobStore extends MarkedStore, AsyncDisposable {
  /** Pure: returns the place of a file or of its variant. Equal names always have equal places. */
  placeOf(name: BlobName, variant: BlobVariant | null): BlobPlace;
  /** Pure: true if the place belongs to the file, or to one of its variants, under its current name. */
  isPlaceOf(place: BlobPlace, name: BlobName): boolean;
  /** Finds the variants that exist. */
  findVariants(name: BlobName, variants: readonly BlobVariant[]): Promise<BlobVariant[]>;
  /**
   * Copies the bytes between two places of a file that differ only in the secret, and replaces any bytes at the second.
   * Resolves once the copy survives a power cut, or to false if there is nothing to copy.
   */
  copy(from: BlobPlace, to: BlobPlace, mimeType: string): Promise<boolean>;
  /**
   * Resolves once the bytes survive a power cut. A taken place keeps its bytes, and the call rejects with `blob_exists`. The caller always
   * disposes of the staged file. A failure leaves either nothing or a whole blob that `list` finds.
   * A store that serves the public directly (S3) sends the MIME type with the blob.
   */
  put(place: BlobPlace, staged: StagedFile, mimeType: string): Promise<void>;
  /** Returns null if there is no blob. */
  size(place: BlobPlace): Promise<number | null>;
  /**
   * Streams a range within the blob, once its first bytes are available. Resolves to null if there is no blob.
   * Buffers a bounded number of bytes even for slow readers. Destroying the stream frees everything at once.
   */
  read(place: BlobPlace, range: ByteRange): Promise<Readable | null>;
  /** Reads a range of at most `blobReadBytesMax` bytes; null if there is no blob. */
  readBytes(place: BlobPlace, range: ByteRange): Promise<Buffer | null>;
  /** Resolves once the deletion survives a power cut, or to false if there was no blob. Needs no free disk space. */
  delete(place: BlobPlace): Promise<boolean>;
  /**
   * Lists every blob outside quarantine once, ordered by place, without the mark. May miss blobs that are put or deleted during the listing.
   * With `after`, lists only later places.
   */
  list(after?: BlobPlace | null): AsyncIterable<BlobEntry>;
  /** Hides a blob from all calls except the next three, durably. Resolves to false if there was none. */
  quarantine(place: BlobPlace, now: number): Promise<boolean>;
  /** Brings a blob back, durably; false if there was none. Rejects with `blob_exists` if its place is taken. */
  restore(place: BlobPlace): Promise<boolean>;
  /** Lists blobs in quarantine. `modifiedAt` is when they were put there. */
  listQuarantine(): AsyncIterable<BlobEntry>;
  /** Deletes a blob from quarantine for good, durably; false if there was none. */
  purge(place: BlobPlace): Promise<boolean>;
  /** Opens the unfinished uploads beside the blobs. No other call sees them. Remote stores collect their bytes in `staging`. */
  openPartials(staging: Staging): PartialBlobs;
  /** Rejects if the store can't be read now, with a message for operators if the reason is known. */
  check(): Promise<void>;
  /** The same for writing. Writes at most a little, and only while it is not known that writing works. */
  checkWriting(): Promise<void>;
}

/** Space on the local disk that the service frees piece by piece when the disk is full, so that deletions still work. */
export interface DiskReserve {
  /** Frees the next piece of the reserve. Returns false if none is left. */
  release(): Promise<boolean>;
  /**
   * Reserves the space again once the disk has several times as much free. Returns true if it is then complete, or not needed
   * yet because the disk has ample space.
   */
  refill(): Promise<boolean>;
}
