/** Handles records of files: lists, changes, deletions, the trash and links. */

import * as actions from '@tapedeck/contract/fileActions';
import * as contract from '@tapedeck/contract/files';
import type { BodyOf, QueryOf } from '@tapedeck/contract/route';
import type { RelocationDeps } from '@tapedeck/domain/files/blobRelocation';
import { editFile } from '@tapedeck/domain/files/changes';
import {
  findFile,
  listFiles,
  listFolders,
  noFileError,
  type ReadingDeps,
} from '@tapedeck/domain/files/fileLookup';
import { parseFolderPath } from '@tapedeck/domain/files/folderPath';
import { searchFiles, searchTrash, usualSort } from '@tapedeck/domain/files/librarySearch';
import { isPrivate } from '@tapedeck/domain/files/librarySettings';
import { linkSecondsDefault, signLink } from '@tapedeck/domain/files/links';
import { makeFileUrls, type UrlDeps } from '@tapedeck/domain/files/naming';
import type * as presigned from '@tapedeck/domain/files/presigned';
import type { RemovalDeps } from '@tapedeck/domain/files/removal';
import {
  deleteFile,
  endTrashedFile,
  findTrashedFile,
  requireTrash,
  restoreFile,
} from '@tapedeck/domain/files/trash';
import type { UploadDeps } from '@tapedeck/domain/files/uploads';
import type { Reader } from '@tapedeck/domain/identity/principals';
import type { FileFilter, StoredFile } from '@tapedeck/domain/ports/files';
import type { Project } from '@tapedeck/domain/ports/metadata';
import { readTerms, requireFewConditions } from '@tapedeck/domain/searchTerms';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { parseFileQuery } from '@tapedeck/log-query-language';
import type { Static } from 'typebox';
import { type QueryParameters, readMetadata, readPageSize } from '../queryParameters.ts';
import { type HandledRoute, handle, ok, type RouteRequest } from '../routing.ts';
import { respondMatches } from './fileMatches.ts';
import { writeInstant } from './jsonRecords.ts';

export type FileDeps = UploadDeps & UrlDeps & RemovalDeps & RelocationDeps & presigned.RedeemDeps;

/** The token routes and the signed-in routes share these answers. */
export function respondFileQueries(deps: ReadingDeps & UrlDeps) {
  return {
    list: async ({ caller, query, request }: RouteRequest<typeof contract.listFiles>) => {
      const page = query.page ?? 1;
      const limit = readPageSize(query);
      const lookup = { page, limit, cursor: query.cursor ?? null, ...readFilter(query, request.parameters) };
      const sort = { by: query.sort ?? usualSort.by, order: query.order ?? usualSort.order };
      const question = { ...lookup, sort, query: parseFileQuery(query.query ?? '') };
      const isUsual = question.query === null && sort.by === usualSort.by && sort.order === usualSort.order;
      const write = (file: StoredFile) => writeFile(deps, caller.project, file);
      const found = async () => {
        if (readTrashFlag(query.trash)) {
          const { files, ...rest } = await searchTrash(deps, caller, question);
          return { ...rest, data: files.map(({ file, trashedAt }) => addDeletion(write(file), trashedAt)) };
        }
        const { files, ...rest } = await (isUsual
          ? listFiles(deps, caller, lookup)
          : searchFiles(deps, caller, question));
        return { ...rest, data: files.map(write) };
      };
      const { data, total, nextCursor } = await found();
      return { ...ok, data, pagination: { limit, page, total, nextCursor } };
    },
    folders: async ({ caller, query }: RouteRequest<typeof actions.listFolders>) => {
      const limit = readPageSize(query);
      const path = parseFolderPath(query.path ?? '');
      return {
        ...ok,
        data: await listFolders(deps, caller, { path, namesBegin: query.prefix ?? '', limit }),
      };
    },
    get: async ({ caller, params }: RouteRequest<typeof contract.getFile>) => ({
      ...ok,
      data: writeFile(deps, caller.project, await findFile(deps, caller, params.file)),
    }),
  };
}

export function readFilter(
  { type, path = '', q = '' }: Pick<QueryOf<typeof contract.listFiles>, 'type' | 'path' | 'q'>,
  parameters: QueryParameters,
): FileFilter {
  return {
    type: type ?? null,
    path: parseFolderPath(path),
    terms: readTerms('q', q),
    metadata: requireFewConditions(readMetadata(parameters)),
  };
}

