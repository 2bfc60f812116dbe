/** Splunk's HTTP Event Collector: what it stores, refuses, and reads in bounded time. */
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/services/collector';

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'Splunk, two events to the index that they name',
      sent: ({ dataset, token }) => ({
        path: `${path}/event`,
        headers: { authorization: `Splunk ${token}` },
        body: `{"event":"one","index":"${dataset}","host":"h"}{"event":{"msg":"two","level":"warn"},"index":"${dataset}"}`,
      }),
      status: 200,
      body: { text: 'Success', code: 0 },
      entries: ['info : one {"host":"h"}', 'warn : two {}'],
    },
    {
      title: 'Splunk, raw lines',
      sent: ({ dataset }) => ({
        path: `${path}/raw?dataset=${dataset}&host=h`,
        type: 'text/plain',
        body: 'x\n',
      }),
      status: 200,
      body: { text: 'Success', code: 0 },
      entries: ['info : x {"host":"h"}'],
    },
  ],
  refused: [
    {
      title: 'Splunk with a wrong token',
      sent: { path, body: '{}', headers: { authorization: 'Splunk no' } },
      status: 403,
      says: /"code":4/,
    },
    {
      title: 'Splunk without a token',
      sent: { path, body: '{}', headers: {} },
      status: 401,
      says: /"code":2/,
    },
    { title: 'Splunk without data', sent: { path, body: '' }, status: 400, says: /"No data","code":5/ },
    {
      title: 'Splunk with malformed events',
      sent: { path, body: '{"event":' },
      status: 400,
      says: /"code":6/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [
        { title: 'events', make: bytes => '{"event":1}'.repeat(bytes / 11), status: 413 },
        { title: 'escapes', make: bytes => `{"event":"${'\\n'.repeat(bytes / 2)}`, status: 400 },
        { title: 'quotes', make: bytes => '"'.repeat(bytes), status: 400 },
      ],
    },
    {
      path,
      size: 'read at once',
      shapes: [{ title: 'events', make: bytes => '{"event":1}'.repeat(bytes / 12), status: 200 }],
    },
  ],
};
