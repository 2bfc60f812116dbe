/** Translates the file requests of V1 and V2 into V3. */

import { findFile, noFileError } from '@tapedeck/domain/files/fileLookup';
import { makeFileUrls } from '@tapedeck/domain/files/naming';
import {
  permitByBoth,
  permitByScopes,
  permitType,
  requireTypeScope,
} from '@tapedeck/domain/files/permissions';
import type { Grant } from '@tapedeck/domain/files/presigned';
import { removeFile } from '@tapedeck/domain/files/removal';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Project } from '@tapedeck/domain/ports/metadata';
import { invalidFieldError, type MediaType, mediaTypes, ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyRequest } from 'fastify';
import type { ReceivedUpload } from '../bodies/uploadReading.ts';
import { type FileDeps, presign, redeem, upload } from '../handlers/files.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import * as contract from './contract.ts';

const presignDefaultMs = 5 * 60_000; // SERVICE.md, Limits

export function handleLegacyFiles(deps: FileDeps): HandledRoute[] {
  return [...mediaTypes.flatMap(type => handleType(deps, type)), ...handlePresigned(deps)];
}

function handleType(deps: FileDeps, type: MediaType): HandledRoute[] {
  const take = (request: FastifyRequest, { project, scopes }: TokenPrincipal) =>
    upload(deps, request, {
      options: { forms: ['multipart/form-data', 'text/plain'], partNames: ['file', type] },
      project,
      permission: permitByBoth(permitType(type), permitByScopes(scopes)),
    });
  return [
    handle(contract.uploadV1(type), async ({ caller, request }) =>
      writeV1(deps, caller.project, await take(request, caller)),
    ),
    handle(contract.uploadV2(type), async ({ caller, request }) =>
      writeV2(deps, caller.project, await take(request, caller)),
    ),
    handle(contract.deleteOfType(type), async ({ caller, params }) => {
      const file = await findFile(deps, caller, params.file);
      if (file.type !== type || !(await removeFile(deps, file))) throw noFileError();
      return { ...ok, message: 'File deleted.' };
    }),
  ];
}

function handlePresigned(deps: FileDeps): HandledRoute[] {
  return [
    handle(contract.presignV1, async ({ caller, query }) => ({
      presignedUrl: `${deps.address.publicUrl}/api/presigned-url/${await makeToken(deps, caller, query)}`,
    })),
    handle(contract.presignV2, async ({ caller, query }) => ({
      ...ok,
      data: {
        presignedUrl: `${deps.address.publicUrl}/api/v2/presigned-url/${await makeToken(deps, caller, query)}`,
      },
    })),
    handle(contract.redeemV1, async ({ params, request }) => {
      const { project, file } = await redeem(deps, request, { ...params, requireForm, namePart });
      return writeV1(deps, project, file);
    }),
    handle(contract.redeemV2, async ({ params, request }) => {
      const { project, file } = await redeem(deps, request, { ...params, requireForm, namePart });
      return writeV2(deps, project, file);
    }),
  ];
}

async function makeToken(
  deps: FileDeps,
  caller: TokenPrincipal,
  query: { fileType?: MediaType; $fileType?: MediaType; expiresAt?: number },
): Promise<string> {
  const fileType = query.fileType ?? query.$fileType;
  if (fileType === undefined)
    throw invalidFieldError('fileType', `fileType must be one of ${mediaTypes.join(', ')}.`);
  requireTypeScope(caller.scopes, fileType);
  return presign(deps, caller, {
    expiresAt: query.expiresAt,
    defaultMs: presignDefaultMs,
    usesMax: 1,
    type: fileType,
    fieldName: fileType,
    path: '',
    bytesMax: null,
    metadata: {},
  });
}

/** If the token names a part, finds that part among others. */
function namePart({ fieldName, type }: Grant): readonly string[] {
  if (fieldName !== null) return [fieldName];
  return type === null ? ['file'] : ['file', type];
}

function requireForm({ fieldName }: ReceivedUpload, { fieldName: expected }: Grant): void {
  if (expected === null || fieldName === expected) return;
  throw new ServiceError('file_missing', `The file must be in the part "${expected}", as fileType says.`, {
    field: expected,
  });
}

function writeV1(deps: FileDeps, project: Project, file: StoredFile) {
  return { id: file.id, url: makeFileUrls(deps, project, file).url, ...ok };
}

function writeV2(deps: FileDeps, project: Project, file: StoredFile) {
  const data = { id: file.id, ...makeFileUrls(deps, project, file) };
  return { ...ok, id: data.id, url: data.url, data };
}
