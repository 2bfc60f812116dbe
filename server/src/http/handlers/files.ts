/** Handles the file routes. */
import { parseFileQuery } from '@tapedeck/log-query-language';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import * as contract from '../../contract/files.ts';
import type { BodyOf, QueryOf } from '../../contract/route.ts';
import { editFile } from '../../domain/files/changes.ts';
import { parseFolderPath } from '../../domain/files/folderPath.ts';
import { isPrivate } from '../../domain/files/librarySettings.ts';
import { linkSecondsDefault, signLink } from '../../domain/files/links.ts';
import { makeFileUrls, type UrlDeps } from '../../domain/files/naming.ts';
import { chooseType, permitByScopes, type UploadPermission } from '../../domain/files/permissions.ts';
import * as presigned from '../../domain/files/presigned.ts';
import { endWithMaker, nameMaker, requireLivingMaker } from '../../domain/files/presignedMakers.ts';
import {
  findFile,
  listFiles,
  listFolders,
  noFileError,
  type ReadingDeps,
} from '../../domain/files/reading.ts';
import type { RemovalDeps } from '../../domain/files/removal.ts';
import { searchFiles, searchTrash, usualSort } from '../../domain/files/searching.ts';
import { deleteFile, requireTrash, restoreFile } from '../../domain/files/trash.ts';
import { requireKeyLength, type SentKey } from '../../domain/files/uploadKeys.ts';
import { judgeUpload, keepUpload, type UploadDeps, type UploadFields } from '../../domain/files/uploads.ts';
import type { TokenPrincipal, UserReader } from '../../domain/identity/principals.ts';
import type { FileFilter, StoredFile } from '../../domain/ports/files.ts';
import type { Project } from '../../domain/ports/metadata.ts';
import { readTerms, requireFewConditions } from '../../domain/searchTerms.ts';
import { invalidFieldError } from '../../vocabulary.ts';
import { confirmAccess } from '../authentication.ts';
import {
  parseUploadFields,
  type ReceivedUpload,
  readUpload,
  type UploadOptions,
} from '../bodies/uploadReading.ts';
import { readMetadata, readPageSize, readParameters } from '../queryParameters.ts';
import { type Asked, type Call, type HandledRoute, handle, ok } from '../routing.ts';
import { writeInstant } from './records.ts';

export type FileDeps = UploadDeps & UrlDeps & RemovalDeps & presigned.RedeemDeps;

const presignDefaultMs = 15 * 60_000; // SERVICE.md, Limits

export function handleFiles(deps: FileDeps): HandledRoute[] {
  const take = async (
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
    handle(contract.uploadFile, call => take(call)),
    handle(contract.putFile, call => take(call)),
    handle(contract.putNamedFile, call => take(call, splitName(call.params.file))),
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
    ...handleRecords(deps),
  ];
}

/** A path as `curl -T` sends it: folders, and the name of the file behind the last slash. */
function splitName(text: string): { filename: string; path: string } {
  const end = text.lastIndexOf('/');
  return { filename: text.slice(end + 1), path: text.slice(0, Math.max(end, 0)) };
}

type UploadWay = {
  options: UploadOptions;
  project: Project;
  permission: UploadPermission;
  /** Whose Idempotency-Key counts; absent where uploads are not a token's own. */
  caller?: Pick<TokenPrincipal, 'id'>;
  /** Judges the form before anything is kept. */
  requireForm?: (received: ReceivedUpload) => void;
};

