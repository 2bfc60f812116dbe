/** Bulk requests of Elasticsearch: what they store, refuse, and read in bounded time. */
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/_bulk';
const failed = (id: string | null, index: string, reason: string) => ({
  _index: index,
  _id: id,
  status: 400,
  error: { type: 'document_parsing_exception', reason },
});

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'bulk: each document separately, to its index',
      sent: ({ dataset, token }) => ({
        path: `/${dataset}/_bulk`,
        type: 'application/x-ndjson',
        headers: { authorization: `ApiKey ${btoa(`id:${token}`)}` },
        body: '{"create":{"_id":"1"}}\n{"message":"a"}\n{"create":{"_index":"bad name"}}\n{"message":"b"}\n{"delete":{"_id":"2"}}\n',
      }),
      status: 200,
      body: {
        errors: true,
        items: [
          { create: { _index: 'THE DATASET', _id: '1', _version: 1, result: 'created', status: 201 } },
          { create: failed(null, 'bad name', 'The dataset must be 1 to 64 letters, digits, _, . or -.') },
          { delete: failed('2', 'THE DATASET', 'Entries cannot be changed, so delete is not supported.') },
        ],
      },
      entries: ['info : a {"_id":"1"}'],
    },
  ],
  refused: [
    {
      title: "bulk to a dataset outside the token's scope",
      sent: ({ narrow }) => ({
        path,
        body: '{"create":{"_index":"other"}}\n{"message":"a"}\n',
        headers: { authorization: narrow },
      }),
      status: 200,
      says: /"reason":"The token is not for the dataset other\."/,
    },
    {
      title: 'bulk without actions',
      sent: { path, body: '{"message":"a"}\n' },
      status: 400,
      says: /"type":"illegal_argument_exception"/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [
        { title: 'empty documents', make: bytes => '{"create":{}}\n{}\n'.repeat(bytes / 17), status: 413 },
        { title: 'deletions', make: bytes => '{"delete":{}}\n'.repeat(bytes / 14), status: 413 },
        { title: 'line ends', make: bytes => '\n'.repeat(bytes), status: 200 },
      ],
    },
    {
      path,
      size: 'read at once',
      shapes: [
        {
          title: 'documents with distinct ids',
          make: bytes =>
            Array.from({ length: bytes / 40 }, (_, index) => `{"create":{"_id":"${index}"}}\n{}\n`).join(''),
          status: 200,
        },
      ],
    },
  ],
};
