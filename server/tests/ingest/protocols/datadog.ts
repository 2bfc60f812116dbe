/** Datadog's intake: what it stores, refuses, and reads in bounded time. */
import { fill } from '../../support/hostileBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/v1/input';

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'Datadog with its key',
      sent: ({ dataset, token }) => ({
        path: `/api/v2/logs?dataset=${dataset}&ddsource=node`,
        headers: { 'dd-api-key': token },
        body: '[{"message":"m","service":"web","status":"error"}]',
      }),
      status: 202,
      body: {},
      entries: ['error web: m {"ddsource":"node"}'],
    },
    {
      title: 'Datadog with the key in the path, as text',
      sent: ({ dataset, token }) => ({
        path: `${path}/${token}?dataset=${dataset}`,
        type: 'text/plain',
        headers: {},
        body: 'a\nb',
      }),
      status: 202,
      body: {},
      entries: ['info : a {}', 'info : b {}'],
    },
  ],
  refused: [
    {
      title: 'Datadog with a wrong token',
      sent: { path, body: '{}', headers: { 'dd-api-key': 'no' } },
      status: 401,
      says: /^\{"errors":\[/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [{ title: 'empty objects', make: bytes => fill(['[{}', ',{}', ']'], bytes), status: 413 }],
    },
    {
      path,
      size: 'read at once',
      shapes: [
        {
          title: 'messages that contain JSON',
          make: bytes => fill(['[{"message":1}', `,{"message":"{${'['.repeat(200)}"}`, ']'], bytes),
          status: 202,
        },
      ],
    },
  ],
};
