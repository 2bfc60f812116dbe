/** Stores every upload, whatever its route. A failed upload leaves nothing behind. */

import {
  type IdentifiedMedia,
  identifyMedia,
  signatureBytesMax,
  sniffMedia,
  UnsupportedMedia,
} from '@tapedeck/media-facts';
import { newId } from '@tapedeck/values/random-ids';
import type { BlobPlace, BlobStore, StagedFile, Staging } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, StoredFile, UploadKey } from '../ports/files.ts';
import type { Spans } from '../ports/spans.ts';
import type { ProjectCounts } from '../projects/projectCounts.ts';
import { type ErrorCode, type FileVisibility, isExpected, ServiceError } from '../vocabulary.ts';
import type { FileMetadata } from './fileMetadata.ts';
import { hidePrivate, type LibrarySettings } from './librarySettings.ts';
import { removeLocations } from './locationRemoval.ts';
import { makeStorageKey, nameBlob } from './naming.ts';
import type { UploadPermission } from './permissions.ts';
import { composeUploadKey, requireSameUpload, type SentKey } from './uploadIdempotency.ts';

export type UploadDeps = {
  staging: Staging;
  blobs: BlobStore;
  files: FileRecords;
  clock: Clock;
  fileSizeBytesMax: number;
  counts: Pick<ProjectCounts, 'countUpload'>;
  spans: Spans | null;
  access: { findProject(slug: string): LibrarySettings | null };
};

/** Form fields sent with the file. */
export type UploadFields = {
  /** '': no name. */
  filename: string;
  /** '': no folder. */
  path: string;
  metadata: FileMetadata;
  retentionExempt: boolean;
  /** null: the project's rules for the folder decide. */
  visibility: FileVisibility | null;
};

type CheckedUpload = {
  project: string;
  sizeBytes: number;
  /** Hexadecimal, lower case. */
  sha256: string;
  /** Hash of the bytes as sent, before locations were removed. Absent if none were removed: then it is `sha256`. */
  sentSha256?: string;
  /** The result of `checkUpload`. */
  media: IdentifiedMedia;
  fields: UploadFields;
  permission: UploadPermission;
  /** Set if the file needs an id in another format. */
  id?: string;
};

type StagedUpload = Omit<CheckedUpload, 'sizeBytes' | 'sha256' | 'sentSha256'> & { staged: StagedFile };
type SentUpload = Omit<StagedUpload, 'media' | 'fields'> & {
  idempotencyKey: SentKey | null;
  /** Errors in the bytes come before errors in the fields, so this is called once the bytes are checked. */
  readFields(): UploadFields;
};

type ReceiveOptions = {
  bytesMax: number;
  /** The length that the sender declared; infinite if none. */
  declaredBytes: number;
};

/**
 * Writes the bytes to disk as they arrive. Rejects a file of no known format early, unless the rest may still exceed the size limit:
 * `file_too_large` takes precedence over `unsupported_media`.
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

/** Identifies the media. Throws if its format is not permitted. */
export async function checkUpload(
  staged: Pick<StagedFile, 'sizeBytes' | 'read'>,
  permission: UploadPermission,
): Promise<IdentifiedMedia> {
  const media = await identifyMedia({
    sizeBytes: staged.sizeBytes,
    read: (position, lengthBytes) => staged.read(position, lengthBytes),
  }).catch(error => {
    throw explainUnsupported(error);
  });
  permission.requireType(media.type);
  return media;
}

/** Checks a received file and stores it. Resolves once bytes and record survive a power cut. The caller disposes of the staged file. */
export async function storeUpload(
  deps: UploadDeps,
  { idempotencyKey, readFields, ...sent }: SentUpload,
): Promise<StoredFile> {
  const media = await checkUpload(sent.staged, sent.permission);
  const upload = { ...sent, media, fields: readFields() };
  if (idempotencyKey === null) return await keepStaged(deps, upload, file => deps.files.insert(file));
  const { project, staged, fields } = upload;
  const content = { project, sha256: staged.sha256, fields };
  return await keepOnce(deps, upload, composeUploadKey(idempotencyKey, content, deps.clock.now()));
}

async function keepStaged(
  deps: UploadDeps,
  upload: StagedUpload,
  insert: Keeping['insert'],
): Promise<StoredFile> {
  const strips = deps.access.findProject(upload.project)?.stripLocation === true;
  const staged = strips ? await removeLocations(deps, upload.staged, upload) : upload.staged;
  const put = (place: BlobPlace, mimeType: string) => deps.blobs.put(place, staged, mimeType);
  const { sizeBytes, sha256 } = staged;
  const checked = { ...upload, sizeBytes, sha256, sentSha256: upload.staged.sha256 };
  return await keepFile(deps, checked, { put, insert });
}

