/** Handles a project's files for signed-in users. Their changes are audited. */
import { listChanged } from '@tapedeck/values/changed-fields';
import { newId } from '@tapedeck/values/random-ids';
import type { Static } from 'typebox';
import * as contract from '../../contract/projectFiles.ts';
import { parseFolderPath } from '../../domain/files/folderPath.ts';
import { permitByScopes } from '../../domain/files/permissions.ts';
import { chooseExpiry } from '../../domain/files/presigned.ts';
import { findFile, noFileError } from '../../domain/files/reading.ts';
import { deleteFile, requireTrash } from '../../domain/files/trash.ts';
import { listLinks, rememberLink, uploadLinkPath } from '../../domain/files/uploadLinks.ts';
import type { Actor } from '../../domain/identity/principals.ts';
import type { StoredFile } from '../../domain/ports/files.ts';
import { type ManagementDeps, recordAction } from '../../domain/projects/auditedChanges.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type FileArchiveDeps, respondArchive } from './fileArchives.ts';
import {
  endTrashed,
  findEnded,
  readTrashFlag,
  respondFileChanges,
  respondFileQueries,
  respondLinking,
  writeFile,
} from './fileRecords.ts';
import { type FileDeps, presignDefaultMs, respondPresigning, upload } from './files.ts';
import { writeInstant } from './records.ts';

type ProjectFileDeps = FileDeps & FileArchiveDeps & Pick<ManagementDeps, 'store'>;

export function handleProjectFiles(deps: ProjectFileDeps): HandledRoute[] {
  const { list, folders, get } = respondFileQueries(deps);
  const { update, restore } = respondFileChanges(deps);
  const presign = respondPresigning(deps);
  return [
    handle(contract.listProjectFiles, list),
    handle(contract.listProjectFolders, folders),
    handle(contract.archiveProjectFiles, respondArchive(deps)),
    handle(contract.getProjectFile, get),
    handle(contract.uploadProjectFile, async ({ caller, request }) => {
      const { project, scopes } = caller;
      const options = { forms: ['multipart/form-data'] } as const;
      const file = await upload(deps, request, { options, project, permission: permitByScopes(scopes) });
      await recordFile(deps, caller, { action: 'file.upload', file });
      return { ...ok, data: writeFile(deps, project, file) };
    }),
    handle(contract.deleteProjectFile, async ({ caller, params, query }) => {
      const trashed = await findEnded(deps, caller, { idOrKey: params.file, trash: query.trash });
      if (trashed !== null) {
        await recordFile(deps, caller, { action: 'file.delete', file: trashed });
        return await endTrashed(deps, trashed);
      }
      const file = await findFile(deps, caller, params.file);
      const hasTrash = caller.project.trashDays !== null;
      const toTrash = query.trash === undefined ? hasTrash : readTrashFlag(query.trash);
      if (toTrash) requireTrash(caller.project);
      // The audit log is told first, so that nothing is gone without a line in it.
      await recordFile(deps, caller, { action: toTrash ? 'file.trash' : 'file.delete', file });
      if (!(await deleteFile(deps, file, toTrash))) throw noFileError();
      return { ...ok, message: toTrash ? 'File moved to the trash.' : 'File deleted.' };
    }),
    handle(contract.updateProjectFile, async call => {
      const { before, after, answer } = await update(call);
      const { id, project, key } = after;
      const details = { key, ...listChanged(before, after, editedFields) };
      await recordAction(deps, call.caller, { project, action: 'file.update', target: id, details });
      return answer;
    }),
    handle(contract.restoreProjectFile, async call => {
      const { file, answer } = await restore(call);
      await recordFile(deps, call.caller, { action: 'file.restore', file });
      return answer;
    }),
    handle(contract.linkProjectFile, respondLinking(deps)),
    handle(contract.listProjectUploadLinks, async ({ caller }) => ({
      ...ok,
      data: (await listLinks(deps, caller)).map(writeLink),
    })),
    handle(contract.createProjectPresignedUrl, async call => {
      const { query } = call;
      const { uses = 1, type = null } = query;
      const path = parseFolderPath(query.path ?? '');
      const expiresAt = chooseExpiry(deps, query.expiresAt, presignDefaultMs);
      const id = newId();
      const answer = await presign({ ...call, query: { ...query, expiresAt } }, { [uploadLinkPath]: id });
      await rememberLink(deps, call.caller, { id, path, type, usesMax: uses, expiresAt });
      const line = { project: call.params.project, action: 'file.presign', target: path } as const;
      await recordAction(deps, call.caller, { ...line, details: { uses, type } });
      return answer;
    }),
  ];
}

const editedFields = ['filename', 'path', 'metadata', 'retentionExempt', 'visibility'] as const;

function writeLink(
  link: Awaited<ReturnType<typeof listLinks>>[number],
): Static<typeof contract.listProjectUploadLinks.answer>['data'][number] {
  const { id, path, type, usesMax, files, bytes } = link;
  return {
    ...{ id, path, type, uses: usesMax, files, bytes },
    createdAt: writeInstant(link.createdAt),
    expiresAt: writeInstant(link.expiresAt),
    query: `${uploadLinkPath}:${id}`,
  };
}

type FileAction = 'file.upload' | 'file.delete' | 'file.trash' | 'file.restore';

function recordFile(
  deps: ProjectFileDeps,
  actor: Actor,
  { action, file }: { action: FileAction; file: StoredFile },
): Promise<void> {
  const { id, project, key, sizeBytes } = file;
  return recordAction(deps, actor, { project, action, target: id, details: { key, sizeBytes } });
}
