/** Stills of videos in image formats, made once, and a clear 404 if there is none. `previews.test.ts` has the containers. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import sharp from 'sharp';
import { describeRefusal } from '../support/client.ts';
import { film } from '../support/sampleVideos.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
const directory = await makeDirectory();
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const upload = async (bytes: Uint8Array, fields = {}) =>
  pathOf((await uploadFile(service, bytes, fields)).url);
const request = (at: string, query: string) => service.fetch(`${at}?${query}`);

const mp4 = film(directory.path, 'clip.mp4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
const clip = await upload(mp4);

describe('a still of a video', () => {
  const forms: readonly [string, number, number, string, string][] = [
    ['poster&w=320', 320, 180, 'webp', 'image/webp'],
    ['poster=1&h=320&format=jpeg', 569, 320, 'jpeg', 'image/jpeg'],
    ['poster&w=320&h=320&fit=cover', 320, 320, 'webp', 'image/webp'],
  ];
  for (const [query, width, height, format, type] of forms)
    test(query, async () => {
      const response = await request(clip, query);
      assert.equal(response.headers.get('content-type'), type);
      const facts = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.deepEqual([facts.width, facts.height, facts.format], [width, height, format]);
    });

  test('is not the very first frame, is stored, and has its own etag', async () => {
    const [first, again, whole] = await Promise.all(
      ['poster&w=640', 'poster&w=640', 'download=1'].map(query => request(clip, query)),
    );
    const bytes = await Promise.all([first, again].map(async each => Buffer.from(await each!.arrayBuffer())));
    assert.deepEqual(bytes[0], bytes[1]);
    assert.equal(first!.headers.get('etag'), again!.headers.get('etag'));
    assert.notEqual(first!.headers.get('etag'), whole!.headers.get('etag'));
    assert.equal(Buffer.from(await whole!.arrayBuffer()).equals(mp4), true);
    const range = await service.fetch(`${clip}?poster&w=640`, { headers: { range: 'bytes=0-9' } });
    assert.equal(range.status, 206);
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), bytes[0]!.subarray(0, 10));
  });
});

describe('no still', () => {
  const nothing = 'No still picture can be made of this video.';
  const strange = Buffer.from(mp4);
  strange.write('zzz1', strange.lastIndexOf('avc1'));
  const rows: readonly [string, () => Promise<Uint8Array>, string][] = [
    ['of a picture', () => makePicture(8, 8), 'Only videos have a still picture; this is an image.'],
    ['of a sound', async () => makeSound(), 'Only videos have a still picture; this is a sound.'],
    ['of a video that cannot be decoded', async () => strange, nothing],
  ];
  for (const [name, make, sentence] of rows)
    test(name, async () => {
      const at = await upload(await make());
      for (const _ of ['decoded', 'remembered']) {
        const response = await request(at, 'poster');
        assert.equal(await describeRefusal(response.clone()), '404 not_found');
        // Every refusal has this shape.
        assert.equal(((await response.json()) as { error: string }).error, sentence);
      }
      assert.equal((await service.fetch(at)).status, 200);
    });
});
