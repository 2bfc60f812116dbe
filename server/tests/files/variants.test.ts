/** Smaller WebP versions of images: their content, when there are none, and that each is made once. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { nameBlob } from '@tapedeck/domain/files/naming';
import { openVariantMaker } from '@tapedeck/domain/files/variants';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { ServiceError } from '@tapedeck/domain/vocabulary';
import { tangledExif } from '@tapedeck/media-facts/samples';
import sharp from 'sharp';
import { openPreviewMaker } from '../../src/stores/images/previews/previewMaker.ts';
import { describeRefusal } from '../support/client.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import {
  formOfWidth,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());

const upload = async (bytes: Uint8Array) => pathOf((await uploadFile(service, bytes)).url);
const wide = await upload(await makePicture(2000, 1000));
const narrow = await upload(await makePicture(100, 50));

async function readVariant(at: string, width: number) {
  const response = await service.fetch(`${at}?w=${width}`);
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('content-type'), 'image/webp');
  const bytes = Buffer.from(await response.arrayBuffer());
  return { response, bytes, facts: await sharp(bytes).metadata() };
}

describe('sizes', () => {
  const rows: [string, string, number, [number, number]][] = [
    ...([320, 640, 960, 1280, 1920] as const).map(
      width =>
        [`${width} wide`, wide, width, [width, width / 2]] as [string, string, number, [number, number]],
    ),
    ['a narrow picture keeps its width', narrow, 320, [100, 50]],
  ];
  for (const [title, at, width, size] of rows) {
    test(title, async () => {
      const { facts } = await readVariant(at, width);
      assert.deepEqual([facts.width, facts.height, facts.format], [...size, 'webp']);
    });
  }
});

test('applies the orientation and strips metadata', async () => {
  const turned = await sharp({ create: { width: 800, height: 400, channels: 3, background: 'red' } })
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const { facts } = await readVariant(await upload(turned), 320);
  assert.deepEqual([facts.width, facts.height], [320, 640]);
  assert.deepEqual(
    [facts.exif, facts.orientation, facts.icc, facts.xmp],
    [undefined, undefined, undefined, undefined],
  );
});

test('EXIF that leads to itself is stored as it is, and changes no variant', async () => {
  const jpeg = await sharp(await makePicture(640, 480))
    .jpeg()
    .toBuffer();
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  const exif = tangledExif(4000);
  head.writeUInt16BE(exif.length + 8, 2);
  const bytes = Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
  const at = await upload(bytes);
  assert.deepEqual(Buffer.from(await (await service.fetch(at)).arrayBuffer()), bytes);
  assert.deepEqual((await readVariant(at, 320)).bytes, (await readVariant(await upload(jpeg), 320)).bytes);
});

test('every image format has variants', async () => {
  const picture = sharp(await makePicture(640, 480));
  for (const bytes of await Promise.all([
    picture.clone().jpeg().toBuffer(),
    picture.clone().gif().toBuffer(),
    picture.clone().webp().toBuffer(),
  ])) {
    const { facts } = await readVariant(await upload(bytes), 320);
    assert.deepEqual([facts.width, facts.height], [320, 240]);
  }
});

test('a variant has its own ETag and supports HEAD, conditions and ranges', async () => {
  const { response, bytes } = await readVariant(wide, 640);
  const etag = response.headers.get('etag')!;
  const tags = [etag];
  for (const at of [wide, `${wide}?w=320`]) tags.push((await service.fetch(at)).headers.get('etag')!);
  assert.equal(new Set(tags).size, 3);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(response.headers.get('content-disposition')!, /\.webp"/);
  const head = await service.fetch(`${wide}?w=640`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  const request = (headers: Record<string, string>) => service.fetch(`${wide}?w=640`, { headers });
  assert.equal((await request({ 'if-none-match': etag })).status, 304);
  assert.equal(await describeRefusal(await request({ 'if-match': '"x"' })), '412 precondition_failed');
  const part = await request({ range: 'bytes=4-9' });
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 4-9/${bytes.length}`]);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(4, 10));
});

describe('formats', () => {
  const rows: [query: string, size: [number, number], format: string][] = [
    ['h=320', [640, 320], 'webp'],
    ['w=1280&h=320', [640, 320], 'webp'],
    ['w=320&h=960', [320, 160], 'webp'],
    ['w=320&h=320&fit=inside', [320, 160], 'webp'],
    ['w=320&h=320&fit=cover', [320, 320], 'webp'],
    ['w=320&h=320&fit=contain', [320, 320], 'webp'],
    ['w=1920&h=1280&fit=cover', [1500, 1000], 'webp'],
    ['w=640&fit=cover', [640, 320], 'webp'],
    ['w=320&format=jpeg', [320, 160], 'jpeg'],
    ['w=320&format=avif', [320, 160], 'heif'],
    ['format=webp', [2000, 1000], 'webp'],
    ['format=jpeg&fit=contain', [2000, 1000], 'jpeg'],
  ];
  for (const [query, size, format] of rows) {
    test(query, async () => {
      const response = await service.fetch(`${wide}?${query}`);
      assert.equal(response.status, 200, await response.clone().text());
      const name = format === 'heif' ? 'avif' : format;
      assert.equal(response.headers.get('content-type'), `image/${name}`);
      assert.match(
        response.headers.get('content-disposition') ?? '',
        new RegExp(`\\.${name.replace('e', 'e?')}"`),
      );
      const facts = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.deepEqual([facts.width, facts.height, facts.format], [...size, format]);
    });
  }
  test('does not enlarge a picture smaller than the box', async () => {
    for (const [fit, size] of [
      ['inside', [100, 50]],
      ['cover', [50, 50]],
      ['contain', [100, 100]],
    ] as const) {
      const response = await service.fetch(`${narrow}?w=320&h=320&fit=${fit}`);
      const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.deepEqual([width, height], size, fit);
    }
  });
  test('ignores the client’s preferred formats', async () => {
    const response = await service.fetch(`${wide}?w=320`, { headers: { accept: 'image/avif' } });
    assert.equal(response.headers.get('content-type'), 'image/webp');
  });
  test('keeps at most 32 per file, and recreates evicted ones', async () => {
    const at = await upload(await makePicture(400, 300));
    const before = (await readdir(path.join(service.dataDir, 'media'), { recursive: true })).length;
    for (const fit of ['cover', 'contain'])
      for (const w of [320, 640, 960, 1280, 1920])
        for (const h of [320, 640, 960, 1280, 1920]) {
          const response = await service.fetch(`${at}?w=${w}&h=${h}&fit=${fit}`);
          assert.equal(response.status, 200);
          await response.arrayBuffer();
        }
    const after = (await readdir(path.join(service.dataDir, 'media'), { recursive: true })).length;
    assert.equal(after - before, 32);
    assert.equal((await service.fetch(`${at}?w=320&h=320&fit=cover`)).status, 200);
  });
});

const sound = await upload(makeSound());
const torn = Buffer.from(
  await sharp(await makePicture(300, 300))
    .jpeg()
    .toBuffer(),
);
torn.fill(0xff, torn.length - 200);
/** A header that claims more pixels than there are bytes for. */
async function claimSize(width: number, height: number): Promise<Buffer> {
  const picture = Buffer.from(await makePicture(10, 10));
  picture.writeUInt32BE(width, 16);
  picture.writeUInt32BE(height, 20);
  picture.writeUInt32BE(crc32(picture.subarray(12, 29)), 29);
  return picture;
}

