/** Folders of files, actions on files (changes, restoring, links), equal files, and the page behind upload URLs. */
import Type from 'typebox';
import { FileParams, FileRecord, listFiles, PresignedParams } from './files.ts';
import { defineRoute } from './route.ts';
import { Id, Instant, nullable, PageLimit, recordOf } from './values.ts';
import { fileVisibilities, limits } from './vocabulary.ts';

const area = 'Files';
const Ok = Type.Literal('ok');

export const listFolders = defineRoute({
  id: 'listFolders',
  method: 'GET',
  path: '/api/v3/file/folders',
  area,
  summary: 'List the direct subfolders of a folder, by name.',
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  query: Type.Object({
    path: Type.Optional(Type.String({ description: 'The parent folder. The top-level folders if absent.' })),
    prefix: Type.Optional(
      Type.String({ maxLength: limits.pathBytesMax, description: 'Start of the names of the folders.' }),
    ),
    limit: PageLimit,
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        path: Type.String(),
        files: Type.Integer({ description: 'Number of files in the folder and all folders below it.' }),
        bytes: Type.Integer({ description: 'Total size of these files in bytes.' }),
      }),
    ),
    status: Ok,
  }),
  errors: ['path_invalid'],
});

export const moveFolder = defineRoute({
  id: 'moveFolder',
  method: 'POST',
  path: '/api/v3/file/folders/move',
  area,
  summary:
    'Move or rename a folder with everything in it. URLs stay the same. After ten seconds the response says isOver: false while the move continues; repeat the request to follow it. It also continues after a restart.',
  access: { by: 'token', kinds: ['media'], action: 'write', apiKey: false },
  body: Type.Object({
    from: Type.String({ description: 'Path of the folder to move.' }),
    to: Type.String({ description: 'New path of the folder. An existing folder receives the files.' }),
  }),
  answer: Type.Object({
    data: Type.Object({
      total: Type.Integer({ description: 'Number of files in the folder when the move began.' }),
      moved: Type.Integer(),
      failed: Type.Integer({ description: 'Files that could not be moved and stay in the folder.' }),
      reason: nullable(
        Type.String({
          description: 'Why the first of these files could not be moved, or why the move ended early.',
        }),
      ),
      isOver: Type.Boolean(),
    }),
    status: Ok,
  }),
  errors: ['not_found', 'path_invalid', 'overloaded'],
});

export const updateFile = defineRoute({
  id: 'updateFile',
  method: 'PATCH',
  path: '/api/v3/file/{file*}',
  area,
  summary:
    'Change the name, folder, metadata, exemption or visibility of a file. Its key and URLs stay the same.',
  access: { by: 'token', kinds: ['media'], action: 'write', apiKey: false },
  params: FileParams,
  body: Type.Object({
    filename: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: "New folder. Empty for the project's own folder." })),
    metadata: Type.Optional(
      nullable(recordOf(Type.Unknown(), { description: 'A merge patch (RFC 7396): null removes a key.' })),
    ),
    retentionExempt: Type.Optional(Type.Boolean()),
    visibility: Type.Optional(nullable(Type.Enum(fileVisibilities))),
  }),
  bodyBytesMax: limits.fileEditBodyBytesMax,
  answer: Type.Object({ data: FileRecord, status: Ok }),
  errors: ['not_found', 'bad_request', 'path_invalid', 'metadata_invalid'],
});

export const restoreFile = defineRoute({
  id: 'restoreFile',
  method: 'POST',
  path: '/api/v3/file/{file}/restore',
  area,
  summary: 'Restore a file from the trash under the same URL.',
  access: { by: 'token', kinds: ['media'], action: 'write', apiKey: false },
  params: Type.Object({
    file: Type.String({
      description: 'Id or storage key of the file.',
      maxLength: limits.pathParameterCharactersMax,
    }),
  }),
  answer: Type.Object({ data: FileRecord, status: Ok }),
  errors: ['not_found', 'bad_request'],
});

export const linkFile = defineRoute({
  id: 'linkFile',
  method: 'POST',
  path: '/api/v3/file/{file}/link',
  area,
  summary:
    'Create a signed link to a file, private or not. It stops working when the token that created it is revoked.',
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  params: restoreFile.params,
  body: Type.Object({
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.linkSecondsMax,
        description: 'Lifetime of the link in seconds. 15 minutes by default, 7 days at most.',
      }),
    ),
  }),
  answer: Type.Object({ data: Type.Object({ url: Type.String(), expiresAt: Instant }), status: Ok }),
  errors: ['not_found', 'bad_request'],
});

export const matchFiles = defineRoute({
  id: 'matchFiles',
  method: 'POST',
  path: '/api/v3/file/matches',
  area,
  summary:
    'Find stored files with the folder, name and size of files that you are about to upload, with the sha256 of each, so that you can skip equal ones. Files in the trash and files that expire within a week are left out.',
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  body: Type.Object({
    files: Type.Array(
      Type.Object({
        filename: Type.String(),
        path: Type.Optional(Type.String({ description: "The folder. Empty for the project's own folder." })),
        size: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
      }),
      { minItems: 1, maxItems: limits.fileMatchesMax },
    ),
  }),
  bodyBytesMax: limits.fileMatchesBodyBytesMax,
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Position of the file in the request, from 0.' }),
        id: Id,
        sha256: Type.String({ description: 'SHA-256 of the file as it was uploaded, in hexadecimal.' }),
      }),
      { description: 'The newest file of each content, in the order of the request.' },
    ),
    status: Ok,
  }),
  errors: [],
});

const { type, path, q, query } = listFiles.query.properties;

export const archiveFiles = defineRoute({
  id: 'archiveFiles',
  method: 'GET',
  path: '/api/v3/file/archive',
  area,
  summary:
    'Download all matching files as a ZIP of any size, including private ones. Its manifest.json has the record and sha256 of each file, and names files that were deleted during the download.',
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  query: Type.Object({ type, path, q, query }, { additionalProperties: true }),
  answer: Type.String(),
  answerType: 'application/zip',
  errors: [...listFiles.errors.filter(code => code !== 'cursor_invalid'), 'overloaded'],
});

/** For browsers. Other programs get 405, because they upload here. */
export const openUploadPage = defineRoute({
  id: 'openUploadPage',
  method: 'GET',
  path: '/api/v3/file/presigned-url/{token}',
  area,
  summary: 'Get the upload page of a presigned URL. Errors are pages, too.',
  access: { by: 'anyone' },
  params: PresignedParams,
  answer: Type.String(),
  answerType: 'text/html',
  errors: ['presigned_unknown', 'presigned_expired', 'presigned_used'],
});
