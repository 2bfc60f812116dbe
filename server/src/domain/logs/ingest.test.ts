/** What the ingest route takes, and what it stores of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { makeRequest, type OpenedIngest, openIngest } from '../../../tests/logs/ingests.ts';
import { ingestLogs } from './ingest.ts';

const now = Date.now();
const dayMs = 86_400_000;
let opened: OpenedIngest;

before(async () => {
  opened = await openIngest();
});

after(async () => {
  await opened[Symbol.asyncDispose]();
});

const synonyms = new Map([['fatal', 'error']] as const);
const good = { level: 'info', message: 'fine' };

function nest(levels: number): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function manyLeaves(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
}

type Acceptance = {
  title: string;
  item: Record<string, unknown> | string;
  expected: Record<string, unknown>;
  lenientLevels?: boolean;
};

const acceptances: Acceptance[] = [
  {
    title: 'the four fields of the description',
    item: { level: 'warn', message: 'm', resource: 'r', metadata: { a: 'b' } },
    expected: { level: 'warn', message: 'm', resource: 'r', metadata: { a: 'b' } },
  },
  { title: 'an empty message', item: { level: 'info', message: '' }, expected: { message: '' } },
  {
    title: 'a message of exactly 64 KiB',
    item: { level: 'info', message: 'ä'.repeat(32_768) },
    expected: { message: 'ä'.repeat(32_768) },
  },
  {
    title: 'nulls, which count as absent',
    item: { ...good, resource: null, metadata: null, parentId: null, timestamp: null },
    expected: { resource: '', parentId: '', metadata: {} },
  },
  { title: 'an empty array as metadata', item: { ...good, metadata: [] }, expected: { metadata: {} } },
  { title: 'a parentId', item: { ...good, parentId: 'abc' }, expected: { parentId: 'abc' } },
  { title: 'fields that nobody knows', item: { ...good, surplus: [1] }, expected: { message: 'fine' } },
  {
    title: 'nested metadata as dotted paths, every value as text',
    item: {
      ...good,
      metadata: {
        pos: { x: 12.5, y: -0 },
        items: [{ name: 'a' }, { name: 'b' }],
        ok: true,
        no: null,
        big: 1e21,
        tiny: 1e-7,
      },
    },
    expected: {
      metadata: {
        'pos.x': '12.5',
        'pos.y': '0',
        'items.0.name': 'a',
        'items.1.name': 'b',
        ok: 'true',
        no: 'null',
        big: '1e+21',
        tiny: '1e-7',
      },
    },
  },
  {
    title: 'empty objects and arrays inside, which are dropped',
    item: { ...good, metadata: { a: {}, b: [], c: { d: [] }, e: 1 } },
    expected: { metadata: { e: '1' } },
  },
  {
    title: 'metadata of 20 levels',
    item: { ...good, metadata: nest(20) },
    expected: { metadata: { [Array(20).fill('a').join('.')]: 'leaf' } },
  },
  { title: '256 leaves', item: { ...good, metadata: manyLeaves(256) }, expected: {} },
  {
    title: 'a key of 256 bytes',
    item: { ...good, metadata: { ['ä'.repeat(128)]: 1 } },
    expected: { metadata: { ['ä'.repeat(128)]: '1' } },
  },
  {
    title: 'a value of 16 KiB',
    item: { ...good, metadata: { v: 'x'.repeat(16_384) } },
    expected: { metadata: { v: 'x'.repeat(16_384) } },
  },
  {
    title: 'a path spelled twice, of which the last counts',
    item: { ...good, metadata: { 'a.b': 1, a: { b: 2 } } },
    expected: { metadata: { 'a.b': '2' } },
  },
  {
    title: '__proto__ and its kin as keys like any other',
    item: '{"level":"info","message":"fine","__proto__":{"level":"x"},"metadata":{"__proto__":{"polluted":1},"constructor":"c","toString":2}}',
    expected: { metadata: { '__proto__.polluted': '1', constructor: 'c', toString: '2' } },
  },
  {
    title: 'a flat __proto__',
    item: '{"level":"info","message":"fine","metadata":{"__proto__":"p"}}',
    expected: { metadata: JSON.parse('{"__proto__":"p"}') as object },
  },
  {
    title: 'lone surrogates, which become U+FFFD',
    item: '{"level":"info","message":"a\\ud800b","metadata":{"k":"\\udfff"}}',
    expected: { message: 'a\ufffdb', metadata: { k: '\ufffd' } },
  },
  { title: 'an escaped NUL', item: '{"level":"info","message":"a\\u0000b"}', expected: { message: 'a\0b' } },
  {
    title: 'SQL, which is text',
    item: { ...good, message: "'); DROP TABLE logs; --" },
    expected: { message: "'); DROP TABLE logs; --" },
  },
  {
    title: 'a timestamp in RFC 3339 with microseconds',
    item: { ...good, timestamp: '2026-01-02T03:04:05.123456Z' },
    expected: { timestampMicros: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456 },
  },
  {
    title: 'a timestamp with an offset and nanoseconds',
    item: { ...good, timestamp: '2026-01-02T03:04:05.123456999+02:30' },
    expected: { timestampMicros: Date.UTC(2026, 0, 2, 0, 34, 5) * 1000 + 123_456 },
  },
  {
    title: 'a timestamp in small letters',
    item: { ...good, timestamp: '2026-01-02t03:04:05z' },
    expected: { timestampMicros: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 },
  },
  {
    title: 'a leap second',
    item: { ...good, timestamp: '2016-12-31T23:59:60Z' },
    expected: { timestampMicros: Date.UTC(2017, 0, 1) * 1000 - 1 },
  },
  {
    title: 'a timestamp in Unix milliseconds',
    item: { ...good, timestamp: 1_767_323_045_123 },
    expected: { timestampMicros: 1_767_323_045_123_000 },
  },
  { title: 'the start of 1970', item: { ...good, timestamp: 0 }, expected: { timestampMicros: 0 } },
  {
    title: 'a timestamp nearly a day ahead',
    item: { ...good, timestamp: now + dayMs - 60_000 },
    expected: { timestampMicros: (now + dayMs - 60_000) * 1000 },
  },
  {
    title: 'a synonym of a level, where they are allowed',
    item: { ...good, level: 'Fatal' },
    expected: { level: 'error' },
    lenientLevels: true,
  },
];

for (const { title, item, expected, lenientLevels = false } of acceptances) {
  test(`takes ${title}`, async () => {
    const body = typeof item === 'string' ? `[${item}]` : [item];
    await ingestLogs({ ...opened.deps, levelSynonyms: lenientLevels ? synonyms : null }, makeRequest(body));
    const [row, ...others] = opened.takeRows();
    assert.equal(others.length, 0);
    for (const [field, value] of Object.entries(expected))
      assert.deepEqual(row?.[field as keyof typeof row], value, field);
  });
}

test('takes every content encoding, and both forms of deflate', async () => {
  const bytes = Buffer.from(JSON.stringify([good]));
  const bodies = [
    ['gzip', zlib.gzipSync(bytes)],
    ['GZIP', zlib.gzipSync(bytes)],
    ['deflate', zlib.deflateSync(bytes)],
    ['deflate', zlib.deflateRawSync(bytes)],
    ['br', zlib.brotliCompressSync(bytes)],
    ['zstd', zlib.zstdCompressSync(bytes)],
    ['identity', bytes],
    ['', bytes],
  ] as const;
  for (const [contentEncoding, body] of bodies) {
    await ingestLogs(opened.deps, makeRequest(Buffer.from(body), { contentEncoding }));
    assert.deepEqual(
      opened.takeRows().map(row => row.message),
      ['fine'],
      contentEncoding,
    );
  }
});

test('takes a byte order mark', async () => {
  await ingestLogs(opened.deps, makeRequest(`\ufeff${JSON.stringify([good])}`));
  assert.equal(opened.takeRows().length, 1);
});

test('a batch of 10,000 keeps its order, in time and in identity, also where all times are the same', async () => {
  const numbered = Array.from({ length: 10_000 }, (_, index) => ({ level: 'info', message: String(index) }));
  for (const timestamp of [undefined, now]) {
    await ingestLogs(opened.deps, makeRequest(numbered.map(item => ({ ...item, timestamp }))));
    const rows = opened.takeRows();
    const sorted = rows.toSorted(
      (one, other) => one.timestampMicros - other.timestampMicros || (one.traceId < other.traceId ? -1 : 1),
    );
    assert.deepEqual(
      sorted.map(row => row.message),
      numbered.map(item => item.message),
    );
    assert.equal(new Set(rows.map(row => row.traceId)).size, rows.length);
    for (const row of rows) assert.match(row.traceId, /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  }
});

test('a bad entry among good ones leaves nothing behind, and others of the same group unharmed', async () => {
  const requests = Array.from({ length: 40 }, (_, index) => {
    const items = [
      good,
      index % 2 === 0
        ? { ...good, message: `kept ${index}` }
        : { ...good, metadata: { half: 1, bad: 'x'.repeat(20_000) } },
    ];
    return ingestLogs(opened.deps, makeRequest(items)).then(
      () => 'ok',
      () => 'refused',
    );
  });
  const outcomes = await Promise.all(requests);
  assert.deepEqual(
    outcomes,
    outcomes.map((_, index) => (index % 2 === 0 ? 'ok' : 'refused')),
  );
  const rows = opened.takeRows();
  assert.deepEqual(
    rows.map(row => row.metadata),
    rows.map(() => ({})),
  );
  assert.equal(rows.length, 40);
});
