/** Resumable uploads: each rule of the protocol, and the resulting file. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { makeSamples } from '@tapedeck/media-facts/samples';
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
  readRecord,
  readUploaded,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const tus = speakTus(service);
const picture = await makePicture(200, 100);
const sound = makeSound({ seconds: 30 });
const movie = (await makeSamples([{ file: 'movie.mp4', make: '' }])).get('movie.mp4')!;
const half = Math.floor(sound.length / 2);

async function requireBytes(url: string, bytes: Uint8Array): Promise<void> {
  const read = await service.fetch(pathOf(url));
  assert.deepEqual(Buffer.from(await read.arrayBuffer()), Buffer.from(bytes));
}

describe('an upload in two pieces', () => {
  test('reports its offset after each, and ends as an ordinary file', async () => {
    const metadata = {
      filename: 'Lärm.wav',
      path: 'sounds/a',
      metadata: '{"player":7}',
      retentionExempt: 'true',
    };
    const at = await tus.begin(sound.length, metadata);
    assert.equal(await tus.look(at), 0);
    const first = await tus.append(at, 0, sound.subarray(0, half));
    assert.deepEqual([first.status, first.headers.get('upload-offset')], [204, String(half)]);
    assert.equal(first.headers.get('upload-result'), null);
    assert.equal(await refusalOf(await tus.result(at)), '409 upload_unfinished');
    assert.equal(await tus.look(at), half);
    const last = await tus.append(at, half, sound.subarray(half));
    assert.equal(last.status, 204);
    const { id, url } = await resultOf(last);
    await requireBytes(url, sound);
    const record = await readRecord(service, id);
    assert.deepEqual(
      [record.filename, record.path, record.metadata, record.retentionExempt, record.mimeType, record.size],
      ['Lärm.wav', 'sounds/a', { player: 7 }, true, 'audio/wav', sound.length],
    );
    assert.deepEqual((await readUploaded(await tus.result(at))).id, id);
    const { staging, open, blobs } = await listTraces(service);
    assert.deepEqual({ staging, open }, { staging: [], open: [] });
    assert.ok(!blobs.some(blob => blob.includes('/partial/')));
  });

  test('returns the result again: by HEAD, by GET, and by an empty last piece', async () => {
    const at = await tus.begin(picture.length);
    const { id } = await resultOf(await tus.append(at, 0, picture));
    assert.equal((await resultOf(await tus.send('HEAD', at))).id, id);
    assert.equal((await resultOf(await tus.append(at, picture.length, Buffer.alloc(0)))).id, id);
    assert.equal((await readUploaded(await tus.result(at))).id, id);
    const removal = { method: 'DELETE', headers: { authorization: mediaToken } };
    assert.equal((await service.fetch(`/api/v3/file/${id}`, removal)).status, 200);
    assert.equal(await refusalOf(await tus.result(at)), '404 not_found');
  });

  test('hashes cover the whole file', async () => {
    const at = await tus.begin(sound.length);
    for (let offset = 0; offset < sound.length; offset += 50_000)
      await tus.append(at, offset, sound.subarray(offset, offset + 50_000));
    const { id } = await readUploaded(await tus.result(at));
    const file = await (await service.openStore()).files.find('default', id);
    assert.equal(file?.sha256, createHash('sha256').update(sound).digest('hex'));
  });
});

test('accepts pieces of any size for a file whose type is known only at its end', async () => {
  const at = await tus.begin(movie.length);
  for (const offset of [0, 1, 10, 17, 5000])
    await tus.append(
      at,
      offset,
      movie.subarray(offset, [1, 10, 17, 5000, movie.length][[0, 1, 10, 17, 5000].indexOf(offset)]),
    );
  const { id } = await readUploaded(await tus.result(at));
  assert.equal((await readRecord(service, id)).mimeType, 'video/mp4');
});

describe('creation', () => {
  test('returns 201 with the location, the expiry and the metadata', async () => {
    const metadata = writeMetadata({ filename: 'a b.png', filetype: 'image/png', empty: '' });
    const response = await tus.send('POST', resumableRoute, {
      'upload-length': '1000',
      'upload-metadata': metadata,
    });
    assert.equal(response.status, 201);
    assert.match(
      response.headers.get('location') ?? '',
      /^http:\/\/.+\/api\/v3\/file\/resumable\/[0-9A-Za-z]{20}$/,
    );
    const left = Date.parse(response.headers.get('upload-expires') ?? '') - service.clock.now();
    assert.ok(Math.abs(left - 86_400_000) < 5000);
    const looked = await tus.send('HEAD', locationOf(response));
    assert.equal(looked.headers.get('upload-metadata'), metadata);
    assert.equal(looked.headers.get('upload-length'), '1000');
    assert.equal(looked.headers.get('cache-control'), 'no-store');
  });
  test('may include the first bytes, or all', async () => {
    for (const to of [half, sound.length]) {
      const headers = { 'upload-length': String(sound.length), 'content-type': chunkType };
      const response = await tus.sendBytes(
        { method: 'POST', at: resumableRoute, headers },
        sound.subarray(0, to),
      );
      assert.deepEqual([response.status, response.headers.get('upload-offset')], [201, String(to)]);
      if (to === sound.length) await requireBytes((await resultOf(response)).url, sound);
      else await resultOf(await tus.append(locationOf(response), to, sound.subarray(to)));
    }
  });
  test('may leave the length open until it is known', async () => {
    const begun = await tus.send('POST', resumableRoute, { 'upload-defer-length': '1' });
    const at = locationOf(begun);
    assert.equal(begun.headers.get('upload-defer-length'), '1');
    await tus.append(at, 0, sound.subarray(0, half));
    assert.equal((await tus.send('HEAD', at)).headers.get('upload-length'), null);
    const last = await tus.appendWith(
      { 'upload-length': String(sound.length) },
      at,
      half,
      sound.subarray(half),
    );
    await requireBytes((await resultOf(last)).url, sound);
  });
  test('accepts the names that browsers and their libraries send', async () => {
    const metadata = {
      name: 'from uppy.png',
      type: 'image/png',
      filetype: 'image/png',
      relativePath: 'null',
    };
    const at = await tus.begin(picture.length, metadata);
    const { id } = await resultOf(await tus.append(at, 0, picture));
    assert.equal((await readRecord(service, id)).filename, 'from uppy.png');
  });
});

describe('checksums', () => {
  for (const algorithm of ['sha1', 'md5', 'sha256', 'sha512']) {
    test(algorithm, async () => {
      const digest = (bytes: Uint8Array) =>
        `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`;
      const at = await tus.begin(sound.length);
      await tus.append(at, 0, sound.subarray(0, 100));
      const wrong = { 'upload-checksum': digest(Buffer.from('other')) };
      for (let round = 0; round < 2; round++) {
        const refused = await tus.appendWith(wrong, at, 100, sound.subarray(100, half));
        assert.equal(await refusalOf(refused), '460 checksum_mismatch');
        assert.equal(await tus.look(at), 100);
      }
      const good = await tus.appendWith(
        {
          'upload-checksum': digest(sound.subarray(100)),
        },
        at,
        100,
        sound.subarray(100),
      );
      await requireBytes((await resultOf(good)).url, sound);
    });
  }
  test('are checked with each advertised algorithm', async () => {
    const at = await tus.begin(1000);
    for (const checksum of ['crc32 AAAA', 'sha1', 'sha1 a b'])
      assert.match(
        await refusalOf(await tus.appendWith({ 'upload-checksum': checksum }, at, 0, Buffer.alloc(10))),
        checksum === 'sha1' ? /^460/ : /^400 bad_request/,
      );
  });
});
