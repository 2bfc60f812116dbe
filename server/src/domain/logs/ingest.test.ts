/** What the ingest route takes, what it stores of it, and what it refuses in which words. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { makeRequest, type OpenedIngest, openIngest } from '../../../tests/logs/ingests.ts';
import { type ErrorCode, ServiceError } from '../../vocabulary.ts';
import { type IngestDeps, ingestLogs } from './ingest.ts';

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

type Refusal = {
  title: string;
  body: unknown;
  code: ErrorCode;
  says: RegExp;
  deps?: Partial<IngestDeps>;
  encoding?: string;
};

const refusals: Refusal[] = [
  { title: 'a single object', body: good, code: 'bad_request', says: /array/ },
  { title: 'an empty array', body: [], code: 'bad_request', says: /at least one/ },
  { title: 'a string', body: '"text"', code: 'bad_request', says: /array/ },
  { title: 'null', body: 'null', code: 'bad_request', says: /array/ },
  { title: 'nothing', body: '', code: 'invalid_json', says: /JSON/ },
  { title: 'broken JSON', body: '[{"level":', code: 'invalid_json', says: /JSON/ },
  {
    title: 'a raw NUL byte',
    body: '[{"level":"info","message":"a\0b"}]',
    code: 'invalid_json',
    says: /JSON/,
  },
  {
    title: 'invalid UTF-8',
    body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
    code: 'invalid_json',
    says: /UTF-8/,
  },
  {
    title: 'a surrogate in UTF-8',
    body: Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]),
    code: 'invalid_json',
    says: /UTF-8/,
  },
  { title: '10,001 entries', body: Array(10_001).fill(good), code: 'bad_request', says: /10000/ },
  { title: '11 MiB', body: Buffer.alloc(11 * 1024 * 1024, 0x20), code: 'body_too_large', says: /10485760/ },
  {
    title: '10,000 levels of arrays',
    body: '['.repeat(10_000) + ']'.repeat(10_000),
    code: 'invalid_field',
    says: /Entry 0: must be an object/,
  },
  {
    title: '10,000 levels of metadata',
    body: `[{"level":"info","message":"","metadata":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}]`,
    code: 'invalid_field',
    says: /Entry 0: metadata .*20 levels/,
  },
  {
    title: 'a number among the entries',
    body: [good, 7],
    code: 'invalid_field',
    says: /Entry 1: must be an object/,
  },
  {
    title: 'null among the entries',
    body: [good, good, null],
    code: 'invalid_field',
    says: /Entry 2: must be an object/,
  },
  { title: 'no level', body: [good, { message: '' }], code: 'invalid_field', says: /Entry 1: level / },
  {
    title: 'an unknown level',
    body: [{ ...good, level: 'fatal' }],
    code: 'invalid_field',
    says: /Entry 0: level /,
  },
  {
    title: 'a level in capitals',
    body: [{ ...good, level: 'INFO' }],
    code: 'invalid_field',
    says: /Entry 0: level /,
  },
  {
    title: 'a level that is a number',
    body: [{ ...good, level: 3 }],
    code: 'invalid_field',
    says: /Entry 0: level /,
  },
  { title: 'no message', body: [{ level: 'info' }], code: 'invalid_field', says: /Entry 0: message / },
  {
    title: 'a message that is an object',
    body: [{ ...good, message: {} }],
    code: 'invalid_field',
    says: /message must be a string/,
  },
  {
    title: 'a message of 64 KiB and a byte',
    body: [{ ...good, message: 'x'.repeat(65_537) }],
    code: 'invalid_field',
    says: /message .*65536 bytes/,
  },
  {
    title: 'a message of 64 KiB in bytes, not characters',
    body: [{ ...good, message: 'ä'.repeat(32_769) }],
    code: 'invalid_field',
    says: /message .*65536 bytes/,
  },
  {
    title: 'a resource that is a number',
    body: [{ ...good, resource: 1 }],
    code: 'invalid_field',
    says: /resource must be a string/,
  },
  {
    title: 'a parentId that is an array',
    body: [{ ...good, parentId: [] }],
    code: 'invalid_field',
    says: /parentId must be a string/,
  },
  {
    title: 'metadata that is a string',
    body: [{ ...good, metadata: 'a' }],
    code: 'invalid_field',
    says: /metadata must be an object/,
  },
  {
    title: 'metadata that is an array',
    body: [{ ...good, metadata: [1] }],
    code: 'invalid_field',
    says: /metadata must be an object/,
  },
  {
    title: 'metadata of 21 levels',
    body: [{ ...good, metadata: nest(21) }],
    code: 'invalid_field',
    says: /20 levels/,
  },
  {
    title: '257 leaves',
    body: [{ ...good, metadata: manyLeaves(257) }],
    code: 'invalid_field',
    says: /256 values/,
  },
  {
    title: '257 leaves in depth',
    body: [{ ...good, metadata: { deep: manyLeaves(257) } }],
    code: 'invalid_field',
    says: /256 values/,
  },
  {
    title: 'a key of 257 bytes',
    body: [{ ...good, metadata: { ['k'.repeat(257)]: 1 } }],
    code: 'invalid_field',
    says: /key of more than 256 bytes/,
  },
  {
    title: 'a dotted path of 257 bytes',
    body: [{ ...good, metadata: { ['k'.repeat(200)]: { ['l'.repeat(56)]: 1 } } }],
    code: 'invalid_field',
    says: /key of more than 256 bytes/,
  },
  {
    title: 'a value of 16 KiB and a byte',
    body: [{ ...good, metadata: { a: { b: 'x'.repeat(16_385) } } }],
    code: 'invalid_field',
    says: /metadata\.a\.b .*16384 bytes/,
  },
  {
    title: 'a timestamp in words',
    body: [{ ...good, timestamp: 'yesterday' }],
    code: 'invalid_field',
    says: /Entry 0: timestamp /,
  },
  {
    title: 'a timestamp that is true',
    body: [{ ...good, timestamp: true }],
    code: 'invalid_field',
    says: /timestamp/,
  },
  {
    title: 'a date without a time',
    body: [{ ...good, timestamp: '2026-01-02' }],
    code: 'invalid_field',
    says: /timestamp/,
  },
  {
    title: '30 February',
    body: [{ ...good, timestamp: '2026-02-30T00:00:00Z' }],
    code: 'invalid_field',
    says: /timestamp/,
  },
  {
    title: 'a timestamp more than a day ahead',
    body: [{ ...good, timestamp: now + dayMs + 60_000 }],
    code: 'invalid_field',
    says: /day ahead/,
  },
  {
    title: 'a timestamp before 1970',
    body: [{ ...good, timestamp: -1 }],
    code: 'invalid_field',
    says: /older/,
  },
  {
    title: 'a timestamp older than the retention',
    body: [good, { ...good, timestamp: now - 31 * dayMs }],
    code: 'invalid_field',
    says: /Entry 1: timestamp .*older/,
    deps: { readRetentionDays: () => 30 },
  },
  {
    title: 'an unknown encoding',
    body: '[]',
    encoding: 'compress',
    code: 'unsupported_content_type',
    says: /gzip/,
  },
  {
    title: 'two encodings',
    body: '[]',
    encoding: 'gzip, gzip',
    code: 'unsupported_content_type',
    says: /gzip/,
  },
  { title: 'gzip that is none', body: '[]', encoding: 'gzip', code: 'bad_request', says: /gzip/ },
  {
    title: 'gzip that is cut off',
    body: zlib.gzipSync('[{"level":"info"}]').subarray(0, -9),
    encoding: 'gzip',
    code: 'bad_request',
    says: /gzip/,
  },
  { title: 'zstd that is none', body: 'text', encoding: 'zstd', code: 'bad_request', says: /zstd/ },
  { title: 'brotli that is none', body: 'text', encoding: 'br', code: 'bad_request', says: /br/ },
  ...(['gzip', 'deflate', 'br', 'zstd'] as const).map(encoding => ({
    title: `a ${encoding} bomb`,
    body: compress(encoding, Buffer.alloc(64 * 1024 * 1024, 0x20)),
    encoding,
    code: 'body_too_large' as const,
    says: /10485760/,
  })),
];

function compress(encoding: 'gzip' | 'deflate' | 'br' | 'zstd', bytes: Buffer): Buffer {
  const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
  const compressors = {
    gzip: () => zlib.gzipSync(bytes),
    deflate: () => zlib.deflateSync(bytes),
    br: () => zlib.brotliCompressSync(bytes, quality),
    zstd: () => zlib.zstdCompressSync(bytes),
  };
  return compressors[encoding]();
}

for (const { title, body, code, says, deps, encoding } of refusals) {
  test(`${title} is refused with ${code}, and nothing is stored`, async () => {
    const request = makeRequest(body, { contentEncoding: encoding });
    await assert.rejects(ingestLogs({ ...opened.deps, ...deps }, request), error => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, says);
      return true;
    });
    assert.deepEqual(opened.takeRows(), []);
  });
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
