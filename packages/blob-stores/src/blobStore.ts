/** Ports: a blob store, and the staging on local disk where files wait before they are stored. */
import type { Readable } from 'node:stream';

export const blobReadBytesMax = 2 * 1024 * 1024; // larger pieces are streamed

/**
 * A file under way on local disk, known to its maker alone. Disposing of it leaves nothing: no file, no descriptor,
 * whatever was going on. Disposing of it twice is fine.
 */
export interface StagingFile extends AsyncDisposable {
  /** How much is best collected for one `append`: the fewer files are under way, the more. */
  readonly appendBytes: number;
  /** Writes behind what was written before; one call at a time. A full disk is `disk_full`. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  /** The bytes from `position` on, fewer than `lengthBytes` only at the end of the file. */
  read(position: number, lengthBytes: number): Promise<Buffer>;
  /** Writes over bytes that were written before; one call at a time, and none beside `append`. */
  overwrite(position: number, bytes: Uint8Array): Promise<void>;
  /** The whole file from its beginning; may be called again, also while an earlier stream is still open. */
  stream(): Promise<Readable>;
  /** Resolves once everything appended survives a power cut. */
  sync(): Promise<void>;
  /** Gives the file a new place on the same file system; disposing of it then leaves that place alone. */
  moveTo(path: string): Promise<void>;
}

export interface Staging {
  /** A new, empty file; the disk is first touched by the first `append` or `sync`. */
  create(): StagingFile;
  /**
   * Writes the bytes into a new file as they come, counting and hashing them in the same pass. When it rejects, nothing is
   * left; when it resolves, the caller disposes of the result.
   */
  stage(chunks: AsyncIterable<Uint8Array>, limit: StagingLimit): Promise<StagedFile>;
  /** The same file with other bytes at some places, counted and hashed anew. Disposing of either of the two is enough. */
  patch(staged: StagedFile, patches: readonly { offset: number; bytes: Uint8Array }[]): Promise<StagedFile>;
}

/** With the first byte too many the bytes are refused, with the error of who limits them. */
export type StagingLimit = { bytesMax: number; refuse: () => Error };

/** Bytes that arrived whole and within their limit, waiting to be judged and kept. */
export interface StagedFile extends AsyncDisposable {
  readonly file: StagingFile;
  readonly sizeBytes: number;
  /** Hexadecimal, lower case. */
  readonly sha256: string;
  /** Reads from memory if the file is small, so that judging it costs no call to the disk. */
  read(position: number, lengthBytes: number): Promise<Buffer>;
}

/** A file as its owner names it. All but the secret never change while the file lives. */
export type BlobName = {
  /** The file's project: begins with a letter or a digit, and holds no slash. */
  project: string;
  fileId: string;
  /** `[path/]<stem>-<id>.<ext>`: what a bucket shows the public. */
  storageKey: string;
  /** Unix milliseconds. */
  createdAt: number;
  /**
   * 20 letters and digits: the bytes lie where nobody finds them who does not know it. null: where the storage key says. A
   * store that no public reads by itself has one place for both.
   */
  secret: string | null;
};

/** A version of a picture, of which a file has several: lower-case letters and digits, then an extension: `w320.webp`. */
export type BlobVariant = string;

/** The place of a blob, from `placeOf` or `list`; only that store understands it. */
export type BlobPlace = string;

export type BlobEntry = {
  place: BlobPlace;
  /** null: nothing this store wrote; reported, never touched. */
  fileId: string | null;
  /** null: the bytes as uploaded. */
  variant: BlobVariant | null;
  sizeBytes: number;
  /** Unix milliseconds: when it was put, or set aside in quarantine. */
  modifiedAt: number;
};

/** A half-open range of bytes: `{ start: 0, end: sizeBytes }` is everything. */
export type ByteRange = { start: number; end: number };

/** An upload that comes by and by: 20 letters and digits, and how many of its bytes are kept, which only who calls knows. */
export type Partial = { name: string; sizeBytes: number };

/** Bytes that follow those that are kept. */
export type PartialBytes = {
  chunks: AsyncIterable<Uint8Array>;
  /** Reports how many bytes survive a power cut by now. If it rejects, appending ends. */
  tellKept(sizeBytes: number): Promise<void>;
  /** Afterwards the upload may still be as long as it was before. */
  isOnTrial: boolean;
};

/**
 * Bytes of uploads that outlive requests, processes and, in a bucket, nodes, until they are blobs. Of one name one call at a
 * time: who calls sees to that.
 */