/** Reads, judges and keeps an upload. When any step fails, nothing of the upload is left. */
export async function upload(deps: UploadDeps, request: FastifyRequest, way: UploadWay): Promise<StoredFile> {
  const startedAt = performance.now();
  const idempotencyKey = way.caller ? readUploadKey(request, way.caller) : null;
  const received = await readUpload(deps, request, way.options);
  await using staged = received.staged;
  await confirmAccess(request, startedAt);
  const { project, permission, requireForm } = way;
  // An error in the bytes is reported before one in the fields.
  const media = await judgeUpload(staged, permission);
  requireForm?.(received);
  const fields = parseUploadFields(received.fields);
  return await keepUpload(deps, { project: project.slug, staged, media, fields, permission, idempotencyKey });
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
  return async ({ caller, query }: Asked<typeof contract.createPresignedUrl>) => {
    const token = presign(deps, caller, {
      expiresAt: query.expiresAt,
      defaultMs: presignDefaultMs,
      usesMax: query.uses ?? 1,
      type: chooseType(caller.scopes, query.type ?? null),
      fieldName: null,
      path: parseFolderPath(query.path ?? ''),
      bytesMax: query.maxSize ?? null,
      metadata: presigned.parseBoundMetadata(query.metadata ?? ''),
    });
    return { ...ok, data: { presignedUrl: `${deps.address.publicUrl}/api/v3/file/presigned-url/${token}` } };
  };
}

type PresignOptions = Omit<presigned.Grant, 'id' | 'project' | 'maker' | 'expiresAt'> & {
  /** As the client sends it. */
  expiresAt: number | undefined;
  /** The lifetime of a token whose client names no end. */
  defaultMs: number;
};

/** Writes a presigned token for any version of the API, no wider than the scopes of its creator. */
export function presign(
  deps: presigned.PresignDeps,
  maker: TokenPrincipal | UserReader,
  { expiresAt, defaultMs, ...grant }: PresignOptions,
): string {
  const path = permitByScopes(maker.scopes).choosePath(grant.path);
  return presigned.writePresignedToken(deps, {
    ...{ ...grant, path, project: maker.project.slug },
    maker: nameMaker(maker),
    expiresAt: endWithMaker(maker, presigned.chooseExpiry(deps, expiresAt, defaultMs)),
  });
}

type Redemption = {
  token: string;
  /** Judges the form by what the token grants, before anything is kept. */
  requireForm?: (received: ReceivedUpload, grant: presigned.Grant) => void;
  /** Which of several file parts is taken; absent: several are an error. */
  namePart?: (grant: presigned.Grant) => readonly string[];
};

