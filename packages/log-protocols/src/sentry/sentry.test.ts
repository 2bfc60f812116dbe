/** Tests Sentry's events, alone and in envelopes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { brief, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { findDsnKey } from './dsn.ts';
import { readEnvelope as readBytes } from './envelope.ts';
import { sentry } from './protocol.ts';

const rules = { ...wording, bytesMax: 1_000_000, usualDataset: 'default' };

function readEnvelope(lines: readonly (string | object)[], files: readonly Record<string, unknown>[] = []) {
  const body = lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return [...sentry.read(Buffer.from(body), { sent: 'envelope', files, origin: {} }, rules).entries];
}

function readStored(body: string) {
  return [...sentry.read(Buffer.from(body), { sent: 'event', files: [], origin: {} }, rules).entries];
}

const frames = [
  { filename: 'main.js', function: 'run', lineno: 2, colno: 1 },
  { filename: 'store.js', function: 'save', lineno: 7 },
];

testEntries([
  [
    'an exception with its stack and its cause, newest first',
    () =>
      readEnvelope([
        { event_id: 'a'.repeat(32), dsn: 'https://x@y/1' },
        { type: 'event' },
        {
          event_id: 'a'.repeat(32),
          timestamp: 1763884800.5,
          level: 'fatal',
          release: 'game@1.2',
          environment: 'live',
          tags: [['map', 'harbour']],
          user: { id: '7' },
          message: 'beside it',
          modules: { b: '2', c: '3' },
          exception: {
            values: [
              { type: 'Inner', value: 'i' },
              { type: 'Outer', value: 'o', stacktrace: { frames } },
            ],
          },
        },
      ]),
    [
      {
        level: 'error',
        message: 'Outer: o\n    at save (store.js:7)\n    at run (main.js:2:1)\nCaused by: Inner: i',
        resource: 'game',
        timestamp: 1763884800500,
        metadata: {
          event_id: 'a'.repeat(32),
          release: 'game@1.2',
          environment: 'live',
          'user.id': '7',
          message: 'beside it',
          'tags.map': 'harbour',
          modules: 'b 2, c 3',
        },
      },
    ],
  ],
  [
    'other items are dropped, payloads may hold line breaks, and attachments are named',
    () =>
      readEnvelope(
        [
          {},
          { type: 'session' },
          { status: 'ok' },
          '{"type":"attachment","length":3,"filename":"a.png"}\na\nb',
          '{"type":"event","length":36}',
          '{"message":{"formatted":"m"},\n"x":1}',
          { type: 'transaction' },
          {},
        ],
        [{ filename: 'a.png', refused: 'no' }],
      ),
    [
      {
        level: 'error',
        message: 'm',
        metadata: { 'attachments.0.filename': 'a.png', 'attachments.0.refused': 'no', x: '1' },
      },
    ],
  ],
  [
    'structured logs',
    () =>
      readEnvelope([
        {},
        { type: 'log', item_count: 1 },
        {
          items: [
            {
              timestamp: 1763884800.25,
              level: 'warn',
              body: 'low',
              trace_id: 't',
              attributes: {
                'service.name': { value: 'shop', type: 'string' },
                left: { value: 3, type: 'integer' },
              },
            },
          ],
        },
      ]),
    [
      {
        level: 'warn',
        message: 'low',
        resource: 'shop',
        timestamp: 1763884800250,
        metadata: { left: 3, trace_id: 't' },
      },
    ],
  ],
  [
    'structured logs name the program by its release, like events',
    () =>
      readEnvelope([
        {},
        { type: 'log' },
        { items: [{ body: 'm', attributes: { 'sentry.release': { value: 'game@1.2', type: 'string' } } }] },
      ]),
    [{ message: 'm', resource: 'game', metadata: { 'sentry.release': 'game@1.2' } }],
  ],
  [
    'repairs values that no entry may hold, since no client would send them again',
    () => [
      ...readEnvelope([
        {},
        { type: 'event' },
        { message: 'm', timestamp: 4102444800, tags: { a: '\ud800' } },
      ]),
      ...readEnvelope([
        {},
        { type: 'log' },
        {
          items: [
            { body: 'l'.repeat(70_000), attributes: { long: { value: 'v'.repeat(20_000) } } },
            { body: 'l', timestamp: 4102444800, attributes: { a: { value: '\ud800' } } },
          ],
        },
      ]),
    ],
    [
      { level: 'error', message: 'm', metadata: { timestamp: '4102444800', 'tags.a': '\ufffd' } },
      {
        message: 'l'.repeat(65_536),
        metadata: { long: 'v'.repeat(16_384), truncated: 'body: 70000 bytes, metadata.long: 20000 bytes' },
      },
      { message: 'l', metadata: { a: '\ufffd', timestamp: '4102444800' } },
    ],
  ],
  [
    'keeps the stack of the call beside a message',
    () =>
      readEnvelope([
        {},
        { type: 'event' },
        { message: 'm', exception: { values: [{ value: 'm', stacktrace: { frames } }] } },
      ]),
    [
      {
        level: 'error',
        message: 'm',
        metadata: { stacktrace: 'at save (store.js:7)\n    at run (main.js:2:1)' },
      },
    ],
  ],
  [
    'the mechanism, variables, message template and threads',
    () =>
      readStored(
        JSON.stringify({
          exception: {
            values: [
              {
                type: 'E',
                module: 'm',
                mechanism: { type: 'generic', handled: false },
                stacktrace: {
                  frames: [
                    { function: 'f', vars: { a: '1' } },
                    { function: 'g', vars: { b: '2' } },
                  ],
                },
              },
            ],
          },
          threads: { values: [{ id: 7, name: 'main', crashed: true, stacktrace: { frames } }, { id: 8 }] },
        }),
      ).concat(readStored('{"logentry":{"message":"hi %s","params":["x"],"formatted":"hi x"}}')),
    [
      {
        level: 'error',
        message: 'E\n    at g\n    at f',
        metadata: {
          'exception.0.module': 'm',
          'exception.0.mechanism.type': 'generic',
          'exception.0.mechanism.handled': 'false',
          'exception.0.vars.b': '2',
          'threads.0': 'main (crashed)\n    at save (store.js:7)\n    at run (main.js:2:1)',
          'threads.1': '8',
        },
      },
      {
        level: 'error',
        message: 'hi x',
        metadata: { 'logentry.message': 'hi %s', 'logentry.params.0': 'x' },
      },
    ],
  ],
  [
    'an event of the oldest clients, compressed, with a level of Python',
    () => [
      ...readStored(deflateSync('{"message":"old","level":30,"server_name":"web-1"}').toString('base64')),
      ...readStored('{"message":"old","level":10}'),
    ],
    [
      { level: 'warn', message: 'old', resource: 'web-1', metadata: { server_name: 'web-1' } },
      { level: 'debug', message: 'old' },
    ],
  ],
  [
    'an event alone, with a bare list of exceptions',
    () => readStored('{"exception":[{"type":"E"}],"server_name":"web-1"}'),
    [{ level: 'error', message: 'E', resource: 'web-1', metadata: { server_name: 'web-1' } }],
  ],
]);

testRefusals([
  ['a compressed event that is cut off', () => readStored('eJyrVspN'), /not zlib data in base64/],
  ['no envelope', () => readEnvelope(['[]']), /header line/],
  ['an item without headers', () => readEnvelope([{}, 'x']), /Item 0 must begin/],
  ['an item that is cut off', () => readEnvelope([{}, { type: 'event', length: 99 }, '{}']), /shorter/],
  ['an event that is not an object', () => readEnvelope([{}, { type: 'event' }, '[]']), /Item 0 must hold/],
]);

test('keeps the last twenty breadcrumbs, and no more of an event than fits', () => {
  const breadcrumbs = Array.from({ length: 100 }, (_, index) => ({ message: `b${index}` }));
  const extra = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'x'.repeat(20_000)]),
  );
  const [entry] = readEnvelope([{}, { type: 'event' }, { message: 'x'.repeat(100_000), breadcrumbs }]);
  const { metadata, message } = brief(entry) as { metadata: Record<string, string>; message: string }; // `brief` returns these fields
  assert.equal(Object.keys(metadata).length, 21);
  assert.equal(metadata.truncated, 'body: 100000 bytes');
  assert.equal(metadata['breadcrumbs.19.message'], 'b99');
  assert.equal(message.length, 65_536);
  const [full] = readEnvelope([{}, { type: 'event' }, { message: 'm', extra }]);
  assert.equal(Object.keys(full?.metadata ?? {}).length, 256);
  assert.match(String(full?.metadata.truncated), /^745 values left out, metadata\.extra\.k0: 20000 bytes, /);
});

test('reports how many exceptions of a chain are not shown', () => {
  const values = Array.from({ length: 23 }, (_, index) => ({ type: `E${index}` }));
  const [entry] = readStored(JSON.stringify({ exception: { values } }));
  assert.match(entry?.message ?? '', /^E22\nCaused by: E21\n[^…]*\nCaused by: E3\nCaused by: … 3 more$/);
});

test('finds the key in the DSN of the first object as soon as it arrives', () => {
  const rows: readonly [text: string, key: string | null | undefined][] = [
    ['{"dsn":"https://k@h/1"}', 'k'],
    [' { "a" : [{"dsn":"https://x@h/1"}], "b\\"": "}", "dsn" : "https:\\/\\/k%40:secret@h/1"', 'k@'],
    ['{"a":1,"dsn":"https://k@h', undefined],
    ['{"a":1,"ds', undefined],
    ['', undefined],
    ['{"a":1}\n{"dsn":"https://k@h/1"}', null],
    ['{"a":"dsn","https://k@h/1":1}', null],
    ['{"dsn":7}', null],
    ['{"dsn":"\\x"}', null],
    ['[{"dsn":"https://k@h/1"}]', null],
    ['dsn', null],
  ];
  for (const [text, key] of rows) assert.equal(findDsnKey(text), key, text);
});

test('limits header lines, which are read beside other requests', () => {
  const items = (bytes: number) => `{"type":"x","y":"${'a'.repeat(bytes)}"}\n1\n`;
  const read = (text: string) => readBytes(Buffer.from(text));
  assert.equal(read(`{}\n\n\n${items(1000).repeat(200)}`).items.length, 200);
  for (const body of ['['.repeat(300_000), `{}\n${items(1000).repeat(300)}`])
    assert.throws(() => read(body), /All header lines together may hold at most 262144 bytes/);
});

test('a refusal for too many requests says how long to pause', () => {
  const request = { method: 'POST', path: '', headers: {}, query: {}, params: {} };
  const refusal = { code: 'rate_limited', sentence: 's', index: undefined, field: undefined };
  const told = sentry.refuse?.({ ...refusal, status: 429, retryAfterSeconds: 7 }, request);
  assert.deepEqual(told?.headers, { 'x-sentry-rate-limits': '7::organization' });
  assert.deepEqual(JSON.parse(String(told?.body)), { detail: 's', causes: [] });
});