export interface PartialBlobs {
  /**
   * Appends bytes to those that are kept, in place of anything that followed them. Reports every few megabytes, and at
   * the end, how many are kept. If the chunks break off, what came before is kept and reported, and the call rejects
   * with their reason.
   */
  append(partial: Partial, bytes: PartialBytes): Promise<void>;
  /** A range of what is kept, as a stream. */
  read(partial: Partial, range: ByteRange): Promise<Readable>;
  /**
   * What is kept becomes a blob as `BlobStore.put` makes one, without another copy on disk and without coming through this
   * process. What lies under the name stays until it is deleted, so that the rest can be done again.
   */
  promote(partial: Partial, to: { place: BlobPlace; mimeType: string }): Promise<void>;
  /** False when there was nothing. */
  delete(name: string): Promise<boolean>;
  /** The names under which something lies, each once. */
  list(): AsyncIterable<string>;
}

/** A store that holds the id of the installation whose data lie in it. */
export interface MarkedStore {
  /** The store's name in sentences for the operator: `the bucket media at https://…`. */
  readonly title: string;
  /** null where nothing says whose it is. */
  readMark(): Promise<string | null>;
  /** Replaces what is there. Durable. */
  writeMark(installationId: string): Promise<void>;
}

/**
 * Keeps bytes under places that are never used twice. Calls that fail for reasons outside of this process reject with
 * `disk_full` or `blobs_unavailable`; a blob that is not there is null or false, never an error.
 */
export interface BlobStore extends MarkedStore, AsyncDisposable {
  /** Pure: where the bytes of this file lie, or those of its variant. Equal for equal names, at all times. */
  placeOf(name: BlobName, variant: BlobVariant | null): BlobPlace;
  /** Pure: whether the bytes of this file, or one of its variants, lie there by its name as it is. */
  isPlaceOf(place: BlobPlace, name: BlobName): boolean;
  /** Finds the variants that exist. */
  findVariants(name: BlobName, variants: readonly BlobVariant[]): Promise<BlobVariant[]>;
  /**
   * Copies the bytes between two places of one file that differ in the secret alone; what lies at the second one is replaced.
   * Resolves once the copy survives a power cut, to false when there is nothing to copy.
   */
  copy(from: BlobPlace, to: BlobPlace, mimeType: string): Promise<boolean>;
  /**
   * Resolves once the bytes survive a power cut. A place that is taken is the error `blob_exists`, and keeps what it
   * has. Either way the caller still disposes of the staged file. After a failure nothing, or a whole blob that
   * `list` tells of, is left behind. A store that serves the public by itself (S3) answers with the MIME type.
   */
  put(place: BlobPlace, staged: StagedFile, mimeType: string): Promise<void>;
  /** Size in bytes; null when there is none. */
  size(place: BlobPlace): Promise<number | null>;
  /**
   * The bytes of a range that lies within the blob, once the first of them can be had; null when there is no blob.
   * Holds a bounded buffer however slowly it is read; destroying the stream frees everything at once.
   */
  read(place: BlobPlace, range: ByteRange): Promise<Readable | null>;
  /** A range of at most `blobReadBytesMax`, in one piece; null when there is no blob. */
  readBytes(place: BlobPlace, range: ByteRange): Promise<Buffer | null>;
  /** Resolves once the deletion survives a power cut; false when there was nothing. Needs no room on the disk. */
  delete(place: BlobPlace): Promise<boolean>;
  /**
   * Everything outside of quarantine, the mark left out, each once, ordered by place; what is put or deleted meanwhile may be
   * missing. Of a place that was listed before, only what comes behind it.
   */
  list(after?: BlobPlace | null): AsyncIterable<BlobEntry>;
  /** Sets a blob aside, out of sight of every other call but these three; false when there was nothing. Durable. */
  quarantine(place: BlobPlace, now: number): Promise<boolean>;
  /** Brings a blob back from quarantine; false when there was nothing. Durable. A place taken anew is `blob_exists`. */
  restore(place: BlobPlace): Promise<boolean>;
  /** Lists blobs in quarantine; `modifiedAt` is when they were put there. */
  listQuarantine(): AsyncIterable<BlobEntry>;
  /** Deletes from quarantine for good; false when there was nothing. Durable. */
  purge(place: BlobPlace): Promise<boolean>;
  /** Partial uploads are kept beside the blobs, out of sight of every other call. Remote stores collect the bytes in the staging. */
  openPartials(staging: Staging): PartialBlobs;
  /** Rejects when the store cannot be read and written now: with a sentence for operators, where it knows why. */
  check(): Promise<void>;
}

/** Room on the local disk that is given up piece by piece when the disk is full, so that deleting goes on. */
export interface DiskReserve {
  /** Frees the next piece of the reserved room; false when nothing is left of it. */
  release(): Promise<boolean>;
  /** Takes the room again once the disk has several times as much; true when it is held afterwards. */
  refill(): Promise<boolean>;
}
