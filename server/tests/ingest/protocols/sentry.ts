/** Sentry's envelopes and events: what they store, refuse, and read in bounded time. `sentry.test.ts` has their files. */
import { brotliCompressSync, deflateSync } from 'node:zlib';
import { fill, fillCounted } from '../../support/hostileBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const id = 'ab'.repeat(16);
const event = '{"type":"event"}\n';

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'Sentry, a single event',
      sent: ({ dataset, token }) => ({
        path: `/api/1/store/?dataset=${dataset}&sentry_key=${token}`,
        headers: {},
        body: '{"event_id":"abababababababababababababababab","message":"boom","level":"error","server_name":"web"}',
      }),
      status: 200,
      body: { id: 'abababababababababababababababab' },
      entries: ['error web: boom {"event_id":"abababababababababababababababab","server_name":"web"}'],
    },
    {
      title: 'Sentry, a browser report',
      sent: ({ dataset, token }) => ({
        path: `/api/1/security/?dataset=${dataset}&sentry_key=${token}&sentry_release=site@2`,
        headers: { 'content-type': 'application/csp-report' },
        body: '{"csp-report":{"violated-directive":"img-src","blocked-uri":"https://evil.example/x"}}',
      }),
      status: 200,
      body: {},
      entries: [
        'error site: Blocked \'img-src\' from \'evil.example\' {"release":"site@2","logger":"csp","csp.violated-directive":"img-src","csp.blocked-uri":"https://evil.example/x"}',
      ],
    },
    {
      title: 'Sentry, items that are not stored',
      sent: ({ dataset, token }) => ({
        path: `/api/1/envelope/?dataset=${dataset}&sentry_key=${token}`,
        headers: { 'content-encoding': 'br' },
        body: brotliCompressSync(
          [
            { event_id: id },
            { type: 'session' },
            { sid: id, status: 'ok' },
            { type: 'sessions' },
            { aggregates: [] },
            { type: 'client_report' },
            { discarded_events: [] },
            { type: 'check_in' },
            { check_in_id: id, monitor_slug: 'cron', status: 'error' },
            { type: 'transaction' },
            { transaction: '/' },
            { type: 'replay_event' },
            {},
            { type: 'of the future', length: 2 },
            [],
            {},
            'no type',
          ]
            .map(line => JSON.stringify(line))
            .join('\n'),
        ),
      }),
      status: 200,
      body: { id },
      entries: [],
    },
  ],
  refused: [
    {
      title: 'Sentry without a key',
      sent: { path: '/api/1/envelope/', body: '{}\n', headers: {} },
      status: 401,
      says: /"detail":/,
    },
    {
      title: 'Sentry, a minidump',
      sent: {
        path: '/api/1/minidump/',
        body: '--x\r\ncontent-disposition: form-data; name="upload_file_minidump"\r\n\r\nMDMP\r\n--x--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      },
      status: 400,
      says: /Minidumps cannot be read here/,
    },
  ],
  slow: [
    {
      path: '/api/1/envelope/',
      size: 'medium and large',
      shapes: [
        { title: 'line ends', make: bytes => `{}${'\n'.repeat(bytes - 2)}`, status: 200 },
        { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
        {
          title: 'items of an unknown type',
          make: bytes => fill(['{}\n', '{"type":"x"}\n1\n', ''], bytes),
          status: 400,
        },
        { title: 'events', make: bytes => fill(['{}\n', `${event}{}\n`, ''], bytes), status: 400 },
        {
          title: 'empty attachments',
          make: bytes => fill(['{}\n', '{"type":"attachment","length":0}\n\n', ''], bytes),
          status: 400,
        },
        {
          title: 'logs',
          make: bytes =>
            fill(
              [`{}\n{"type":"log"}\n{"items":[`, '{"body":"a","level":"info","timestamp":1},', ']}\n'],
              bytes,
            ),
          status: 200,
        },
        {
          title: 'frames of a stack',
          make: bytes =>
            fill([`{}\n${event}{"exception":{"values":[{"stacktrace":{"frames":[`, '{},', ']}}]}}\n'], bytes),
          status: 200,
        },
        {
          title: 'exceptions',
          make: bytes => fill([`{}\n${event}{"exception":[`, '{"type":"E"},', ']}\n'], bytes),
          status: 200,
        },
        {
          title: 'tags of a message',
          make: bytes =>
            fillCounted([`{}\n${event}{"message":"m","tags":{`, '}}\n'], index => `"k${index}":1`, bytes),
          status: 200,
        },
        {
          title: 'brackets in a message',
          make: bytes => `{}\n${event}{"message":${'['.repeat(bytes - 40)}\n`,
          status: 400,
        },
      ],
    },
    {
      path: '/api/1/store/',
      size: 'medium and large',
      shapes: [
        { title: 'opening brackets', make: bytes => '['.repeat(bytes), status: 400 },
        {
          title: 'an event packed into a few kilobytes of text',
          make: bytes =>
            deflateSync(fill(['{"message":"m","extra":[', '{},', ']}'], bytes)).toString('base64'),
          status: 200,
        },
        {
          title: 'breadcrumbs',
          make: bytes => fill(['{"message":"m","breadcrumbs":[', '{"message":"b"},', ']}'], bytes),
          status: 200,
        },
        {
          title: 'contexts',
          make: bytes =>
            fillCounted(['{"message":"m","contexts":{', '}}'], index => `"k${index}":{"a":1}`, bytes),
          status: 200,
        },
      ],
    },
  ],
};
