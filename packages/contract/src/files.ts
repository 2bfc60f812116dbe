/** Files: upload, list, describe, delete, and presigned URLs for uploads by others. */
import { fileFieldNames } from '@tapedeck/log-query-language';
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Id, Instant, nullable, PageLimit, PresignedLink, recordOf } from './values.ts';
import { type ErrorCode, fileSorts, fileVisibilities, limits, mediaTypes } from './vocabulary.ts';

const area = 'Files';
const Ok = Type.Literal('ok');
const Metadata = recordOf(Type.Unknown(), { description: 'Free-form metadata, as it was uploaded.' });
const MediaTypeName = Type.Enum(mediaTypes);

export const FileRecord = Type.Object({
  id: Id,
  filename: Type.String(),
  metadata: Metadata,
  url: Type.String({ description: 'Public URL; on the custom CDN domain when one is enabled.' }),
  originalUrl: Type.String({ description: 'The default URL, without a custom CDN domain.' }),
  size: Type.Integer({ description: 'Size in bytes.' }),
  type: MediaTypeName,
  key: Type.String({ description: 'Storage key: the path, then the name with the id.' }),
  path: Type.String(),
  mimeType: Type.String(),
  createdAt: Instant,
  retentionExempt: Type.Boolean(),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  durationSeconds: Type.Optional(Type.Number()),
  visibility: Type.Enum(fileVisibilities, {
    description: 'Set for the file or by its folder. The URL of a private file needs a signature.',
  }),
  deletedAt: Type.Optional(Type.String({ description: 'When it was moved to the trash, in RFC 3339.' })),
});

export const UploadResponse = Type.Object({
  data: Type.Object({ id: Id, url: Type.String(), originalUrl: Type.String() }),
  status: Ok,
});

/** A flag as form text; JSON bodies send a real boolean. */
const FlagText = Type.String({ description: 'true or false.' });
const Filename = Type.String({ description: 'Custom file name.' });
const FolderPath = Type.String({ description: 'Folders separated by slashes. Missing ones are created.' });
const MetadataText = Type.String({
  description: `A JSON object of at most ${limits.metadataBytesMax} bytes and ${limits.metadataKeysMax} keys.`,
});

const VisibilityText = Type.String({ description: 'public or private. If absent, as the folder.' });

const multipartFields = {
  file: Type.String({
    description: 'The file. Its content determines its type.',
    contentMediaType: 'application/octet-stream',
  }),
  filename: Type.Optional(Filename),
  path: Type.Optional(FolderPath),
  metadata: Type.Optional(MetadataText),
  visibility: Type.Optional(VisibilityText),
};
const UploadForm = Type.Object({ ...multipartFields, retentionExempt: Type.Optional(FlagText) });
const PresignedForm = Type.Object({ ...multipartFields, retention_exempt: Type.Optional(FlagText) });

export const uploadErrors: readonly ErrorCode[] = [
  'multipart_broken',
  'file_missing',
  'metadata_invalid',
  'path_invalid',
  'unsupported_media',
  'unsupported_content_type',
  'file_too_large',
  'disk_full',
  'quota_exceeded',
];

const access = {
  by: 'token',
  kinds: ['media'],
  action: 'write',
  apiKey: true,
  spelling: 'any',
} as const;

export const UploadedText = Type.String({
  description: 'The file as a data URL or base64. Send the other fields as query parameters.',
});
export const UploadedBytes = Type.String({
  description:
    'The bytes of the file, with any Content-Type or none. Send the other fields as query parameters.',
  contentMediaType: 'application/octet-stream',
});

const uploading = {
  area,
  access,
  query: Type.Object({
    filename: Type.Optional(Filename),
    path: Type.Optional(FolderPath),
    metadata: Type.Optional(MetadataText),
    retentionExempt: Type.Optional(FlagText),
    visibility: Type.Optional(VisibilityText),
  }),
  stream: {
    'multipart/form-data': UploadForm,
    'text/plain': UploadedText,
    '*/*': UploadedBytes,
  },
  answer: UploadResponse,
  errors: [...uploadErrors, 'idempotency_key_reused'],
} as const;

export const uploadFile = defineRoute({
  ...uploading,
  id: 'uploadFile',
  method: 'POST',
  path: '/api/v3/file',
  summary: 'Upload an image, video or audio file.',
});

export const putFile = defineRoute({
  ...uploading,
  id: 'putFile',
  method: 'PUT',
  path: '/api/v3/file',
  summary: 'Upload a file with PUT, which some tools send instead of POST.',
});

export const putNamedFile = defineRoute({
  ...uploading,
  id: 'putNamedFile',
  method: 'PUT',
  path: '/api/v3/file/{file*}',
  summary: 'Upload a file with its folder and name in the path, as `curl -T` does.',
  params: Type.Object({ file: Type.String({ description: 'Folders and name of the file.' }) }),
});

export const uploadBase64 = defineRoute({
  id: 'uploadBase64',
  method: 'POST',
  path: '/api/v3/file/base64',
  area,
  summary: 'Upload a file as base64 in JSON.',
  access,
  stream: {
    'application/json': Type.Object({
      base64: Type.String({ description: 'The file as base64, base64url or a data URL.' }),
      filename: Type.Optional(Filename),
      path: Type.Optional(FolderPath),
      metadata: Type.Optional(Type.Union([MetadataText, Metadata])),
      retentionExempt: Type.Optional(Type.Union([Type.Boolean(), FlagText])),
      visibility: Type.Optional(VisibilityText),
    }),
  },
  answer: UploadResponse,
  errors: [
    ...uploadErrors.filter(code => code !== 'multipart_broken' && code !== 'file_missing'),
    'invalid_json',
    'base64_invalid',
    'invalid_field',
  ],
});

