/** OpenTelemetry's logs: what they store, refuse, and read in bounded time. */
import { fill, fillCounted } from '../../support/hostileBodies.ts';
import { otlpBody } from '../../support/protocolBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/v1/logs';
const record = '{"body":{"stringValue":"a"}}';
const pairs = Array.from({ length: 250 }, (_, index) => `{"key":"k${index}","value":{"intValue":"1"}}`);

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'OTLP in JSON',
      sent: ({ dataset }) => ({ path: `${path}?dataset=${dataset}`, body: otlpBody }),
      status: 200,
      body: {},
      entries: ['error web: boom {}'],
    },
  ],
  refused: [
    {
      title: 'OTLP with a token for media',
      sent: ({ media }) => ({ path, body: otlpBody, headers: { authorization: media } }),
      status: 403,
      says: /^\{"code":7,"message":"This is a token of the kind media/,
    },
    {
      title: 'OTLP that is not JSON',
      sent: { path, body: '{' },
      status: 400,
      says: /^\{"code":3,"message":"The body must be valid JSON\."\}$/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [
        {
          title: 'empty records',
          make: bytes => fill(['{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}', ',{}', ']}]}]}'], bytes),
          status: 413,
        },
        {
          title: 'attributes of one name',
          make: bytes =>
            fill(
              [
                '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"a"}',
                ',{"key":"a"}',
                ']}]}]}]}',
              ],
              bytes,
            ),
          status: 200,
        },
        {
          title: 'entries of a list',
          make: bytes => fill(['[{"message":1}', ',{"message":1}', ']'], bytes),
          status: 413,
        },
        {
          title: 'metadata of as many keys as fit',
          make: bytes => fillCounted(['{"message":"a","metadata":{', '}}'], index => `"k${index}":1`, bytes),
          status: 400,
        },
        { title: 'opening brackets', make: bytes => `{"message":${'['.repeat(bytes)}`, status: 400 },
      ],
    },
    {
      path,
      size: 'read at once',
      shapes: [
        {
          title: 'records under many attributes',
          make: bytes => {
            const start = `{"resourceLogs":[{"resource":{"attributes":[${pairs.join()}]},"scopeLogs":[{"logRecords":[${record}`;
            return fill([start, `,${record}`, ']}]}]}'], bytes);
          },
          status: 413,
        },
        {
          title: 'resources of one record each',
          make: bytes =>
            fillCounted(
              ['{"resourceLogs":[', ']}'],
              index =>
                `{"resource":{"attributes":[{"key":"a${index}"}]},"scopeLogs":[{"logRecords":[${record}]}]}`,
              bytes,
            ),
          status: 200,
        },
      ],
    },
  ],
};
