/** The one gate: every upload, by whatever route, becomes a file here or leaves nothing behind. */
import { newId } from '../ids.ts';
import { identifyMedia, signatureBytesMax, sniffMedia } from '../media/identification.ts';
import type { BlobStore, StagedFile, Staging } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import { nameBlob } from './blobNames.ts';
import type { UploadPermission } from './permissions.ts';
import { makeStorageKey } from './storageKey.ts';
import type { UploadFields } from './uploadFields.ts';
import { stageUpload } from './uploadStaging.ts';

export type UploadDeps = {
  staging: Staging;
  blobs: BlobStore;
  files: FileRecords;
  clock: Clock;
  fileSizeBytesMax: number;
};

export type Upload = {
  project: string;
  staged: StagedFile;
  fields: UploadFields;
  permission: UploadPermission;
};

/** Lays the bytes on disk as they come. What begins like none of the formats is refused before the rest has come. */
export async function receiveUpload(
  deps: Pick<UploadDeps, 'staging' | 'fileSizeBytesMax'>,
  chunks: AsyncIterable<Uint8Array>,
  terms: { bytesMax?: number } = {},
): Promise<StagedFile> {
  const bytesMax = Math.min(terms.bytesMax ?? deps.fileSizeBytesMax, deps.fileSizeBytesMax);
  return stageUpload(deps, sniffWhilePassing(chunks), { bytesMax });
}

/** Resolves once bytes and record survive a power cut. Disposing of the staged file stays with the caller. */
export async function keepUpload(
  deps: UploadDeps,
  { project, staged, fields, permission }: Upload,
): Promise<StoredFile> {
  const media = await identifyMedia({
    sizeBytes: staged.sizeBytes,
    read: (position, lengthBytes) => staged.read(position, lengthBytes),
  });
  permission.requireType(media.type);
  const path = permission.choosePath(fields.path);
  const id = newId();
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
    createdAt: deps.clock.now(),
  };
  await commitFile(deps, file, staged);
  return file;
}

/** The blob first: a record never points at nothing. A blob without its record is what the sweeper looks for. */
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

async function* sniffWhilePassing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head !== null) {
      head = Buffer.concat([head, chunk.subarray(0, signatureBytesMax)]);
      if (head.length >= signatureBytesMax) {
        sniffMedia(head);
        head = null;
      }
    }
    yield chunk;
  }
}