const hugeAt = await upload(await claimSize(10_000, 5_001));
const narrowAt = await upload(await claimSize(1, 1_000_001));
const tallestAt = await upload(await claimSize(1, 1_000_000));
const tornAt = await upload(torn);

describe('rejections', () => {
  const rows: [string, string, string][] = [
    ['another width', `${wide}?w=321`, '400 invalid_field'],
    ['another height', `${wide}?h=321`, '400 invalid_field'],
    ['another fit', `${wide}?w=320&h=320&fit=fill`, '400 invalid_field'],
    ['an unknown fit without a box', `${wide}?fit=fill`, '400 invalid_field'],
    ['another format', `${wide}?format=png`, '400 invalid_field'],
    ['a format of a sound', `${sound}?format=webp`, '400 invalid_field'],
    ['a height of a picture that is too large', `${hugeAt}?h=320`, '422 image_too_large'],
    ['a format of a truncated picture', `${tornAt}?format=avif`, '422 image_undecodable'],
    ['no number', `${wide}?w=`, '400 invalid_field'],
    ['two widths', `${wide}?w=320&w=640`, '400 invalid_field'],
    ['a sound', `${sound}?w=320`, '400 invalid_field'],
    ['more than 50 megapixels', `${hugeAt}?w=320`, '422 image_too_large'],
    ['a column of more than a million lines', `${narrowAt}?w=320`, '422 image_too_large'],
    [
      'a column of a million lines, if not for its missing bytes',
      `${tallestAt}?w=320`,
      '422 image_undecodable',
    ],
    ['an undecodable picture', `${tornAt}?w=320`, '422 image_undecodable'],
    ['an unknown file', '/media/default/none.png?w=320', '404 not_found'],
  ];
  for (const [title, at, expected] of rows) {
    test(`${title}: ${expected}`, async () => {
      const response = await service.fetch(at);
      assert.doesNotMatch(response.headers.get('cache-control') ?? '', /immutable/);
      assert.equal(await describeRefusal(response), expected);
    });
  }
  test('the original of an undecodable picture stays', async () => {
    const at = await upload(torn);
    assert.equal(await describeRefusal(await service.fetch(`${at}?w=320`)), '422 image_undecodable');
    assert.deepEqual(Buffer.from(await (await service.fetch(at)).arrayBuffer()), torn);
  });
});

