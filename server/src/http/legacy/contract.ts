/** The routes of V1, V2 and unversioned log intake. They translate into V3 and add no behaviour. */

import { PresignedParams, presignedErrors, uploadErrors } from '@tapedeck/contract/files';
import { defineRoute, type Route, StatusOk } from '@tapedeck/contract/route';
import { Id } from '@tapedeck/contract/values';
import { limits, type MediaType, mediaTypes } from '@tapedeck/domain/vocabulary';
import Type from 'typebox';

const area = 'Legacy';
const Ok = Type.Literal('ok');
const Url = Type.String();

export const UploadResponseV1 = Type.Object({ id: Id, url: Url, status: Ok });
export const UploadResponseV2 = Type.Object({
  status: Ok,
  id: Id,
  url: Url,
  data: Type.Object({ id: Id, url: Url, originalUrl: Url }),
});

const LegacyForm = Type.Object({
  file: Type.String({ description: 'Content of the file. The part may also be named after its type.' }),
  metadata: Type.Optional(Type.String({ description: 'Metadata of the file, as a JSON object.' })),
});
const formStream = { 'multipart/form-data': LegacyForm };
const stream = { ...formStream, 'text/plain': Type.String({ description: 'File as a data URL or base64.' }) };
const write = { by: 'token', kinds: ['media'], action: 'write', apiKey: true } as const;
const PresignQuery = Type.Object({
  fileType: Type.Optional(Type.Enum(mediaTypes, { examples: ['image'] })),
  $fileType: Type.Optional(
    Type.Enum(mediaTypes, { description: 'Misspelling of `fileType` in an old library.' }),
  ),
  expiresAt: Type.Optional(Type.Integer({ description: 'Expiry in Unix seconds; in 5 minutes by default.' })),
});

export function uploadV1(type: MediaType) {
  const base = { method: 'POST', area, access: write, stream, errors: uploadErrors } as const;
  return defineRoute({
    ...base,
    id: `upload_v1_${type}`,
    path: `/api/${type}`,
    summary: `Upload a file of the type ${type}, as in V1.`,
    answer: UploadResponseV1,
  });
}

export function uploadV2(type: MediaType) {
  const base = { method: 'POST', area, access: write, stream, errors: uploadErrors } as const;
  return defineRoute({
    ...base,
    id: `upload_v2_${type}`,
    path: `/api/v2/${type}`,
    summary: `Upload a file of the type ${type}, as in V2.`,
    answer: UploadResponseV2,
  });
}

export function deleteOfType(type: MediaType) {
  return defineRoute({
    id: `delete_${type}`,
    method: 'DELETE',
    path: `/api/${type}/delete/{file}`,
    area,
    summary: `Delete a file of the type ${type} by id.`,
    access: { by: 'token', kinds: ['media'], action: 'delete', apiKey: true },
    params: Type.Object({ file: Type.String({ maxLength: limits.idParameterCharactersMax }) }),
    answer: Type.Object({ message: Type.String(), status: Ok }),
    errors: ['not_found'],
  });
}

export const presignV1 = defineRoute({
  id: 'presign_v1',
  method: 'GET',
  path: '/api/presigned-url',
  area,
  summary: 'Create an upload URL for one type, as in V1.',
  access: write,
  query: PresignQuery,
  answer: Type.Object({ presignedUrl: Url }),
  errors: [],
});

export const presignV2 = defineRoute({
  id: 'presign_v2',
  method: 'GET',
  path: '/api/v2/presigned-url',
  area,
  summary: 'Create an upload URL for one type, as in V2.',
  access: write,
  query: PresignQuery,
  answer: Type.Object({ data: Type.Object({ presignedUrl: Url }), status: Ok }),
  errors: [],
});

export const redeemV1 = defineRoute({
  id: 'redeem_v1',
  method: 'POST',
  path: '/api/presigned-url/{token}',
  area,
  summary: 'Upload a file to an upload URL of V1. The part has the name of the type.',
  access: { by: 'anyone' },
  params: PresignedParams,
  stream: formStream,
  answer: UploadResponseV1,
  errors: presignedErrors,
});

export const redeemV2 = defineRoute({
  id: 'redeem_v2',
  method: 'POST',
  path: '/api/v2/presigned-url/{token}',
  area,
  summary: 'Upload a file to an upload URL of V2. The part has the name of the type.',
  access: { by: 'anyone' },
  params: PresignedParams,
  stream: formStream,
  answer: UploadResponseV2,
  errors: presignedErrors,
});

const logIntake = {
  method: 'POST',
  area,
  access: { by: 'token', kinds: ['logs', 'sdk'], action: 'write', apiKey: true },
  query: Type.Object({ dataset: Type.Optional(Type.String()) }),
  answer: StatusOk,
  errors: [
    'invalid_json',
    'bad_request',
    'body_too_large',
    'unsupported_content_type',
    'idempotency_key_reused',
    'journal_full',
    'disk_full',
  ],
} as const;
const LooseItem = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'level, message, resource, metadata and timestamp; other fields become metadata.',
  },
);
const entryForms = {
  'application/x-ndjson': Type.String({ description: 'One JSON object per line.' }),
  'application/x-www-form-urlencoded': LooseItem,
};

export const ingestOne = defineRoute({
  ...logIntake,
  id: 'ingest_one',
  path: '/api/logs',
  summary: 'Store one or more entries. Invalid entries are repaired.',
  stream: { 'application/json': Type.Union([LooseItem, Type.Array(LooseItem)]), ...entryForms },
});

export const ingestBatch = defineRoute({
  ...logIntake,
  id: 'ingest_batch',
  path: '/api/logs/batch',
  summary: 'Store a batch of entries. Invalid entries are repaired.',
  stream: { 'application/json': Type.Array(LooseItem), ...entryForms },
});

export const legacyRoutes: readonly Route[] = [
  ...mediaTypes.flatMap(type => [uploadV1(type), uploadV2(type), deleteOfType(type)]),
  presignV1,
  presignV2,
  redeemV1,
  redeemV2,
  ingestOne,
  ingestBatch,
];
