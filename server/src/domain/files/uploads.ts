/** The one gate: every upload, by whatever route, becomes a file here or leaves nothing behind. */

import {
  type IdentifiedMedia,
  identifyMedia,
  signatureBytesMax,
  sniffMedia,
  UnsupportedMedia,
} from '@tapedeck/media-facts';
import { newId } from '@tapedeck/random-ids';
import { ServiceError } from '../../vocabulary.ts';
import type { BlobStore, StagedFile, Staging } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import type { FileMetadata } from './fileMetadata.ts';
import { makeStorageKey, nameBlob } from './naming.ts';
import type { UploadPermission } from './permissions.ts';

export type UploadDeps = {
  staging: Staging;
  blobs: BlobStore;
  files: FileRecords;
  clock: Clock;
  fileSizeBytesMax: number;
};

/** What stands beside the file. */
export type UploadFields = {
  /** '' when none was given. */
  filename: string;
  /** '' for no folder. */
  path: string;
  metadata: FileMetadata;
  retentionExempt: boolean;
};

type Upload = {
  project: string;
  staged: StagedFile;
  /** What `judgeUpload` found. */
  media: IdentifiedMedia;
  fields: UploadFields;
  permission: UploadPermission;
  /** Where the file needs an id of another form than most. */
  id?: string;
};

type ReceiveOptions = {
  bytesMax: number;
  /** As many as the sender announced; infinite when it did not. */
  declaredBytes: number;
};

/**
 * Writes the bytes to disk as they come. A file that begins like none of the formats is refused before the rest has come,
 * unless the rest may still exceed the size limit: `file_too_large` comes before `unsupported_media`.
 */
export async function receiveUpload(
  deps: Pick<UploadDeps, 'staging'>,
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax, declaredBytes }: ReceiveOptions,
): Promise<StagedFile> {
  const countedMax = declaredBytes > bytesMax ? bytesMax : null;
  return deps.staging.stage(sniffWhilePassing(chunks, countedMax), {
    bytesMax,
    refuse: () => fileTooLargeError(bytesMax),
  });
}

/** What the bytes are. Throws where they are no media file that is permitted. */
export async function judgeUpload(
  staged: StagedFile,
  permission: UploadPermission,
): Promise<IdentifiedMedia> {
  const media = await identifyMedia({
    sizeBytes: staged.sizeBytes,
    read: (position, lengthBytes) => staged.read(position, lengthBytes),
  }).catch(error => {
    throw tellUnsupported(error);
  });
  permission.requireType(media.type);
  return media;
}

/** Resolves once bytes and record survive a power cut. Disposing of the staged file stays with the caller. */
export async function keepUpload(
  deps: UploadDeps,
  { project, staged, media, fields, permission, id = newId() }: Upload,
): Promise<StoredFile> {
  const path = permission.choosePath(fields.path);
  const now = deps.clock.now();
  const extension = `.${media.extension}`;
  const file: StoredFile = {
    id,
    project,
    key: makeStorageKey({ path, filename: fields.filename, fileId: id, extension }),
    path,
    filename: fields.filename === '' ? `${id}${extension}` : fields.filename,
    type: media.type,
    mimeType: media.mimeType,
    sizeBytes: staged.sizeBytes,
    sha256: staged.sha256,
    metadata: fields.metadata,
    retentionExempt: fields.retentionExempt,
    width: media.width ?? null,
    height: media.height ?? null,
    durationSeconds: media.durationSeconds ?? null,
    createdAt: now,
    listedAt: now,
  };
  await commitFile(deps, file, staged);
  return file;
}

/** Stores the blob before the record, so that no record lacks its blob. The sweeper finds blobs without a record. */
async function commitFile({ blobs, files }: UploadDeps, file: StoredFile, staged: StagedFile): Promise<void> {
  const place = blobs.placeOf(nameBlob(file), null);
  await blobs.put(place, staged, file.mimeType);
  try {
    await files.insert(file);
  } catch (error) {
    // When this fails too, the sweeper finds the blob.
    await blobs.delete(place).catch(() => undefined);
    throw error;
  }
}

/** Refuses a file of no known format: at once, or with `countedMax` after counting whether it is too large. */
async function* sniffWhilePassing(
  chunks: AsyncIterable<Uint8Array>,
  countedMax: number | null,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = Buffer.alloc(0);
  let refusal: unknown;
  let passedBytes = 0;
  for await (const chunk of chunks) {
    passedBytes += chunk.length;
    if (head !== null) {
      head = Buffer.concat([head, chunk.subarray(0, signatureBytesMax)]);
      if (head.length >= signatureBytesMax) {
        refusal = refuse(head);
        head = null;
      }
    }
    if (refusal === undefined) yield chunk;
    else if (countedMax === null) throw refusal;
    else if (passedBytes > countedMax) throw fileTooLargeError(countedMax);
  }
  if (refusal !== undefined) throw refusal;
}

function refuse(head: Uint8Array): unknown {
  try {
    sniffMedia(head);
    return undefined;
  } catch (error) {
    return tellUnsupported(error);
  }
}

/** Of so many bytes of a file it is known whether it may be media. */
export const mediaHeadBytes = signatureBytesMax;

export function beginsLikeMedia(head: Uint8Array): boolean {
  return refuse(head) === undefined;
}

/** In the words of this service. */
function tellUnsupported(error: unknown): unknown {
  return error instanceof UnsupportedMedia
    ? new ServiceError(error.code, error.message, { cause: error })
    : error;
}

export function fileTooLargeError(bytesMax: number): ServiceError {
  const size = bytesMax % 1024 ** 2 === 0 ? `${bytesMax / 1024 ** 2} MiB` : `${bytesMax} bytes`;
  return new ServiceError('file_too_large', `Send a file of at most ${size}.`);
}
