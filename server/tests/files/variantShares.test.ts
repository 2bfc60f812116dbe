/** Waiting for smaller pictures: a refused picture is refused again from memory, and no project waits for another. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { nameBlob } from '@tapedeck/domain/files/naming';
import { openVariantMaker, type VariantMaker } from '@tapedeck/domain/files/variants';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { ImageScaler } from '@tapedeck/domain/ports/images';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import sharp from 'sharp';
import { openPreviewMaker } from '../../src/stores/images/previews/previewMaker.ts';
import { openSharpScaler } from '../../src/stores/images/sharpScaler.ts';
import { describeRefusal } from '../support/client.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { formOfWidth, makePicture, mediaEnvironment, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { files } = await service.openStore();
const record = (await files.find('default', (await uploadFile(service, await makePicture(40, 20))).id))!;

type Bench = { make: VariantMaker; store(project: string, number: number): Promise<StoredFile> };

async function withScaler(scaler: ImageScaler, run: (bench: Bench) => Promise<void>): Promise<void> {
  await using directory = await makeDirectory();
  await using blobs = await openBlobStore({ kind: 'disk', directory: directory.path }, Date.now);
  using staging = await openOwnStaging(path.join(directory.path, 'staging'));
  const store = async (project: string, number: number) => {
    const id = `file000000000000${String(number).padStart(4, '0')}`;
    const file = { ...record, project, id, key: `${id}.png`, sizeBytes: 1 };
    const refuse = () => new Error('more than a byte');
    await using staged = await staging.stage(Readable.from([Buffer.from('x')]), { bytesMax: 1, refuse });
    await blobs.put(blobs.placeOf(nameBlob(file), null), staged, file.mimeType);
    return file;
  };
  await run({
    make: openVariantMaker({ blobs, files, staging, scaler, previews: openPreviewMaker() }),
    store,
  });
}

const codeOf = (making: Promise<unknown>): Promise<string> =>
  making.then(
    () => 'made',
    (error: ServiceError) => error.code,
  );

describe('a failed variant', () => {
  const rows: [string, 'image_undecodable' | 'image_too_large' | 'overloaded' | 'unavailable', number][] = [
    ['is cached when the bytes are invalid', 'image_undecodable', 1],
    ['is cached for too many pixels as well', 'image_too_large', 1],
    ['is not cached when memory is short', 'overloaded', 6],
    ['is not cached when the store is unavailable', 'unavailable', 6],
  ];
  for (const [name, code, expected] of rows) {
    it(name, async () => {
      let decodings = 0;
      const scale = async () => {
        decodings += 1;
        throw new ServiceError(code, 'This is refused.');
      };
      await withScaler({ scale }, async ({ make, store }) => {
        const file = await store('default', 1);
        for (const width of [320, 320, 640, 1920, 320, 640] as const)
          assert.equal(await codeOf(make(file, formOfWidth(width))), code);
        assert.equal(decodings, expected);
        assert.equal(await codeOf(make(await store('other', 1), formOfWidth(320))), code);
        assert.equal(decodings, expected + 1, 'another file is independent');
      });
    });
  }
  it('of a large size says nothing about smaller ones', async () => {
    const asked: string[] = [];
    const scale: ImageScaler['scale'] = async (_, { width, isLarge }) => {
      asked.push(`${width}${isLarge ? ' large' : ''}`);
      if (isLarge) throw new ServiceError('image_undecodable', 'This takes too long.');
      return Buffer.from('picture');
    };
    await withScaler({ scale }, async ({ make, store }) => {
      const file = { ...(await store('default', 1)), width: 2400, height: 20_000 };
      const codes: string[] = [];
      for (const width of [1920, 320, 1920, 640, 1280] as const)
        codes.push(await codeOf(make(file, formOfWidth(width))));
      assert.deepEqual(codes, [
        'image_undecodable',
        'made',
        'image_undecodable',
        'made',
        'image_undecodable',
      ]);
      assert.deepEqual(asked, ['1920 large', '320', '640', '1280 large']);
    });
  });
  it('fails the requests for other widths that wait', async () => {
    const held = Promise.withResolvers<void>();
    let decodings = 0;
    const scale = async () => {
      decodings += 1;
      await held.promise;
      throw new ServiceError('image_undecodable', 'This is refused.');
    };
    await withScaler({ scale }, async ({ make, store }) => {
      const file = await store('default', 1);
      const making = ([320, 640, 960, 1280, 1920] as const).map(width =>
        codeOf(make(file, formOfWidth(width))),
      );
      held.resolve();
      assert.deepEqual(new Set(await Promise.all(making)), new Set(['image_undecodable']));
      assert.equal(decodings, 1);
    });
  });
});

it('a project gets a picture while another one waits for many', async () => {
  const held = Promise.withResolvers<void>();
  let started = 0;
  const scale = async () => {
    started += 1;
    if (started === 1) await held.promise;
    return Buffer.from('picture');
  };
  await withScaler({ scale }, async ({ make, store }) => {
    const many = await Promise.all(Array.from({ length: 30 }, (_, number) => store('greedy', number)));
    const making = Promise.all(many.map(file => codeOf(make(file, formOfWidth(320)))));
    const other = await store('default', 99);
    assert.equal(await codeOf(make(other, formOfWidth(320))), 'made');
    assert.equal(started, 2, 'the other project did not wait, and the greedy one has one slot');
    held.resolve();
    assert.deepEqual(new Set(await making), new Set(['made']));
  });
});

describe('a decoding error', () => {
  const scaler = openSharpScaler();
  after(() => scaler[Symbol.asyncDispose]());
  const smallForm = { width: 320, height: 320, fit: 'inside', format: 'webp', isLarge: false } as const;
  it('in the picture concerns the picture', async () => {
    const torn = Buffer.from(
      await sharp(await makePicture(300, 300))
        .jpeg()
        .toBuffer(),
    );
    torn.fill(0xff, torn.length - 200);
    assert.equal(await codeOf(scaler.scale(Readable.from([torn]), smallForm)), 'image_undecodable');
  });
  it('in the source does not', async () => {
    async function* breakOff() {
      yield (await makePicture(300, 300)).subarray(0, 100);
      throw new Error('the connection to the bucket was reset');
    }
    await assert.rejects(
      scaler.scale(Readable.from(breakOff()), smallForm),
      /connection to the bucket was reset/,
    );
  });
});

it('over HTTP, the second response repeats the first, without reading bytes', async () => {
  const torn = Buffer.from(
    await sharp(await makePicture(300, 300))
      .jpeg()
      .toBuffer(),
  );
  torn.fill(0xff, torn.length - 200);
  const { url } = await uploadFile(service, torn);
  const first = await service.fetch(`${pathOf(url)}?w=320`);
  const said = await first.clone().text();
  assert.equal(await describeRefusal(first), '422 image_undecodable');
  const second = await service.fetch(`${pathOf(url)}?w=640`);
  assert.equal(second.status, 422);
  assert.equal(await second.text(), said);
  assert.equal((await service.fetch(pathOf(url))).status, 200, 'the original stays');
});
