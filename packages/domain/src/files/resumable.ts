/** Resumable uploads: decides who may start and continue one, and turns complete ones into files. */

import { identifyMedia, sniffMedia } from '@tapedeck/media-facts';
import {
  type Creation,
  ResumableFailure,
  ResumableUploads,
  type UploadUse,
} from '@tapedeck/resumable-uploads';
import { newId } from '@tapedeck/values/random-ids';
import type { TokenPrincipal } from '../identity/principals.ts';
import type { BlobPlace, PartialBlobs } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';
import type { MetadataStore, Project } from '../ports/metadata.ts';
import type { ArrivedBytes, ResumableUploadRecords, Upload } from '../ports/resumableUploads.ts';
import { recordAction } from '../projects/auditedChanges.ts';
import { errorStatuses, isExpected, limits, ServiceError } from '../vocabulary.ts';
import { findPatches } from './locationRemoval.ts';
import { permitByScopes, requireAnyType, type UploadPermission } from './permissions.ts';
import { claimUse, type Grant, permitByGrant, type RedeemDeps, refundUse } from './presigned.ts';
import {
  checkUpload,
  explainUnsupported,
  fileTooLargeError,
  keepFile,
  type UploadDeps,
  type UploadFields,
} from './uploads.ts';

type OpeningDeps = Pick<UploadDeps, 'clock' | 'fileSizeBytesMax'> &
  Pick<RedeemDeps, 'presignedUses' | 'reportLostUse'> & {
    partials: PartialBlobs;
    resumableUploads: ResumableUploadRecords;
  };

export type ResumableDeps = UploadDeps &
  RedeemDeps &
  OpeningDeps & { resumable: ResumableUploads; store: Pick<MetadataStore, 'read' | 'writeFromReserve'> };

/** The sender of an upload, with permissions and limits. */
export type Uploader = {
  project: Project;
  permission: UploadPermission;
  bytesMax: number;
  /** null: an API token, which may continue any upload that it could have begun. */
  grant: Grant | null;
};

const begunBytesFactor = 4; // times the size of the largest file

/** A process alone on the database takes over all held uploads. */
export async function openResumableUploads(deps: OpeningDeps, isAlone: boolean): Promise<ResumableUploads> {
  if (isAlone) await deps.resumableUploads.releaseAll();
  return new ResumableUploads({
    records: deps.resumableUploads,
    partials: deps.partials,
    now: () => deps.clock.now(),
    idleMsMax: limits.uploadIdleMsMax,
    bytesMax: deps.fileSizeBytesMax,
    notifyForgotten: async ({ maker }) => {
      const id = readGrantId(maker);
      if (id !== null) await refundUse(deps, { id });
    },
  });
}

export function makeUploader(
  { fileSizeBytesMax }: Pick<UploadDeps, 'fileSizeBytesMax'>,
  sender: TokenPrincipal | { grant: Grant; project: Project },
): Uploader {
  const { project } = sender;
  if (!('grant' in sender))
    return { project, permission: permitByScopes(sender.scopes), bytesMax: fileSizeBytesMax, grant: null };
  const { grant } = sender;
  const bytesMax = Math.min(grant.bytesMax ?? fileSizeBytesMax, fileSizeBytesMax);
  return { project, permission: permitByGrant(grant), bytesMax, grant };
}

/** Begins an upload without bytes. Rejects early what it can. */
export async function beginUpload(
  deps: ResumableDeps,
  { project, permission, bytesMax, grant }: Uploader,
  { fields, lengthBytes, metadataHeader }: { fields: UploadFields } & Omit<Creation, 'metadata' | 'chunk'>,
): Promise<Upload> {
  if (lengthBytes !== null && lengthBytes > bytesMax) throw fileTooLargeError(bytesMax);
  if (lengthBytes === 0)
    throw new ServiceError(
      'unsupported_media',
      'The file is empty, so it is not an image, video or audio file.',
    );
  const upload: Upload = {
    id: newId(),
    project: project.slug,
    maker: grant === null ? '' : writeGrantId(grant),
    fields: JSON.stringify({ ...fields, path: permission.choosePath(fields.path) } satisfies UploadFields),
    metadataHeader,
    lengthBytes,
    sizeBytes: 0,
    expiresAt: deps.clock.now() + limits.uploadIdleMsMax,
    result: null,
  };
  if (grant !== null) await claimUse(deps, grant);
  try {
    await deps.resumableUploads.create(upload, {
      uploadsMax: limits.uploadsBegunMax,
      bytesMax: Math.max(limits.uploadsBegunBytesMax, deps.fileSizeBytesMax * begunBytesFactor),
    });
  } catch (error) {
    if (grant !== null) await refundUse(deps, grant);
    throw error;
  }
  return upload;
}

