/** Decodes content encodings, and refuses bodies that do not match their declared encoding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Failure } from '@tapedeck/values/failure';
import type { BodyCode } from './bodyFailure.ts';
import { decodeBody } from './contentEncodings.ts';

const mebibyte = 1024 * 1024;
const options = { bytesMax: 10 * mebibyte, briefBytesMax: mebibyte };
const bytes = Buffer.from('[{"level":"info","message":"fine"}]');

const encoded: readonly [title: string, encoding: string | undefined, body: Buffer][] = [
  ['gzip', 'gzip', zlib.gzipSync(bytes)],
  ['gzip in capitals', 'GZIP', zlib.gzipSync(bytes)],
  ['gzip by its old name', 'x-gzip', zlib.gzipSync(bytes)],
  [
    'gzip in two members',
    'gzip',
    Buffer.concat([zlib.gzipSync(bytes.subarray(0, 9)), zlib.gzipSync(bytes.subarray(9))]),
  ],
  ['gzip with trailing zeros', 'gzip', Buffer.concat([zlib.gzipSync(bytes), Buffer.alloc(9)])],
  ['deflate', 'deflate', zlib.deflateSync(bytes)],
  ['deflate without its header', 'deflate', zlib.deflateRawSync(bytes)],
  ['br', 'br', zlib.brotliCompressSync(bytes)],
  ['zstd', 'zstd', zlib.zstdCompressSync(bytes)],
  ['identity', 'identity', bytes],
  ['an empty header', '', bytes],
  ['no header', undefined, bytes],
];

for (const [title, encoding, body] of encoded) {
  test(`decodes ${title}`, async () => {
    using decoded = await decodeBody({ bytes: body, contentEncoding: encoding, holder: 'somebody' }, options);
    assert.equal(decoded.bytes.toString(), bytes.toString());
  });
}

const text = Buffer.from('text');
const cutOff = zlib.gzipSync(bytes).subarray(0, -9);
const withRest = Buffer.concat([zlib.gzipSync(bytes), text]);

const refused: readonly [title: string, encoding: string | undefined, body: Buffer, BodyCode, RegExp][] = [
  ['an unknown encoding', 'compress', bytes, 'unsupported_content_type', /gzip/],
  ['two encodings', 'gzip, gzip', bytes, 'unsupported_content_type', /gzip/],
  ['text declared as gzip', 'gzip', text, 'bad_request', /gzip/],
  ['gzip that is cut off', 'gzip', cutOff, 'bad_request', /gzip/],
  ['gzip with trailing text', 'gzip', withRest, 'bad_request', /gzip/],
  ['text declared as deflate', 'deflate', text, 'bad_request', /deflate/],
  ['text declared as zstd', 'zstd', text, 'bad_request', /zstd/],
  ['text declared as br', 'br', text, 'bad_request', /br/],
  ['11 MiB', undefined, Buffer.alloc(11 * 1024 * 1024, ' '), 'body_too_large', /10485760/],
];

for (const [title, encoding, body, code, says] of refused)
  test(`refuses ${title}: ${code}`, () => assertRefused({ encoding, body }, code, says));

const quickly = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const bombers: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: plain => zlib.brotliCompressSync(plain, quickly),
  zstd: zlib.zstdCompressSync,
};

for (const [encoding, compress] of Object.entries(bombers)) {
  test(`refuses a ${encoding} bomb: 413`, async () => {
    const body = compress(Buffer.alloc(64 * 1024 * 1024, ' '));
    await assertRefused({ encoding, body }, 'body_too_large', /10485760/);
  });
}

type Sent = { encoding: string | undefined; body: Buffer };

async function assertRefused({ encoding, body }: Sent, code: BodyCode, says: RegExp): Promise<void> {
  await assert.rejects(
    decodeBody({ bytes: body, contentEncoding: encoding, holder: 'somebody' }, options),
    error => {
      assert.ok(error instanceof Failure, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, says);
      return true;
    },
  );
}
