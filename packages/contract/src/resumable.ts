/** Resumable uploads by tus 1.0.0, with a token or through a presigned URL followed by `/resumable`. */
import Type from 'typebox';
import { PresignedParams, UploadResponse } from './files.ts';
import { defineRoute } from './route.ts';
import { Id } from './values.ts';
import type { ErrorCode } from './vocabulary.ts';

const area = 'Resumable uploads';
const path = '/api/v3/file/resumable';
const presignedPath = '/api/v3/file/presigned-url/{token}/resumable';
const access = { by: 'token', kinds: ['media'], action: 'write', apiKey: true, spelling: 'any' } as const;
const anyone = { by: 'anyone' } as const;
const UploadParams = Type.Object({ upload: Id });
const PresignedUploadParams = Type.Object({ ...PresignedParams.properties, ...UploadParams.properties });
const chunk = {
  'application/offset+octet-stream': Type.String({
    description: 'Bytes of the file, starting at Upload-Offset.',
  }),
};
const version = {
  'Tus-Resumable': Type.Literal('1.0.0', { description: 'Version of the tus protocol.' }),
};
const creationHeaders = Type.Object({
  ...version,
  'Upload-Length': Type.Integer({ description: 'Size of the whole file in bytes.', examples: [1_048_576] }),
  'Upload-Metadata': Type.Optional(
    Type.String({
      description: 'Upload fields, separated by commas: name, space, value in base64.',
      examples: ['filename Y2xpcC5tcDQ='],
    }),
  ),
});
const chunkHeaders = Type.Object({
  ...version,
  'Upload-Offset': Type.Integer({ description: 'Number of bytes that arrived before these.', examples: [0] }),
  'Upload-Checksum': Type.Optional(
    Type.String({ description: 'Hash algorithm, a space, and the hash of these bytes in base64.' }),
  ),
});
const nothing = Type.Null({ description: 'No body; see the headers.' });

const presignedErrors: readonly ErrorCode[] = ['presigned_unknown', 'presigned_expired'];
const spokenErrors: readonly ErrorCode[] = ['protocol_version', 'upload_locked'];
const chunkErrors: readonly ErrorCode[] = [
  'bad_request',
  'upload_offset_wrong',
  'checksum_mismatch',
  'unsupported_content_type',
  'unsupported_media',
  'file_too_large',
  'disk_full',
  'quota_exceeded',
];

const creating = {
  method: 'POST',
  area,
  headers: creationHeaders,
  stream: chunk,
  mayBeEmpty: true,
  answer: nothing,
  otherAnswers: {
    201: 'Upload started. Send its bytes to the URL in Location before the time in Upload-Expires.',
  },
} as const;
const creationErrors: readonly ErrorCode[] = [
  ...spokenErrors,
  ...chunkErrors.filter(code => code !== 'upload_offset_wrong'),
  'metadata_invalid',
  'path_invalid',
  'invalid_field',
];

export const createResumable = defineRoute({
  ...creating,
  id: 'createResumable',
  path,
  summary:
    'Start an upload. Send Upload-Length, and Upload-Metadata with filename, path, metadata and retentionExempt.',
  access,
  errors: creationErrors,
});

export const createPresignedResumable = defineRoute({
  ...creating,
  id: 'createPresignedResumable',
  path: presignedPath,
  summary: 'Start a resumable upload through a presigned URL. No token is needed.',
  access: anyone,
  params: PresignedParams,
  errors: [...creationErrors, ...presignedErrors, 'presigned_used', 'presigned_narrower'],
});

const looking = {
  method: 'HEAD',
  area,
  headers: Type.Object(version),
  answer: nothing,
} as const;
const lookErrors: readonly ErrorCode[] = [...spokenErrors, 'unsupported_media', 'quota_exceeded'];

export const lookAtResumable = defineRoute({
  ...looking,
  id: 'lookAtResumable',
  path: `${path}/{upload}`,
  summary: 'Get how many bytes of an upload have arrived, and the result once it is finished.',
  access,
  params: UploadParams,
  errors: lookErrors,
});

export const lookAtPresignedResumable = defineRoute({
  ...looking,
  id: 'lookAtPresignedResumable',
  path: `${presignedPath}/{upload}`,
  summary: 'Get how many bytes have arrived of an upload that started through a presigned URL.',
  access: anyone,
  params: PresignedUploadParams,
  errors: [...lookErrors, ...presignedErrors],
});

const continuing = {
  method: 'PATCH',
  area,
  headers: chunkHeaders,
  stream: chunk,
  answer: nothing,
  otherAnswers: {
    204: 'Bytes stored. After the last, Upload-Result holds the answer of `POST /api/v3/file` in base64.',
  },
} as const;

export const continueResumable = defineRoute({
  ...continuing,
  id: 'continueResumable',
  path: `${path}/{upload}`,
  summary: 'Send the bytes that follow Upload-Offset.',
  access,
  params: UploadParams,
  errors: [...spokenErrors, ...chunkErrors],
});

export const continuePresignedResumable = defineRoute({
  ...continuing,
  id: 'continuePresignedResumable',
  path: `${presignedPath}/{upload}`,
  summary: 'Send bytes of an upload that started through a presigned URL.',
  access: anyone,
  params: PresignedUploadParams,
  errors: [...spokenErrors, ...chunkErrors, ...presignedErrors],
});

const ending = {
  method: 'DELETE',
  area,
  headers: Type.Object(version),
  answer: nothing,
  otherAnswers: { 204: 'Upload cancelled; its bytes are deleted.' },
} as const;

export const endResumable = defineRoute({
  ...ending,
  id: 'endResumable',
  path: `${path}/{upload}`,
  summary: 'Cancel an unfinished upload.',
  access,
  params: UploadParams,
  errors: [...spokenErrors, 'upload_finished'],
});

export const endPresignedResumable = defineRoute({
  ...ending,
  id: 'endPresignedResumable',
  path: `${presignedPath}/{upload}`,
  summary: 'Cancel an upload that started through a presigned URL. The URL can then be used again.',
  access: anyone,
  params: PresignedUploadParams,
  errors: [...spokenErrors, ...presignedErrors, 'upload_finished'],
});

const asking = { method: 'GET', area, answer: UploadResponse } as const;
const resultErrors: readonly ErrorCode[] = [
  'upload_unfinished',
  'upload_locked',
  'unsupported_media',
  'quota_exceeded',
];

export const getResumableResult = defineRoute({
  ...asking,
  id: 'getResumableResult',
  path: `${path}/{upload}/result`,
  summary: 'Get the result of a finished upload. It stays available for a day.',
  access,
  params: UploadParams,
  errors: resultErrors,
});

export const getPresignedResumableResult = defineRoute({
  ...asking,
  id: 'getPresignedResumableResult',
  path: `${presignedPath}/{upload}/result`,
  summary: 'Get the result of an upload that started through a presigned URL.',
  access: anyone,
  params: PresignedUploadParams,
  errors: [...resultErrors, ...presignedErrors],
});