/** Throws `not_found` if the upload belongs to another sender, or the reason why this one could not have begun it. */
export async function findUpload(
  { resumable }: Pick<ResumableDeps, 'resumable'>,
  { project, permission, grant }: Uploader,
  id: string,
): Promise<Upload> {
  const upload = await resumable.find(id);
  const isOwn = grant === null || upload.maker === writeGrantId(grant);
  if (upload.project !== project.slug || !isOwn)
    throw new ResumableFailure('not_found', 'There is no such upload: start a new one.');
  permission.choosePath(readFields(upload).path);
  return upload;
}

/** Makes the upload engine's callbacks. `confirm` throws if the sender has lost the permission. */
export function makeUse(
  deps: ResumableDeps,
  { permission, bytesMax, grant }: Uploader,
  confirm: () => Promise<void>,
): UploadUse {
  return {
    check: (head, sizeBytes) => checkBeginning(head, { sizeBytes, permission }),
    finish: async bytes => {
      await confirm();
      if (bytes.partial.sizeBytes > bytesMax) throw fileTooLargeError(bytesMax);
      const fileId = await keepArrived(deps, bytes, permission);
      if (grant?.isOwn) await recordOwnUpload(deps, grant, fileId);
      return fileId;
    },
    isFinal: error =>
      isExpected(error) &&
      ([403, 404, 413, 415].includes(errorStatuses[error.code]) || error.code === 'quota_exceeded'),
  };
}

/** The dashboard sends large files in parts, through a URL of the user. The audit log names them like others. */
async function recordOwnUpload(
  deps: ResumableDeps,
  { project, maker }: Grant,
  fileId: string,
): Promise<void> {
  const [user, file] = await Promise.all([
    maker?.kind === 'user' ? deps.store.read.users.find(maker.id) : null,
    deps.files.find(project, fileId),
  ]);
  if (user === null || file === null) return;
  const { key, filename: name, sizeBytes } = file;
  const line = { project, action: 'file.upload', target: fileId, details: { key, name, sizeBytes } } as const;
  await recordAction(deps, { kind: 'user', user }, line);
}

/** Stores the complete upload; resolves to the file's id. */
async function keepArrived(
  deps: ResumableDeps,
  { upload, holder, partial, sha256, read }: ArrivedBytes,
  permission: UploadPermission,
): Promise<string> {
  const { sizeBytes } = partial;
  const media = await checkUpload({ sizeBytes, read }, permission);
  const { project } = upload;
  const checkedUpload = { project, sizeBytes, sha256, media, fields: readFields(upload), permission };
  const expiresAt = deps.clock.now() + limits.uploadIdleMsMax;
  const insert = (file: StoredFile) =>
    deps.resumableUploads.finish({ id: upload.id, holder, expiresAt }, file);
  const strips = deps.access.findProject(project)?.stripLocation === true;
  const patches = strips ? await findPatches({ sizeBytes, read }, { media }) : [];
  if (patches.length > 0) {
    // Bytes in a bucket cannot be patched in place, so they are staged here once.
    const chunks = await deps.partials.read(partial, { start: 0, end: sizeBytes });
    const refuse = () => fileTooLargeError(sizeBytes);
    await using arrived = await deps.staging.stage(chunks, { bytesMax: sizeBytes, refuse });
    const staged = await deps.staging.patch(arrived, patches);
    const put = (place: BlobPlace, mimeType: string) => deps.blobs.put(place, staged, mimeType);
    const changed = { ...checkedUpload, sha256: staged.sha256, sentSha256: sha256 };
    return (await keepFile(deps, changed, { put, insert })).id;
  }
  const { id } = await keepFile(deps, checkedUpload, {
    put: (place, mimeType) => deps.partials.promote(partial, { place, mimeType }),
    insert,
  });
  return id;
}

function readFields({ fields }: Upload): UploadFields {
  // Only `beginUpload` writes it; an older version omitted the visibility.
  const read = JSON.parse(fields) as UploadFields;
  return { ...read, visibility: read.visibility ?? null };
}

function writeGrantId({ id }: Grant): string {
  return `grant:${id}`;
}

function readGrantId(maker: string): string | null {
  return maker.startsWith('grant:') ? maker.slice('grant:'.length) : null;
}

/** Throws if no file with this beginning can be accepted. `sizeBytes` is the whole length, if known. */
async function checkBeginning(
  head: Uint8Array,
  { sizeBytes, permission }: { sizeBytes: number | null; permission: UploadPermission },
): Promise<void> {
  try {
    requireAnyType(sniffMedia(head), permission);
    const source = {
      sizeBytes: sizeBytes ?? Number.MAX_SAFE_INTEGER,
      read: async (position: number, lengthBytes: number) => {
        if (position + lengthBytes > head.length) throw new NotYet();
        return head.subarray(position, position + lengthBytes);
      },
    };
    permission.requireType((await identifyMedia(source)).type);
  } catch (error) {
    if (!(error instanceof NotYet)) throw explainUnsupported(error);
  }
}

/** More bytes are needed to decide. */
class NotYet extends Error {}
