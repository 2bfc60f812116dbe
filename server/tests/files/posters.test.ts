/** Stills of videos: made once by the machine's FFmpeg, in the forms of pictures, and a clear 404 where there is none. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import sharp from 'sharp';
import { describeRefusal } from '../support/client.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
const directory = await makeDirectory();
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** Four seconds of a moving picture. */
async function film(name: string, ...codec: string[]): Promise<Buffer> {
  const file = path.join(directory.path, name);
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=10:duration=4'];
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...codec, file]);
  assert.equal(status, 0, String(stderr));
  return await readFile(file);
}

const upload = async (bytes: Uint8Array, fields = {}) =>
  pathOf((await uploadFile(service, bytes, fields)).url);
const ask = (at: string, query: string) => service.fetch(`${at}?${query}`);

const mp4 = await film('clip.mp4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
const clip = await upload(mp4);

describe('a still of a video', () => {
  const containers: readonly [string, ...string[]][] = [
    ['clip.mp4', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
    ['clip.mov', '-c:v', 'mpeg4'],
    ['clip.webm', '-c:v', 'libvpx', '-deadline', 'realtime'],
    ['clip.mkv', '-c:v', 'mpeg4'],
    ['clip.ogv', '-c:v', 'libtheora'],
    ['clip.mpg', '-r', '25', '-c:v', 'mpeg2video'],
  ];
  for (const [name, ...codec] of containers)
    test(`in ${name}`, async () => {
      const response = await ask(await upload(await film(name, ...codec)), 'poster');
      assert.equal(response.status, 200, await response.clone().text());
      assert.equal(response.headers.get('content-type'), 'image/webp');
      const { width, height, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.deepEqual([width, height, format], [640, 360, 'webp']);
    });

  const forms: readonly [string, number, number, string, string][] = [
    ['poster&w=320', 320, 180, 'webp', 'image/webp'],
    ['poster=1&h=320&format=jpeg', 569, 320, 'jpeg', 'image/jpeg'],
    ['poster&w=320&h=320&fit=cover', 320, 320, 'webp', 'image/webp'],
  ];
  for (const [query, width, height, format, type] of forms)
    test(query, async () => {
      const response = await ask(clip, query);
      assert.equal(response.headers.get('content-type'), type);
      const facts = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      assert.deepEqual([facts.width, facts.height, facts.format], [width, height, format]);
    });

  test('is no picture of the very beginning, is kept, and has an etag of its own', async () => {
    const [first, again, whole] = await Promise.all(
      ['poster&w=640', 'poster&w=640', 'download=1'].map(query => ask(clip, query)),
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

describe('there is none', () => {
  const nothing = 'No still picture can be made of this video.';
  const strange = Buffer.from(mp4);
  strange.write('zzz1', strange.lastIndexOf('avc1'));
  const rows: readonly [string, () => Promise<Uint8Array>, string][] = [
    ['of a picture', () => makePicture(8, 8), 'Only videos have a still picture; this is an image.'],
    ['of a sound', async () => makeSound(), 'Only videos have a still picture; this is a sound.'],
    ['of a video that nothing decodes', async () => strange, nothing],
  ];
  for (const [name, make, sentence] of rows)
    test(name, async () => {
      const at = await upload(await make());
      for (const _ of ['decoded', 'remembered']) {
        const response = await ask(at, 'poster');
        assert.equal(await describeRefusal(response.clone()), '404 not_found');
        // The form of every refusal.
        assert.equal(((await response.json()) as { error: string }).error, sentence);
      }
      assert.equal((await service.fetch(at)).status, 200);
    });
});

test('a still goes with its video', async () => {
  const { id, url } = await uploadFile(service, mp4);
  assert.equal((await ask(pathOf(url), 'poster&w=320')).status, 200);
  const listStills = async () =>
    (await readdir(service.dataDir, { recursive: true })).filter(
      name => name.includes(id) && name.includes('poster'),
    );
  assert.equal((await listStills()).length, 1);
  const headers = { authorization: mediaToken };
  const deleted = await service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers });
  assert.equal(deleted.status, 200);
  assert.deepEqual(await listStills(), []);
});

test('of a private video there is one for a signed link alone', async () => {
  const { id, url } = await uploadFile(service, mp4, { visibility: 'private' });
  assert.equal((await ask(pathOf(url), 'poster')).status, 404);
  const headers = { authorization: mediaToken, 'content-type': 'application/json' };
  const linked = await service.fetch(`/api/v3/file/${id}/link`, { method: 'POST', headers, body: '{}' });
  // As the contract says.
  const { data } = (await linked.json()) as { data: { url: string } };
  const { pathname, search } = new URL(data.url);
  const response = await service.fetch(`${pathname}${search}&poster&w=320`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-cache');
});
