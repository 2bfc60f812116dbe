/** Hostile and broken bodies in other protocols: each gets a quick response, blocks no other client, and leaves nothing behind if refused. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { snappyCompress } from 'hysnappy';
import { requireShortHolds } from '../support/eventLoop.ts';
import { addPerson, addToken } from '../support/people.ts';
import { nowNanos, openSender, type Sent } from '../support/protocolBodies.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ timeouts: { bodyIdleMsMax: 300 } });
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
const authorization = { authorization: token };
const send = openSender(service, token);
const mebibyte = 1024 ** 2;
const { LengthDelimited } = WireType;

const loki = (stream: object, ...values: unknown[]) => JSON.stringify({ streams: [{ stream, values }] });
const many = (count: number, piece: (index: number) => string, between = ',') =>
  Array.from({ length: count }, (_, index) => piece(index)).join(between);
const otlp = (records: string, attributes = '') =>
  `{"resourceLogs":[{"resource":{"attributes":[${attributes}]},"scopeLogs":[{"logRecords":[${records}]}]}]}`;
const protobuf = { path: '/loki/api/v1/push', type: 'application/x-protobuf' };
const json = { path: '/loki/api/v1/push', type: 'application/json' };
const records = { path: '/v1/logs', type: 'application/json' };
const lines = { path: '/api/v3/logs/lines', type: 'text/plain' };
const bulk = { path: '/_bulk', type: 'application/x-ndjson' };
const packed = (encoding: string) => ({ ...authorization, 'content-encoding': encoding });

/** Writes a push of many lines with little content. */
function writePush(count: number): Uint8Array {
  const writer = new BinaryWriter().tag(1, LengthDelimited).fork();
  for (let line = 0; line < count; line++)
    writer.tag(2, LengthDelimited).fork().tag(2, LengthDelimited).string('x').join();
  return writer.join().finish();
}

/** Writes ten mebibytes as copies of four bytes, each from the byte before. */
function writeDearSnappy(): Buffer {
  const copies = Buffer.alloc(2 * Math.floor((10 * mebibyte - 1) / 4));
  for (let at = 0; at < copies.length; at += 2) copies.set([0x01, 0x01], at);
  const length = 1 + (copies.length / 2) * 4;
  return Buffer.concat([
    Buffer.from([
      (length & 0x7f) | 0x80,
      ((length >> 7) & 0x7f) | 0x80,
      ((length >> 14) & 0x7f) | 0x80,
      length >> 21,
      0,
      97,
    ]),
    copies,
  ]);
}

/** Compresses as small as the default quality does, at a thirtieth of the cost. */
const packBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const nothing = Buffer.alloc(200 * mebibyte);

type Row = [title: string, sent: Sent, status: number, stored: number];

const bombs: Row[] = [
  [
    'Snappy that declares 4 GiB',
    { ...protobuf, body: Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]) },
    413,
    0,
  ],
  ['Snappy that declares more than an integer holds', { ...protobuf, body: Buffer.alloc(20, 0xff) }, 400, 0],
  [
    'Snappy that declares 10 MiB without any',
    { ...protobuf, body: Buffer.from([0x80, 0x80, 0x80, 0x05, 0]) },
    400,
    0,
  ],
  [
    'Snappy that really contains 10 MiB',
    { ...protobuf, body: snappyCompress(Buffer.alloc(10 * mebibyte, 'a')) },
    400,
    0,
  ],
  ['Snappy of tiny copies', { ...protobuf, body: writeDearSnappy() }, 400, 0],
  ['Snappy of 11 MiB', { ...protobuf, body: snappyCompress(Buffer.alloc(11 * mebibyte)) }, 413, 0],
  ['protobuf of a million lines', { ...protobuf, body: snappyCompress(writePush(1_000_000)) }, 413, 0],
  ...[gzipSync, deflateSync, packBrotli, zstdCompressSync].map((pack, index): Row => {
    const encoding = ['gzip', 'deflate', 'br', 'zstd'][index] ?? '';
    return [`200 MiB in ${encoding}`, { ...json, headers: packed(encoding), body: pack(nothing) }, 413, 0];
  }),
  [
    'gzip in gzip',
    { ...json, headers: packed('gzip'), body: gzipSync(gzipSync(Buffer.alloc(50 * mebibyte))) },
    400,
    0,
  ],
  [
    'gzip in gzip, declared',
    { ...json, headers: packed('gzip, gzip'), body: gzipSync(gzipSync(Buffer.alloc(50 * mebibyte))) },
    ...([415, 0] as const),
  ],
  [
    'gzip of several members',
    { ...lines, headers: packed('gzip'), body: Buffer.concat([gzipSync('a\nb'), gzipSync('c\nd')]) },
    200,
    3,
  ],
  [
    'gzip of a million members',
    { ...lines, headers: packed('gzip'), body: Buffer.concat(Array(100_000).fill(gzipSync(''))) },
    200,
    0,
  ],
  [
    'truncated gzip',
    { ...lines, headers: packed('gzip'), body: gzipSync('abc'.repeat(1000)).subarray(0, 30) },
    400,
    0,
  ],
];

