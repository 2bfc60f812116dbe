/** What the ingest route refuses, and in which words. */
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