export function readTrashFlag(text: string | undefined): boolean {
  const word = text?.toLowerCase() ?? 'false';
  if (word === 'true' || word === 'false') return word === 'true';
  throw invalidFieldError('trash', 'trash must be true or false.');
}

/** Finds the file in the trash that an explicit `trash=false` deletes for good; null: nothing to delete. */
export async function findEnded(
  deps: FileDeps,
  reader: Reader,
  { idOrKey, trash }: { idOrKey: string; trash: string | undefined },
): Promise<StoredFile | null> {
  const isExplicit = trash !== undefined && !readTrashFlag(trash);
  return isExplicit ? await findTrashedFile(deps, reader, idOrKey) : null;
}

export async function endTrashed(deps: FileDeps, file: StoredFile) {
  if (!(await endTrashedFile(deps, file))) throw noFileError();
  return { ...ok, message: 'File deleted.' };
}

type Written = Static<typeof contract.FileRecord>;

function addDeletion(record: Written, trashedAt: number): Written {
  return { ...record, deletedAt: writeInstant(trashedAt) };
}

/** The token routes and the signed-in routes share these answers to changes. */
export function respondFileChanges(deps: FileDeps) {
  return {
    update: async ({ caller, params, body }: RouteRequest<typeof actions.updateFile> & Bodied) => {
      const change = await editFile(deps, caller, { idOrKey: params.file, edits: body });
      return { ...change, answer: { ...ok, data: writeFile(deps, caller.project, change.after) } };
    },
    restore: async ({ caller, params }: RouteRequest<typeof actions.restoreFile>) => {
      const file = await restoreFile(deps, caller, params.file);
      return { file, answer: { ...ok, data: writeFile(deps, caller.project, file) } };
    },
  };
}

/** Makes a link on the domain of the file's URL. */
export function respondLinking(deps: FileDeps) {
  return async ({ caller, params, body }: RouteRequest<typeof actions.linkFile> & LinkBodied) => {
    const file = await findFile(deps, caller, params.file);
    const seconds = body.expiresIn ?? linkSecondsDefault;
    const { query, expiresAt } = signLink(deps, caller, { file, seconds });
    // A bucket does not check signatures.
    const { url } = makeFileUrls({ ...deps, blobsPublicUrl: null }, caller.project, file);
    return { ...ok, data: { url: `${url}?${query}`, expiresAt: writeInstant(expiresAt) } };
  };
}

type LinkBodied = { body: BodyOf<typeof actions.linkFile> };

type Bodied = { body: BodyOf<typeof actions.updateFile> };

export function handleRecords(deps: FileDeps): HandledRoute[] {
  const { list, folders, get } = respondFileQueries(deps);
  const { update, restore } = respondFileChanges(deps);
  return [
    handle(contract.listFiles, list),
    handle(actions.listFolders, folders),
    handle(actions.matchFiles, respondMatches(deps)),
    handle(contract.getFile, get),
    handle(contract.deleteFile, async ({ caller, params, query }) => {
      const toTrash = readTrashFlag(query.trash);
      if (toTrash) requireTrash(caller.project);
      const trashed = await findEnded(deps, caller, { idOrKey: params.file, trash: query.trash });
      if (trashed !== null) return await endTrashed(deps, trashed);
      const file = await findFile(deps, caller, params.file);
      if (!(await deleteFile(deps, file, toTrash))) throw noFileError();
      return { ...ok, message: toTrash ? 'File moved to the trash.' : 'File deleted.' };
    }),
    handle(actions.updateFile, async call => (await update(call)).answer),
    handle(actions.restoreFile, async call => (await restore(call)).answer),
    handle(actions.linkFile, respondLinking(deps)),
  ];
}

export function writeFile(
  deps: UrlDeps,
  project: Project,
  file: StoredFile,
): Static<typeof contract.FileRecord> {
  const { id, filename, type, key, path, mimeType, retentionExempt, width, height, durationSeconds } = file;
  return {
    id,
    filename,
    type,
    key,
    path,
    mimeType,
    retentionExempt,
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
