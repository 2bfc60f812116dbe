/** The protocol of resumable uploads: broken rules, ended uploads, and what it declares about itself. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { talk } from '../support/rawHttp.ts';
import {
  chunkType,
  locationOf,
  refusalOf,
  resultOf,
  resumableRoute,
  speakTus,
  writeMetadata,
} from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import {
  listTraces,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const tus = speakTus(service);
const picture = await makePicture(200, 100);
const sound = makeSound({ seconds: 30 });
const half = Math.floor(sound.length / 2);

describe('rejects protocol errors and changes nothing', () => {
  const rows: [title: string, send: (at: string) => Promise<Response>, expected: string][] = [
    [
      'an offset that is too high',
      at => tus.append(at, half + 1, sound.subarray(half + 1)),
      '409 upload_offset_wrong',
    ],
    ['an offset that is too low', at => tus.append(at, 0, sound), '409 upload_offset_wrong'],
    ['no offset', at => tus.appendWith({ 'upload-offset': '' }, at, half, sound), '400 bad_request'],
    [
      'an invalid offset',
      at => tus.appendWith({ 'upload-offset': '-1' }, at, half, sound),
      '400 bad_request',
    ],
    ['more bytes than the upload has', at => tus.append(at, half, sound), '413 file_too_large'],
    [
      'another length',
      at => tus.appendWith({ 'upload-length': '5' }, at, half, Buffer.alloc(1)),
      '400 bad_request',
    ],
    [
      'another type',
      at => tus.appendWith({ 'content-type': 'audio/wav' }, at, half, sound),
      '415 unsupported_content_type',
    ],
    [
      'compressed bytes',
      at => tus.appendWith({ 'content-encoding': 'gzip' }, at, half, sound),
      '415 unsupported_content_type',
    ],
    ['no version', at => tus.appendWith({ 'tus-resumable': '' }, at, half, sound), '412 protocol_version'],
    ['another version', at => tus.send('HEAD', at, { 'tus-resumable': '0.2.2' }), '412 protocol_version'],
    [
      'another version for a cancellation',
      at => tus.send('DELETE', at, { 'tus-resumable': '2.0.0' }),
      '412 protocol_version',
    ],
    ['an unknown token', at => tus.send('HEAD', at, { authorization: 'x'.repeat(32) }), '401 token_unknown'],
    ['no token', at => tus.send('DELETE', at, { authorization: '' }), '401 token_missing'],
    ['an unknown method', at => tus.send('PUT', at), '405 method_not_allowed'],
    ['an invalid id', () => tus.send('HEAD', `${resumableRoute}/x`), '404 not_found'],
    ['an unknown id', () => tus.append(`${resumableRoute}/${'A'.repeat(20)}`, 0, sound), '404 not_found'],
  ];
  for (const [title, send, expected] of rows) {
    test(`${title}: ${expected}`, async () => {
      const at = await tus.begin(sound.length);
      await tus.append(at, 0, sound.subarray(0, half));
      const response = await send(at);
      if (expected.startsWith('412')) assert.equal(response.headers.get('tus-version'), '1.0.0');
      if (!expected.startsWith('405')) assert.equal(response.headers.get('tus-resumable'), '1.0.0');
      assert.equal(await refusalOf(response), expected);
      assert.equal(await tus.look(at), half);
      await resultOf(await tus.append(at, half, sound.subarray(half)));
    });
  }
  const creations: [title: string, headers: Record<string, string>, expected: string][] = [
    ['no length', {}, '400 bad_request'],
    ['both lengths', { 'upload-length': '5', 'upload-defer-length': '1' }, '400 bad_request'],
    ['an invalid deferred length', { 'upload-defer-length': '2' }, '400 bad_request'],
    ['an invalid length', { 'upload-length': '1e3' }, '400 bad_request'],
    ['a negative length', { 'upload-length': '-5' }, '400 bad_request'],
    ['no bytes at all', { 'upload-length': '0' }, '415 unsupported_media'],
    ['one byte too many', { 'upload-length': String(32 * 1024 * 1024 + 1) }, '413 file_too_large'],
    ['far too many bytes', { 'upload-length': '9007199254740993' }, '400 bad_request'],
    ['a partial upload', { 'upload-length': '5', 'upload-concat': 'partial' }, '400 bad_request'],
    [
      'metadata that is not base64',
      { 'upload-length': '5', 'upload-metadata': 'filename *' },
      '400 bad_request',
    ],
    [
      'metadata that is not UTF-8',
      { 'upload-length': '5', 'upload-metadata': 'filename /w==' },
      '400 bad_request',
    ],
    [
      'a bad folder',
      { 'upload-length': '5', 'upload-metadata': writeMetadata({ path: '..' }) },
      '400 path_invalid',
    ],
    [
      'bad metadata',
      { 'upload-length': '5', 'upload-metadata': writeMetadata({ metadata: '[]' }) },
      '400 metadata_invalid',
    ],
    [
      'a bad flag',
      { 'upload-length': '5', 'upload-metadata': writeMetadata({ retentionExempt: 'x' }) },
      '400 invalid_field',
    ],
    ['no version', { 'upload-length': '5', 'tus-resumable': '' }, '412 protocol_version'],
    ['no token', { 'upload-length': '5', authorization: '' }, '401 token_missing'],
  ];
  for (const [title, headers, expected] of creations)
    test(`a creation with ${title}: ${expected}`, async () =>
      assert.equal(await refusalOf(await tus.send('POST', resumableRoute, headers)), expected));
});

test('limits an unknown length to the byte', async () => {
  const at = locationOf(await tus.send('POST', resumableRoute, { 'upload-defer-length': '1' }));
  await tus.append(at, 0, sound);
  const length = { 'upload-length': String(33 * 1024 * 1024) };
  assert.equal(
    await refusalOf(await tus.appendWith(length, at, sound.length, Buffer.alloc(1))),
    '413 file_too_large',
  );
  const head = [
    `PATCH ${at} HTTP/1.1\r\nHost: x\r\nAuthorization: ${mediaToken}\r\nTus-Resumable: 1.0.0`,
    `Content-Type: ${chunkType}\r\nUpload-Offset: ${sound.length}\r\nUpload-Length: ${sound.length + 10}`,
    'Transfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n',
  ].join('\r\n');
  const { answers } = await talk(service.url, [Buffer.from(head)], { answersMax: 1 });
  assert.equal(answers[0]!.status, 413);
  assert.equal(await tus.look(at), sound.length);
});

describe('cancelling an upload', () => {
  test('removes its bytes, and works once', async () => {
    const at = await tus.begin(sound.length);
    await tus.append(at, 0, sound.subarray(0, half));
    const name = at.split('/').at(-1)!;
    const isPartial = async () => (await listTraces(service)).blobs.some(blob => blob.endsWith(name));
    assert.equal(await isPartial(), true);
    assert.equal((await tus.send('DELETE', at)).status, 204);
    assert.equal(await isPartial(), false);
    for (const method of ['HEAD', 'DELETE'])
      assert.equal(await refusalOf(await tus.send(method, at)), '404 not_found');
    assert.equal(await refusalOf(await tus.append(at, half, sound.subarray(half))), '404 not_found');
    assert.equal(await refusalOf(await tus.result(at)), '404 not_found');
  });
  test('does not affect a finished file', async () => {
    const at = await tus.begin(picture.length);
    const { url } = await resultOf(await tus.append(at, 0, picture));
    assert.equal(await refusalOf(await tus.send('DELETE', at)), '409 upload_finished');
    assert.equal((await service.fetch(pathOf(url))).status, 200);
  });
});

test('a header may override the method', async () => {
  const at = await tus.begin(picture.length);
  const override = (method: string) => ({ 'x-http-method-override': method });
  const patch = { ...override('PATCH'), 'content-type': chunkType, 'upload-offset': '0' };
  const sent = await tus.sendBytes({ method: 'POST', at, headers: patch }, picture.subarray(0, 100));
  assert.deepEqual([sent.status, sent.headers.get('upload-offset')], [204, '100']);
  const looked = await tus.send('POST', at, override('HEAD'));
  assert.deepEqual([looked.status, looked.headers.get('upload-offset')], [200, '100']);
  assert.equal((await tus.send('POST', at, override('DELETE'))).status, 204);
  assert.equal(await refusalOf(await tus.send('HEAD', at)), '404 not_found');
});

describe('OPTIONS lists the extensions', () => {
  for (const at of [
    resumableRoute,
    `${resumableRoute}/${'A'.repeat(20)}`,
    '/api/v3/file/presigned-url/x/resumable',
  ]) {
    test(at, async () => {
      const response = await service.fetch(at, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://other.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,tus-resumable,upload-offset,content-type',
        },
      });
      assert.equal(response.status, 204);
      const readHeader = (name: string) => response.headers.get(name) ?? '';
      assert.equal(readHeader('tus-version'), '1.0.0');
      assert.equal(readHeader('tus-max-size'), String(32 * 1024 * 1024));
      for (const extension of ['creation', 'creation-with-upload', 'checksum', 'expiration', 'termination'])
        assert.ok(readHeader('tus-extension').split(',').includes(extension), extension);
      assert.ok(readHeader('tus-checksum-algorithm').split(',').includes('sha1'));
      assert.equal(readHeader('access-control-allow-origin'), '*');
      assert.match(readHeader('access-control-allow-headers'), /tus-resumable/);
      for (const name of ['Location', 'Upload-Offset', 'Upload-Expires', 'Upload-Result'])
        assert.ok(readHeader('access-control-expose-headers').split(', ').includes(name), name);
    });
  }
});