/** If uploads with the same key race, the first one stored wins, and all return its file. */
async function keepOnce(deps: UploadDeps, upload: StagedUpload, key: UploadKey): Promise<StoredFile> {
  const { files, clock } = deps;
  const before = await files.findUpload(key.scopeHash, clock.now());
  if (before !== null) return requireSameUpload(before, key);
  try {
    return await keepStaged(deps, upload, async file => {
      if (!(await files.insertKeyed(file, key))) throw new KeyAlreadyUsed();
    });
  } catch (error) {
    const stored =
      error instanceof KeyAlreadyUsed ? await files.findUpload(key.scopeHash, clock.now()) : null;
    if (stored === null) throw error;
    return requireSameUpload(stored, key);
  }
}

/** Another upload with the same key was faster. */
class KeyAlreadyUsed extends Error {}

/** Stores a file's bytes and record. */
type Keeping = {
  put(place: BlobPlace, mimeType: string): Promise<void>;
  insert(file: StoredFile): Promise<void>;
};

/** Stores the blob before the record, so that every record has its blob. The sweeper finds blobs without a record. */
export async function keepFile(
  deps: Pick<UploadDeps, 'blobs' | 'clock' | 'counts' | 'spans' | 'access'>,
  checked: CheckedUpload,
  keeping: Keeping,
): Promise<StoredFile> {
  const startedAt = performance.now();
  const file = hidePrivate(deps.access.findProject(checked.project), describeFile(checked, deps.clock.now()));
  const { project, type, sizeBytes } = file;
  let hasFailed = true;
  try {
    await keepBoth(deps, file, keeping);
    hasFailed = false;
  } finally {
    const attributes = { 'tapedeck.project': project, 'tapedeck.type': type, 'tapedeck.bytes': sizeBytes };
    deps.spans?.note({ name: 'store file', startedAt, attributes, hasFailed });
  }
  deps.counts.countUpload(project, sizeBytes);
  return file;
}

async function keepBoth(
  { blobs }: Pick<UploadDeps, 'blobs'>,
  file: StoredFile,
  { put, insert }: Keeping,
): Promise<void> {
  const place = blobs.placeOf(nameBlob(file), null);
  await put(place, file.mimeType);
  try {
    await insert(file);
  } catch (error) {
    // If this fails too, the sweeper finds the blob. If the record may exist, the blob stays.
    if (isSurelyRefused(error)) await blobs.delete(place).catch(() => undefined);
    throw error;
  }
}

/** If the database failed during the insert, the record may exist. A repeated upload then returns that file, so its bytes must stay. */
function isSurelyRefused(error: unknown): boolean {
  return error instanceof KeyAlreadyUsed || (isExpected(error) && !doubtfulCodes.includes(error.code));
}

const doubtfulCodes: readonly ErrorCode[] = ['unavailable', 'overloaded', 'stopping'];

function describeFile(
  { project, sizeBytes, sha256, sentSha256 = sha256, media, fields, permission, id = newId() }: CheckedUpload,
  now: number,
): StoredFile {
  const path = permission.choosePath(fields.path);
  const extension = `.${media.extension}`;
  return {
    id,
    project,
    key: makeStorageKey({ path, filename: fields.filename, fileId: id, extension }),
    path,
    filename: fields.filename === '' ? `${id}${extension}` : fields.filename,
    type: media.type,
    mimeType: media.mimeType,
    sizeBytes,
    sha256,
    metadata: { ...fields.metadata, ...permission.boundMetadata },
    retentionExempt: fields.retentionExempt,
    width: media.width ?? null,
    height: media.height ?? null,
    durationSeconds: media.durationSeconds ?? null,
    createdAt: now,
    listedAt: now,
    visibility: fields.visibility,
    blobSecret: null,
    sentSha256: sentSha256 === sha256 ? null : sentSha256,
  };
}

/** Rejects a file of no known format: at once or, with `countedMax`, after checking whether it is too large. */
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
    return explainUnsupported(error);
  }
}

/** This many bytes suffice to tell whether a file may be media. */
export const mediaHeadBytes = signatureBytesMax;

export function beginsLikeMedia(head: Uint8Array): boolean {
  return refuse(head) === undefined;
}

/** Converts the error to a `ServiceError`. */
export function explainUnsupported(error: unknown): unknown {
  return error instanceof UnsupportedMedia
    ? new ServiceError(error.code, error.message, { cause: error })
    : error;
}

export function fileTooLargeError(bytesMax: number): ServiceError {
  const size = bytesMax % 1024 ** 2 === 0 ? `${bytesMax / 1024 ** 2} MiB` : `${bytesMax} bytes`;
  return new ServiceError('file_too_large', `Send a file of at most ${size}.`);
}