const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`l${index}`, 'v']));
const attributes = many(10_000, index => `{"key":"k${index}","value":{"stringValue":"v"}}`);
const empties = many(300_000, () => '{"key":"k","value":{"kvlistValue":{}}}');
const masses: Row[] = [
  ['ten thousand labels', { ...json, body: loki(labels, [nowNanos, 'x']) }, 400, 0],
  [
    'ten thousand labels and lines',
    { ...json, body: loki(labels, ...Array(10_000).fill([nowNanos, 'x'])) },
    400,
    0,
  ],
  ['ten thousand labels of one line', { ...json, body: loki({}, [nowNanos, 'x', labels]) }, 400, 0],
  ['a label of 1 MB', { ...json, body: loki({ a: 'v'.repeat(1e6) }, [nowNanos, 'x']) }, 400, 0],
  [
    'a label with a name of 1 MB',
    { ...json, body: loki({ ['a'.repeat(1e6)]: 'v' }, [nowNanos, 'x']) },
    400,
    0,
  ],
  [
    'ten thousand attributes of ten thousand records',
    {
      ...records,
      body: otlp(
        many(10_000, () => '{}'),
        attributes,
      ),
    },
    200,
    0,
  ],
  [
    'empty attributes',
    {
      ...records,
      body: otlp(
        many(50_000, () => '{}'),
        empties.slice(0, 39 * 200_000 - 1),
      ),
    },
    200,
    50_000,
  ],
  [
    'large attributes of many records',
    {
      ...records,
      body: otlp(
        many(50_000, () => '{}'),
        many(200, index => `{"key":"k${index}","value":{"stringValue":"${'ä'.repeat(8000)}"}}`),
      ),
    },
    413,
    0,
  ],
  [
    'names that recur again and again',
    {
      ...records,
      body: otlp(
        '{"attributes":[{"key":"a","value":{"stringValue":"v"}}]}',
        many(100_000, () => '{"key":"a","value":{"stringValue":"v"}}'),
      ),
    },
    200,
    1,
  ],
  ['100,000 entries of a byte', { ...lines, body: 'x\n'.repeat(100_000) }, 200, 100_000],
  ['100,001 entries of a byte', { ...lines, body: 'x\n'.repeat(100_001) }, 413, 0],
  ['1,000,000 empty lines', { ...lines, body: '\n'.repeat(1_000_000) }, 200, 0],
  ['1,000,000 empty lines to bulk', { ...bulk, body: '\n'.repeat(1_000_000) }, 200, 0],
  ['a line of 1 MB', { ...lines, body: 'x'.repeat(1_000_000) }, 400, 0],
  [
    '500 datasets',
    { ...bulk, body: many(500, index => `{"create":{"_index":"d${index}"}}\n{}\n`, '') },
    200,
    500,
  ],
  [
    '501 datasets',
    { ...bulk, body: many(501, index => `{"create":{"_index":"d${index}"}}\n{}\n`, '') },
    413,
    0,
  ],
  [
    '100,000 datasets',
    { ...bulk, body: many(100_000, index => `{"create":{"_index":"d${index}"}}\n{}\n`, '') },
    413,
    0,
  ],
];

describe('bombs', () => testRows(bombs));
describe('masses', () => testRows(masses));

describe('a body that', () => {
  const paths = [
    '/loki/api/v1/push',
    '/v1/logs',
    '/_bulk',
    '/api/v2/logs',
    '/services/collector',
    lines.path,
  ];
  const head = { authorization: token, 'content-type': 'application/json', 'content-length': 1000 };
  for (const path of paths) {
    it(`stalls, at ${path}`, async () => {
      const { answers } = await talk(service.url, [compose(`POST ${path}`, head, '{"event":"x"}\n')], {
        answersMax: 1,
      });
      const [answer] = answers;
      assert.ok(answer && answer.status >= 400 && answer.status < 500, JSON.stringify(answer));
      assert.match(answer.body, /stopped|arriving|body/i);
    });

    it(`ends when its client disconnects, at ${path}`, async () => {
      const before = await countStored();
      await talk(service.url, [compose(`POST ${path}`, head, '{"event":"x"}\n')], { hangsUp: true });
      assert.equal(await countStored(), before);
    });
  }
});

async function countStored(): Promise<number> {
  const answer = await service.fetch('/api/v3/logs?dataset=*&limit=1&includeTotal=true', {
    headers: authorization,
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return (JSON.parse(text) as { pagination: { total: number } }).pagination.total; // the contract's shape
}

function testRows(rows: readonly Row[]): void {
  for (const [title, sent, status, stored] of rows) {
    it(`${title}: ${status}`, async () => {
      const before = await countStored();
      let attempts = 0;
      await requireShortHolds(async () => {
        attempts++;
        const answer = await send(sent);
        assert.equal(answer.status, status, (await answer.text()).slice(0, 300));
      });
      assert.equal((await countStored()) - before, attempts * stored);
    });
  }
}
