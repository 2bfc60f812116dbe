/** Handles the file routes. */

import * as actions from '@tapedeck/contract/fileActions';
import * as contract from '@tapedeck/contract/files';
import { type FileMetadata, parseFileMetadata } from '@tapedeck/domain/files/fileMetadata';
import { parseSentFolderPath } from '@tapedeck/domain/files/folderPath';
import { makeFileUrls, type UrlDeps } from '@tapedeck/domain/files/naming';
import { chooseType, permitByScopes, type UploadPermission } from '@tapedeck/domain/files/permissions';
import * as presigned from '@tapedeck/domain/files/presigned';
import { endWithMaker, nameMaker, requireLivingMaker } from '@tapedeck/domain/files/presignedMakers';
import { requireKeyLength, type SentKey } from '@tapedeck/domain/files/uploadIdempotency';
import { storeUpload, type UploadDeps, type UploadFields } from '@tapedeck/domain/files/uploads';
import type { TokenPrincipal, UserReader } from '@tapedeck/domain/identity/principals';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Project } from '@tapedeck/domain/ports/metadata';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { confirmAccess } from '../authentication.ts';
import {
  parseUploadFields,
  type ReceivedUpload,
  readUpload,
  type UploadOptions,
} from '../bodies/uploadReading.ts';
import { type Call, type HandledRoute, handle, ok, type RouteRequest } from '../routing.ts';
import { type FileArchiveDeps, respondArchive } from './fileArchives.ts';
import { type FileDeps, handleRecords } from './fileRecords.ts';
import { type FolderMoveDeps, respondFolderMove } from './folderMoves.ts';
import { handleUploadPage } from './uploadPage.ts';

export type { FileDeps } from './fileRecords.ts';

export const presignDefaultMs = 15 * 60_000; // SERVICE.md, Limits

export function handleFiles(deps: FileDeps & FileArchiveDeps & FolderMoveDeps): HandledRoute[] {
  const store = async (
    { caller, request }: Pick<Call<typeof contract.uploadFile>, 'caller' | 'request'>,
    fields: Pick<UploadFields, 'filename' | 'path'> = { filename: '', path: '' },
  ) => {
    const file = await upload(deps, request, {
      options: { forms: ['multipart/form-data', 'text/plain', '*/*'], fields },
      caller,
      project: caller.project,
      permission: permitByScopes(caller.scopes),
    });
    return writeUpload(deps, caller.project, file);
  };
  return [
    handle(contract.uploadFile, call => store(call)),
    handle(contract.putFile, call => store(call)),
    handle(contract.putNamedFile, call => store(call, splitName(call.params.file))),
    handle(contract.uploadBase64, async ({ caller, request }) => {
      const file = await upload(deps, request, {
        options: { forms: ['application/json'] },
        caller,
        project: caller.project,
        permission: permitByScopes(caller.scopes),
      });
      return writeUpload(deps, caller.project, file);
    }),
    ...handlePresigned(deps),
    handleUploadPage(deps),
    ...handleRecords(deps),
    handle(actions.archiveFiles, respondArchive(deps)),
    handle(actions.moveFolder, call => respondFolderMove(deps, call)),
  ];
}

/** Splits a path as `curl -T` sends it: the last part is the file name, the rest are folders. */
function splitName(text: string): { filename: string; path: string } {
  const end = text.lastIndexOf('/');
  return { filename: text.slice(end + 1), path: text.slice(0, Math.max(end, 0)) };
}

type UploadWay = {
  options: UploadOptions;
  project: Project;
  permission: UploadPermission;
  /** The token that the Idempotency-Key counts for; absent: uploads belong to no token. */
  caller?: Pick<TokenPrincipal, 'id'>;
  /** Checks the form before anything is stored. */
  requireForm?: (received: ReceivedUpload) => void;
};

/** Reads, checks and stores an upload. If any step fails, nothing of the upload remains. */
export async function upload(
  deps: UploadDeps,
  request: FastifyRequest,
  options: UploadWay,
): Promise<StoredFile> {
  const startedAt = performance.now();
  const idempotencyKey = options.caller ? readUploadKey(request, options.caller) : null;
  const received = await readUpload(deps, request, options.options);
  await using staged = received.staged;
  await confirmAccess(request, startedAt);
  const { project, permission, requireForm } = options;
  const readFields = () => {
    requireForm?.(received);
    return parseUploadFields(received.fields);
  };
  return await storeUpload(deps, { project: project.slug, staged, permission, idempotencyKey, readFields });
}