test('identical concurrent requests decode once, and too many different ones are told to retry', async () => {
  await using directory = await makeDirectory();
  await using blobs = await openBlobStore({ kind: 'disk', directory: directory.path }, Date.now);
  using staging = await openOwnStaging(path.join(directory.path, 'staging'));
  const { files } = await service.openStore();
  const { id } = await uploadFile(service, await makePicture(400, 200));
  const record = (await files.find('default', id))!;
  const held = Promise.withResolvers<void>();
  let decodings = 0;
  const scaler = {
    scale: async () => {
      decodings += 1;
      await held.promise;
      return Buffer.from('picture');
    },
  };
  const make = openVariantMaker({ blobs, files, staging, scaler, previews: openPreviewMaker() });
  const store = async (file: StoredFile) => {
    const refuse = () => new Error('more than a byte');
    await using staged = await staging.stage(Readable.from([Buffer.from('x')]), { bytesMax: 1, refuse });
    await blobs.put(blobs.placeOf(nameBlob(file), null), staged, file.mimeType);
    return file;
  };
  const one = await store({ ...record, sizeBytes: 1 });
  const others = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const otherId = `file000000000000${String(index).padStart(4, '0')}`;
      return store({ ...one, id: otherId, key: `${otherId}.png` });
    }),
  );
  const same = Array.from({ length: 20 }, () => make(one, formOfWidth(320)));
  const more = others.map(other =>
    make(other, formOfWidth(640)).then(
      () => 'made',
      (error: ServiceError) => error.code,
    ),
  );
  held.resolve();
  const answers = await Promise.all(same);
  assert.equal(new Set(answers.map(({ place }) => place)).size, 1);
  const outcomes = await Promise.all(more);
  assert.equal(outcomes.filter(outcome => outcome === 'overloaded').length, 8);
  assert.equal(decodings, 1 + 32);
});

test('a variant is stored next to the original, and deleted with it', async () => {
  const { id, url } = await uploadFile(service, await makePicture(500, 500));
  await readVariant(pathOf(url), 320);
  await readVariant(pathOf(url), 640);
  const list = async () =>
    (await readdir(path.join(service.dataDir, 'media'), { recursive: true })).filter(name =>
      name.includes(id),
    );
  assert.equal((await list()).length, 3);
  await service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers: { authorization: mediaToken } });
  assert.deepEqual(await list(), []);
  assert.equal(await describeRefusal(await service.fetch(`${pathOf(url)}?w=320`)), '404 not_found');
});