export const createPresignedUrl = defineRoute({
  id: 'createPresignedUrl',
  method: 'GET',
  path: '/api/v3/file/presigned-url',
  area,
  summary: 'Create a presigned URL through which anybody can upload without a token.',
  access: { by: 'token', kinds: ['media'], action: 'write', apiKey: false },
  query: Type.Object({
    expiresAt: Type.Optional(
      Type.Integer({
        description: 'Expiry in Unix seconds or milliseconds. 15 minutes ahead by default, 7 days at most.',
      }),
    ),
    uses: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.presignedUsesMax, default: 1 })),
    path: Type.Optional(FolderPath),
    type: Type.Optional(MediaTypeName),
    maxSize: Type.Optional(Type.Integer({ minimum: 1, description: 'Maximum file size in bytes.' })),
    metadata: Type.Optional(Type.String({ description: 'Metadata of each file, as a JSON object.' })),
  }),
  answer: Type.Object({ data: PresignedLink, status: Ok }),
  errors: ['path_invalid', 'metadata_invalid'],
});

export const presignedErrors: readonly ErrorCode[] = [
  ...uploadErrors,
  'presigned_unknown',
  'presigned_used',
  'presigned_expired',
  'presigned_narrower',
];

export const PresignedParams = Type.Object({
  token: Type.String({ maxLength: limits.pathParameterCharactersMax }),
});
const presigned = {
  path: '/api/v3/file/presigned-url/{token}',
  area,
  access: { by: 'anyone' },
  params: PresignedParams,
  stream: { 'multipart/form-data': PresignedForm },
  answer: UploadResponse,
  errors: presignedErrors,
} as const;

export const uploadPresigned = defineRoute({
  ...presigned,
  id: 'uploadPresigned',
  method: 'POST',
  summary: 'Upload through a presigned URL. No token is needed.',
});

export const putPresigned = defineRoute({
  ...presigned,
  id: 'putPresigned',
  method: 'PUT',
  summary: 'Upload through a presigned URL with PUT, which some tools send instead of POST.',
});

const termsMax = `at most ${limits.searchTermsMax}`;

export const listFiles = defineRoute({
  id: 'listFiles',
  method: 'GET',
  path: '/api/v3/file',
  area,
  summary: `List files, newest first unless sorted. Parameters like metadata.<path>=value filter by metadata, ${termsMax} times.`,
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  query: Type.Object(
    {
      page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
      limit: PageLimit,
      type: Type.Optional(MediaTypeName),
      path: Type.Optional(Type.String({ description: 'Folder to list, with all folders below it.' })),
      cursor: Type.Optional(Type.String({ description: 'The last nextCursor. Stable while files arrive.' })),
      q: Type.Optional(
        Type.String({
          description: `Terms that must all occur in the file name, ${termsMax}. A "quoted phrase" is one term.`,
        }),
      ),
      query: Type.Optional(
        Type.String({
          description: `A query in the language described at the top of Logs, with the fields ${fileFieldNames.join(', ')}; other names are metadata paths. Plain text is searched for in the name, path and metadata values.`,
        }),
      ),
      sort: Type.Optional(Type.Enum(fileSorts, { default: 'createdAt' })),
      order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'desc' })),
      trash: Type.Optional(Type.String({ description: 'true: list files in the trash, with deletedAt.' })),
    },
    { additionalProperties: true },
  ),
  answer: Type.Object({
    data: Type.Array(FileRecord),
    pagination: Type.Object({
      limit: Type.Integer(),
      page: Type.Integer(),
      total: Type.Integer(),
      nextCursor: nullable(Type.String()),
    }),
    status: Ok,
  }),
  errors: ['cursor_invalid', 'path_invalid', 'query_invalid'],
});

export const FileParams = Type.Object({
  file: Type.String({ description: 'Id or storage key of the file. The key may contain slashes.' }),
});

export const getFile = defineRoute({
  id: 'getFile',
  method: 'GET',
  path: '/api/v3/file/{file*}',
  area,
  summary: 'Get the record of a file.',
  access: { by: 'token', kinds: ['media'], action: 'read', apiKey: false },
  params: FileParams,
  answer: Type.Object({ data: FileRecord, status: Ok }),
  errors: ['not_found', 'bad_request'],
});

export const deleteFile = defineRoute({
  id: 'deleteFile',
  method: 'DELETE',
  path: '/api/v3/file/{file*}',
  area,
  summary: 'Delete a file. Its record and URL are gone at once.',
  access: { by: 'token', kinds: ['media'], action: 'delete', apiKey: false },
  params: FileParams,
  query: Type.Object({
    trash: Type.Optional(
      Type.String({
        description: 'true: move the file to the trash. false: delete it at once, even from the trash.',
      }),
    ),
  }),
  answer: Type.Object({ status: Ok, message: Type.String() }),
  errors: ['not_found', 'bad_request'],
});