function readUploadKey({ headers }: FastifyRequest, { id }: Pick<TokenPrincipal, 'id'>): SentKey | null {
  const key = headers['idempotency-key'];
  return key === undefined || key === '' ? null : requireKeyLength({ tokenId: id, key: String(key) });
}

export function writeUpload(
  deps: UrlDeps,
  project: Project,
  file: StoredFile,
): Static<typeof contract.UploadResponse> {
  return { ...ok, data: { id: file.id, ...makeFileUrls(deps, project, file) } };
}

export function respondPresigning(deps: UrlDeps & presigned.PresignDeps) {
  /** `bound`: additional metadata for each file that arrives. */
  return async (
    { caller, query }: RouteRequest<typeof contract.createPresignedUrl>,
    bound: FileMetadata = {},
    isOwn = false,
  ) => {
    const metadata = { ...presigned.parseBoundMetadata(query.metadata ?? ''), ...bound };
    const token = await presign(deps, caller, {
      expiresAt: query.expiresAt,
      defaultMs: presignDefaultMs,
      usesMax: query.uses ?? 1,
      type: chooseType(caller.scopes, query.type ?? null),
      fieldName: null,
      path: parseSentFolderPath(query.path ?? ''),
      bytesMax: query.maxSize ?? null,
      metadata: parseFileMetadata(JSON.stringify(metadata)),
      isOwn,
    });
    return { ...ok, data: { presignedUrl: `${deps.address.publicUrl}/api/v3/file/presigned-url/${token}` } };
  };
}

type PresignOptions = Omit<
  presigned.Grant,
  'id' | 'project' | 'maker' | 'expiresAt' | 'forgottenUntil' | 'isOwn'
> & {
  isOwn?: boolean;
  /** The value from the client. */
  expiresAt: number | undefined;
  /** The lifetime of a token if the client sets no end. */
  defaultMs: number;
};

/** Creates a presigned token for any version of the API, limited to its creator's scopes. */
export async function presign(
  deps: presigned.PresignDeps,
  maker: TokenPrincipal | UserReader,
  { expiresAt: wanted, defaultMs, isOwn = false, ...grant }: PresignOptions,
): Promise<string> {
  const path = permitByScopes(maker.scopes).choosePath(grant.path);
  const expiresAt = endWithMaker(maker, presigned.chooseExpiry(deps, wanted, defaultMs));
  return presigned.writePresignedToken(deps, {
    ...grant,
    isOwn,
    path,
    project: maker.project.slug,
    maker: nameMaker(maker),
    expiresAt,
    forgottenUntil: await presigned.findForgotten(deps, expiresAt),
  });
}

type Redemption = {
  token: string;
  /** Checks the form against the token's grant before anything is stored. */
  requireForm?: (received: ReceivedUpload, grant: presigned.Grant) => void;
  /** Chooses among several file parts; absent: several are an error. */
  namePart?: (grant: presigned.Grant) => readonly string[];
};

/** Accepts an upload with a presigned token, for any version of the API. */
export async function redeem(
  deps: FileDeps,
  request: FastifyRequest,
  { token, requireForm, namePart }: Redemption,
): Promise<{ project: Project; file: StoredFile }> {
  const { grant, project } = await presigned.readPresignedToken(deps, token);
  request.project = project.slug;
  if (grant.maker?.kind === 'token') await request.countAs(grant.maker.id);
  request.readmit = () => requireLivingMaker(deps, grant);
  const options: UploadWay = {
    options: {
      forms: ['multipart/form-data'],
      ...(grant.bytesMax !== null && { bytesMax: grant.bytesMax }),
      ...(namePart && { partNames: namePart(grant) }),
    },
    project,
    permission: presigned.permitByGrant(grant),
    requireForm: received => requireForm?.(received, grant),
  };
  await presigned.claimUse(deps, grant);
  try {
    return { project, file: await upload(deps, request, options) };
  } catch (error) {
    await presigned.refundUse(deps, grant);
    throw error;
  }
}

function handlePresigned(deps: FileDeps): HandledRoute[] {
  const answer = async ({
    params,
    request,
  }: Pick<Call<typeof contract.uploadPresigned>, 'params' | 'request'>) => {
    const { project, file } = await redeem(deps, request, params);
    return writeUpload(deps, project, file);
  };
  return [
    handle(contract.createPresignedUrl, respondPresigning(deps)),
    handle(contract.uploadPresigned, answer),
    handle(contract.putPresigned, answer),
  ];
}
