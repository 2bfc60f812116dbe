/** Handles upload links of signed-in users, and the files that arrived through them. */

import * as contract from '@tapedeck/contract/projectFiles';
import { parseFolderPath } from '@tapedeck/domain/files/folderPath';
import { chooseExpiry } from '@tapedeck/domain/files/presigned';
import { listLinks, rememberLink, uploadLinkPath } from '@tapedeck/domain/files/uploadLinks';
import { type ManagementDeps, recordAction } from '@tapedeck/domain/projects/auditedChanges';
import { newId } from '@tapedeck/values/random-ids';
import type { Static } from 'typebox';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { type FileDeps, presignDefaultMs, respondPresigning } from './files.ts';
import { writeInstant } from './jsonRecords.ts';

export function handleUploadLinks(deps: FileDeps & Pick<ManagementDeps, 'store'>): HandledRoute[] {
  const presign = respondPresigning(deps);
  return [
    handle(contract.listProjectUploadLinks, async ({ caller }) => ({
      ...ok,
      data: (await listLinks(deps, caller)).map(writeLink),
    })),
    handle(contract.createProjectPresignedUrl, async call => {
      const { query } = call;
      const { uses = 1, type = null, filename } = query;
      const path = parseFolderPath(query.path ?? '');
      const expiresAt = chooseExpiry(deps, query.expiresAt, presignDefaultMs);
      const line = { project: call.params.project, action: 'file.presign', target: path } as const;
      if (filename !== undefined) {
        const answer = await presign({ ...call, query: { ...query, expiresAt, uses: 1 } }, {}, true);
        await recordAction(deps, call.caller, { ...line, details: { name: filename } });
        return answer;
      }
      const id = newId();
      const answer = await presign({ ...call, query: { ...query, expiresAt } }, { [uploadLinkPath]: id });
      await rememberLink(deps, call.caller, { id, path, type, usesMax: uses, expiresAt });
      await recordAction(deps, call.caller, { ...line, details: { uses, type } });
      return answer;
    }),
  ];
}

function writeLink(
  link: Awaited<ReturnType<typeof listLinks>>[number],
): Static<typeof contract.listProjectUploadLinks.answer>['data'][number] {
  const { id, path, type, usesMax, files, bytes } = link;
  return {
    id,
    path,
    type,
    uses: usesMax,
    files,
    bytes,
    createdAt: writeInstant(link.createdAt),
    expiresAt: writeInstant(link.expiresAt),
    query: `${uploadLinkPath}:${id}`,
  };
}
