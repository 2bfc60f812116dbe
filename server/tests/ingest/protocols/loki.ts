/** Loki's push: what it stores, refuses, and reads in bounded time. */
import { gzipSync } from 'node:zlib';
import { fill, fillCounted } from '../../support/hostileBodies.ts';
import { nowNanos } from '../../support/protocolBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/loki/api/v1/push';
const compose = (dataset: string) =>
  JSON.stringify({
    streams: [{ stream: { dataset, app: 'lobby' }, values: [[nowNanos, 'line', { level: 'warn' }]] }],
  });

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'Loki, the dataset from its label',
      sent: ({ dataset }) => ({ path, body: compose(dataset) }),
      status: 204,
      body: null,
      entries: ['warn lobby: line {}'],
    },
    {
      title: 'Loki, compressed by gzip, with a password',
      sent: ({ dataset, token }) => ({
        path,
        body: gzipSync(compose(dataset)),
        headers: { authorization: `Basic ${btoa(`anybody:${token}`)}`, 'content-encoding': 'gzip' },
      }),
      status: 204,
      body: null,
      entries: ['warn lobby: line {}'],
    },
    {
      title: "Loki from Go's slog, with a level above its highest",
      sent: ({ dataset }) => ({
        path,
        body: `{"streams":[{"stream":{"dataset":"${dataset}","level":"ERROR+4","service_name":"game"},"values":[["${nowNanos}","above error"]]}]}`,
      }),
      status: 204,
      body: null,
      entries: ['error game: above error {}'],
    },
  ],
  refused: [
    {
      title: 'Loki without a token',
      sent: { path, body: '{}', headers: {} },
      status: 401,
      says: /^Send an API token in the Authorization header\.\n$/,
    },
    {
      title: 'Loki with a body of another type',
      sent: { path, body: '[]' },
      status: 400,
      says: /list of streams/,
    },
    {
      title: 'Loki with a time in the far future',
      sent: { path, body: `{"streams":[{"stream":{},"values":[["9${nowNanos}","x"]]}]}` },
      status: 400,
      says: /Entry 0: timestamp is more than a day ahead/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [
        {
          title: 'lines',
          make: bytes => fill(['{"streams":[{"stream":{},"values":[["1","a"]', ',["1","a"]', ']}]}'], bytes),
          status: 413,
        },
        {
          title: 'streams without lines',
          make: bytes => fill(['{"streams":[{"values":[]}', ',{"values":[]}', ']}'], bytes),
          status: 204,
        },
        { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
      ],
    },
    {
      path,
      size: 'read at once',
      shapes: [
        {
          title: 'streams of a line each',
          make: bytes =>
            fillCounted(
              ['{"streams":[', ']}'],
              index => `{"stream":{"a":"${index}"},"values":[["1","a"]]}`,
              bytes,
            ),
          status: 204,
        },
      ],
    },
  ],
};