/** Takes an upload through a presigned token, for any version of the API. */
export async function redeem(
  deps: FileDeps,
  request: FastifyRequest,
  { token, requireForm, namePart }: Redemption,
): Promise<{ project: Project; file: StoredFile }> {
  const { grant, project } = await presigned.readPresignedToken(deps, token);
  request.project = project.slug;
  if (grant.maker?.kind === 'token') await request.countAs(grant.maker.id);
  request.readmit = () => requireLivingMaker(deps, grant);
  const way: UploadWay = {
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
    return { project, file: await upload(deps, request, way) };
  } catch (error) {
    await presigned.giveUseBack(deps, grant);
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

/** The answers that routes for tokens and routes for signed-in users share. */
export function respondFileQueries(deps: ReadingDeps & UrlDeps) {
  return {
    list: async ({ caller, query, request }: Asked<typeof contract.listFiles>) => {
      const page = query.page ?? 1;
      const limit = readPageSize(query);
      const asked = { page, limit, cursor: query.cursor ?? null, ...readFilter(query, request.url) };
      const sort = { by: query.sort ?? usualSort.by, order: query.order ?? usualSort.order };
      const question = { ...asked, sort, query: parseFileQuery(query.query ?? '') };
      const isUsual = question.query === null && sort.by === usualSort.by && sort.order === usualSort.order;
      const write = (file: StoredFile) => writeFile(deps, caller.project, file);
      const found = async () => {
        if (readTrashFlag(query.trash)) {
          const { files, ...rest } = await searchTrash(deps, caller, question);
          return { ...rest, data: files.map(({ file, trashedAt }) => addDeletion(write(file), trashedAt)) };
        }
        const { files, ...rest } = await (isUsual
          ? listFiles(deps, caller, asked)
          : searchFiles(deps, caller, question));
        return { ...rest, data: files.map(write) };
      };
      const { data, total, nextCursor } = await found();
      return { ...ok, data, pagination: { limit, page, total, nextCursor } };
    },
    folders: async ({ caller, query }: Asked<typeof contract.listFolders>) => {
      const limit = readPageSize(query);
      const path = parseFolderPath(query.path ?? '');
      return {
        ...ok,
        data: await listFolders(deps, caller, { path, namesBegin: query.prefix ?? '', limit }),
      };
    },
    get: async ({ caller, params }: Asked<typeof contract.getFile>) => ({
      ...ok,
      data: writeFile(deps, caller.project, await findFile(deps, caller, params.file)),
    }),
  };
}

function readFilter(
  { type, path = '', q = '' }: Pick<QueryOf<typeof contract.listFiles>, 'type' | 'path' | 'q'>,
  url: string,
): FileFilter {
  return {
    type: type ?? null,
    path: parseFolderPath(path),
    terms: readTerms('q', q),
    metadata: requireFewConditions(readMetadata(readParameters(url))),
  };
}

export function readTrashFlag(text: string | undefined): boolean {
  const word = text?.toLowerCase() ?? 'false';
  if (word === 'true' || word === 'false') return word === 'true';
  throw invalidFieldError('trash', 'trash must be true or false.');
}

type Written = Static<typeof contract.FileRecord>;

function addDeletion(record: Written, trashedAt: number): Written {
  return { ...record, deletedAt: writeInstant(trashedAt) };
}

/** Answers that routes for tokens and routes for signed-in users share, of changes. */
export function respondFileChanges(deps: FileDeps) {
  return {
    update: async ({ caller, params, body }: Asked<typeof contract.updateFile> & Bodied) => {
      const file = await editFile(deps, caller, { idOrKey: params.file, edits: body });
      return { file, answer: { ...ok, data: writeFile(deps, caller.project, file) } };
    },
    restore: async ({ caller, params }: Asked<typeof contract.restoreFile>) => {
      const file = await restoreFile(deps, caller, params.file);
      return { file, answer: { ...ok, data: writeFile(deps, caller.project, file) } };
    },
  };
}

/** A link on the domain that the file's URL has. */
export function respondLinking(deps: FileDeps) {
  return async ({ caller, params, body }: Asked<typeof contract.linkFile> & LinkBodied) => {
    const file = await findFile(deps, caller, params.file);
    const seconds = body.expiresIn ?? linkSecondsDefault;
    const { query, expiresAt } = signLink(deps, caller, { file, seconds });
    // A bucket checks no signatures.
    const { url } = makeFileUrls({ ...deps, blobsPublicUrl: null }, caller.project, file);
    return { ...ok, data: { url: `${url}?${query}`, expiresAt: writeInstant(expiresAt) } };
  };
}

type LinkBodied = { body: BodyOf<typeof contract.linkFile> };

type Bodied = { body: BodyOf<typeof contract.updateFile> };

function handleRecords(deps: FileDeps): HandledRoute[] {
  const { list, folders, get } = respondFileQueries(deps);
  const { update, restore } = respondFileChanges(deps);
  return [
    handle(contract.listFiles, list),
    handle(contract.listFolders, folders),
    handle(contract.getFile, get),
    handle(contract.deleteFile, async ({ caller, params, query }) => {
      const toTrash = readTrashFlag(query.trash);
      if (toTrash) requireTrash(caller.project);
      const file = await findFile(deps, caller, params.file);
      if (!(await deleteFile(deps, file, toTrash))) throw noFileError();
      return { ...ok, message: toTrash ? 'File moved to the trash.' : 'File deleted.' };
    }),
    handle(contract.updateFile, async call => (await update(call)).answer),
    handle(contract.restoreFile, async call => (await restore(call)).answer),
    handle(contract.linkFile, respondLinking(deps)),
  ];
}

export function writeFile(
  deps: UrlDeps,
  project: Project,
  file: StoredFile,
): Static<typeof contract.FileRecord> {
  const { id, filename, type, key, path, mimeType, retentionExempt, width, height, durationSeconds } = file;
  return {
    ...{ id, filename, type, key, path, mimeType, retentionExempt },
    ...makeFileUrls(deps, project, file),
    metadata: { ...file.metadata },
    size: file.sizeBytes,
    createdAt: writeInstant(file.listedAt),
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    ...(durationSeconds !== null && { durationSeconds }),
    visibility: isPrivate(project, file) ? 'private' : 'public',
  };
}
