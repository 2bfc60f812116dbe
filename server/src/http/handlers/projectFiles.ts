/** Handles a project's files for signed-in users. Audits their changes. */

import * as contract from '@tapedeck/contract/projectFiles';
import { findFile, noFileError } from '@tapedeck/domain/files/fileLookup';
import { permitByScopes } from '@tapedeck/domain/files/permissions';
import { deleteFile, requireTrash } from '@tapedeck/domain/files/trash';
import type { Actor } from '@tapedeck/domain/identity/principals';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { type ManagementDeps, recordAction } from '@tapedeck/domain/projects/auditedChanges';
import { listChanged } from '@tapedeck/values/changed-fields';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type FileArchiveDeps, respondArchive } from './fileArchives.ts';
import { respondMatches } from './fileMatches.ts';
import {
  endTrashed,
  findEnded,
  readTrashFlag,
  respondFileChanges,
  respondFileQueries,
  respondLinking,
  writeFile,
} from './fileRecords.ts';
import { type FileDeps, upload } from './files.ts';
import { type FolderMoveDeps, respondFolderMove } from './folderMoves.ts';
import { handleUploadLinks } from './uploadLinks.ts';

type ProjectFileDeps = FileDeps & FileArchiveDeps & FolderMoveDeps & Pick<ManagementDeps, 'store'>;

export function handleProjectFiles(deps: ProjectFileDeps): HandledRoute[] {
  const { list, folders, get } = respondFileQueries(deps);
  const { update, restore } = respondFileChanges(deps);
  return [
    handle(contract.listProjectFiles, list),
    handle(contract.listProjectFolders, folders),
    handle(contract.matchProjectFiles, respondMatches(deps)),
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
      // Audits first, so that no deletion goes unrecorded.
      await recordFile(deps, caller, { action: toTrash ? 'file.trash' : 'file.delete', file });
      if (!(await deleteFile(deps, file, toTrash))) throw noFileError();
      return { ...ok, message: toTrash ? 'File moved to the trash.' : 'File deleted.' };
    }),
    handle(contract.updateProjectFile, async call => {
      const { before, after, answer } = await update(call);
      const changed = listChanged(before, after, editedFields);
      if (changed === null) return answer;
      const { id, project, key } = after;
      const details = { key, name: before.filename, ...changed };
      await recordAction(deps, call.caller, { project, action: 'file.update', target: id, details });
      return answer;
    }),
    handle(contract.restoreProjectFile, async call => {
      const { file, answer } = await restore(call);
      await recordFile(deps, call.caller, { action: 'file.restore', file });
      return answer;
    }),
    handle(contract.linkProjectFile, respondLinking(deps)),
    handle(contract.moveProjectFolder, call => respondFolderMove(deps, call)),
    ...handleUploadLinks(deps),
  ];
}

const editedFields = ['filename', 'path', 'metadata', 'retentionExempt', 'visibility'] as const;

type FileAction = 'file.upload' | 'file.delete' | 'file.trash' | 'file.restore';

function recordFile(
  deps: ProjectFileDeps,
  actor: Actor,
  { action, file }: { action: FileAction; file: StoredFile },
): Promise<void> {
  const { id, project, key, filename: name, sizeBytes } = file;
  return recordAction(deps, actor, { project, action, target: id, details: { key, name, sizeBytes } });
}
