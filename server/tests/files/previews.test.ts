/** Previews of videos and sounds, with FFmpeg on the machine and without: the same results, from good bytes and hostile ones. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { describeRefusal } from '../support/client.ts';
import { observeAnswer } from '../support/observedErrors.ts';
import { enlarge, film, filmWithTone, garble, recordTone } from '../support/sampleVideos.ts';
import { makeDirectory } from '../support/service.ts';
import { makeSmallDisk } from '../support/smallDisk.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  uploadFile,
} from '../support/uploading.ts';

const lookMs = 5; // a decoder takes many times as long; polling without a pause would use as much CPU as all decoders

await using opened = new AsyncDisposableStack();
const { path: directory } = opened.use(await makeDirectory());

/** Starts a service in a process with a separate folder for temporary files. */
async function serve(environment: Record<string, string>) {
  const dataDir = opened.use(await makeDirectory()).path;
  const temporary = opened.use(await makeDirectory()).path;
  const options = { TAPEDECK_DATA_DIR: dataDir, TMPDIR: temporary, ...mediaEnvironment, ...environment };
  return { ...connect(opened.use(await startProcess(options))), dataDir, temporary };
}

function connect({ url, child }: ServiceProcess) {
  const fetchFrom = async (at: string, init?: RequestInit) => {
    const response = await fetch(new URL(at, url), init);
    await observeAnswer(init?.method ?? 'GET', at, response);
    return response;
  };
  const service = { fetch: fetchFrom };
  const upload = async (bytes: Uint8Array, fields = {}) =>
    pathOf((await uploadFile(service, bytes, fields)).url);
  const countDecoders = async () => {
    const list = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    const commands = list
      .split(' ')
      .filter(Boolean)
      .map(id => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
    return (await Promise.all(commands)).filter(line => /ffmpeg|decoder/.test(line)).length;
  };
  return {
    service,
    upload,
    countDecoders,
    ask: (at: string, query: string) => service.fetch(`${at}?${query}`),
  };
}

const machines = [
  ['with FFmpeg', await serve({})],
  ['without FFmpeg', await serve({ PATH: directory })],
] as const;
const movable = opened.move();
after(() => movable.disposeAsync());

const h264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'];
const mp4 = film(directory, 'clip.mp4', ...h264);
const soon = ['-deadline', 'realtime', '-cpu-used', '8']; // encodes in a fifth of the time
const webm = film(directory, 'clip.webm', '-c:v', 'libvpx', ...soon);
const withTone = filmWithTone(directory, 'tone.mp4');

async function readPicture(response: Response) {
  assert.equal(response.status, 200, await response.clone().text());
  const bytes = Buffer.from(await response.arrayBuffer());
  const { width, height, format } = await sharp(bytes).metadata();
  return { bytes, facts: [width, height, format, response.headers.get('content-type')] };
}

const stills: readonly [string, string, readonly unknown[]][] = [
  ['a still', 'poster', [640, 360, 'webp', 'image/webp']],
  ['a small still', 'poster&w=320&format=jpeg', [320, 180, 'jpeg', 'image/jpeg']],
  ['four stills', 'strip', [1920, 270, 'webp', 'image/webp']],
  ['four small stills', 'strip&w=640&format=jpeg', [640, 90, 'jpeg', 'image/jpeg']],
];

const containers: readonly [string, Buffer][] = [
  ['MP4', mp4],
  ['QuickTime', film(directory, 'clip.mov', '-c:v', 'mpeg4')],
  ['WebM with VP8', webm],
  ['WebM with VP9', film(directory, 'vp9.webm', '-c:v', 'libvpx-vp9', ...soon)],
  ['Matroska', film(directory, 'clip.mkv', '-c:v', 'mpeg4')],
  ['OGG', film(directory, 'clip.ogv', '-c:v', 'libtheora')],
  ['MPEG', film(directory, 'clip.mpg', '-r', '25', '-c:v', 'mpeg2video')],
];

const sounds: readonly [string, Buffer][] = [
  ['MP3', recordTone(directory, 'tone.mp3')],
  ['MP2', recordTone(directory, 'tone.mp2')],
  ['WAV', makeSound({ seconds: 3, tone: 40 })],
  ['OGG with Opus', recordTone(directory, 'tone.ogg', '-c:a', 'libopus')],
  ['OGG with Vorbis', recordTone(directory, 'vorbis.ogg', '-c:a', 'libvorbis')],
  ['WebM', recordTone(directory, 'tone.webm', '-c:a', 'libopus')],
  ['a video', withTone],
];

const hostile: readonly [string, Buffer][] = [
  ['a truncated video', mp4.subarray(0, mp4.length / 3)],
  ['a video of random bytes', garble(mp4, mp4.indexOf('mdat') + 64)],
  ['a video that claims huge frames', enlarge(webm)],
  ['a truncated sound', sounds[0]![1].subarray(0, 2000)],
  ['a sound of random bytes', garble(sounds[0]![1], sounds[0]![1].length / 2)],
];

const none: readonly [string, () => Promise<Uint8Array>, string, string][] = [
  [
    'a strip of a picture',
    () => makePicture(8, 8),
    'strip',
    '404 Only videos have a strip of stills; this is an image.',
  ],
  [
    'a strip of a sound',
    async () => makeSound(),
    'strip',
    '404 Only videos have a strip of stills; this is a sound.',
  ],
  [
    'a waveform of a picture',
    () => makePicture(8, 8),
    'waveform',
    '404 Only sounds and videos have a waveform; this is an image.',
  ],
  ['a waveform of a silent film', async () => mp4, 'waveform', '404 No waveform can be made of this video.'],
  ['two at once', async () => mp4, 'poster&waveform', '400 Ask for poster or waveform, not for both.'],
  [
    'a strip by its height',
    async () => mp4,
    'strip&h=320',
    '400 A strip takes w and format only; leave h out.',
  ],
  [
    'a waveform resized to fit',
    async () => mp4,
    'waveform&w=320&fit=cover',
    '400 A waveform takes w and format only; leave fit out.',
  ],
];

for (const [name, machine] of machines)
  describe(`on a machine ${name}`, () => {
    const { upload, ask, temporary, countDecoders } = machine;

    for (const [what, query, facts] of stills)
      test(what, async () => {
        assert.deepEqual((await readPicture(await ask(await upload(mp4), query))).facts, facts);
      });

    for (const [container, bytes] of containers)
      test(`a still of ${container} shows the video`, async () => {
        const { bytes: still, facts } = await readPicture(await ask(await upload(bytes), 'poster'));
        assert.deepEqual(facts, [640, 360, 'webp', 'image/webp']);
        const { channels } = await sharp(still).stats();
        assert.ok(
          channels.every(({ stdev }) => stdev > 40),
          'a test picture has all colours',
        );
      });

    for (const [container, bytes] of sounds)
      test(`a waveform of ${container}`, async () => {
        const { facts, bytes: waveform } = await readPicture(
          await ask(await upload(bytes), 'waveform&w=960'),
        );
        assert.deepEqual(facts, [960, 192, 'webp', 'image/webp']);
        const { channels } = await sharp(waveform).stats();
        const shown = channels[3]!.mean;
        assert.ok(shown > 10 && shown < 250, `bars on a transparent background, ${shown} of 255`);
      });

    for (const [what, bytes] of hostile)
      test(`${what} crashes nothing`, async () => {
        const at = await upload(bytes);
        for (const query of ['poster', 'strip', 'waveform']) {
          const response = await ask(at, query);
          assert.match(`${query} ${response.status}`, / (?:200|404)$/);
          await response.arrayBuffer();
        }
        assert.deepEqual(Buffer.from(await (await machine.service.fetch(at)).arrayBuffer()), bytes);
        // The file by which commands find the service stays.
        assert.deepEqual(await readdir(temporary), [`tapedeck-${process.getuid?.()}`]);
        assert.equal(await countDecoders(), 0);
      });

    for (const [what, make, query, refusal] of none)
      test(`rejects ${what}`, async () => {
        const response = await ask(await upload(await make()), query);
        // Every refusal has this shape.
        const { error } = (await response.json()) as { error: string };
        assert.equal(`${response.status} ${error}`, refusal);
      });

    test('a video without sound has a still, even after its waveform was refused', async () => {
      const at = await upload(mp4);
      assert.equal((await ask(at, 'waveform')).status, 404);
      assert.equal((await ask(at, 'poster')).status, 200);
    });

    test('runs one decoder at a time per project', async () => {
      const clips = await Promise.all(Array.from({ length: 5 }, () => upload(withTone)));
      let isOver = false;
      let most = 0;
      const asking = Promise.all(clips.flatMap(at => [ask(at, 'poster'), ask(at, 'waveform')])).finally(
        () => {
          isOver = true;
        },
      );
      while (!isOver) {
        most = Math.max(most, await countDecoders());
        await wait(lookMs);
      }
      for (const response of await asking) assert.equal(response.status, 200);
      assert.equal(most, 1);
    });

    test('previews of a private file need a signed link', async () => {
      const { id, url } = await uploadFile(machine.service, withTone, { visibility: 'private' });
      const headers = { authorization: mediaToken, 'content-type': 'application/json' };
      const linked = await machine.service.fetch(`/api/v3/file/${id}/link`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      // The contract's shape.
      const { data } = (await linked.json()) as { data: { url: string } };
      const { pathname, search } = new URL(data.url);
      for (const query of ['poster&w=320', 'strip&w=320', 'waveform&w=320']) {
        assert.equal(await describeRefusal(await ask(pathOf(url), query)), '404 not_found');
        const response = await machine.service.fetch(`${pathname}${search}&${query}`);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('cache-control'), 'private, no-cache');
        // Variants made for the link are only readable through it.
        assert.equal(await describeRefusal(await ask(pathOf(url), query)), '404 not_found');
      }
    });

    test('deletes previews with their file', async () => {
      const { id, url } = await uploadFile(machine.service, withTone);
      for (const query of ['poster', 'strip', 'waveform'])
        assert.equal((await ask(pathOf(url), query)).status, 200);
      const list = async () =>
        (await readdir(machine.dataDir, { recursive: true })).filter(file =>
          path.basename(file).startsWith(id),
        );
      assert.equal((await list()).length, 4);
      const headers = { authorization: mediaToken };
      assert.equal(
        (await machine.service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers })).status,
        200,
      );
      assert.deepEqual(await list(), []);
    });
  });

test('reports a full temporary folder, and makes the still once there is space', async () => {
  await using disk = await makeSmallDisk(4);
  await using dataDir = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: dataDir.path, TMPDIR: disk.path, ...mediaEnvironment };
  await using full = await startProcess(environment, disk.launcher);
  const { upload, ask } = connect(full);
  const at = await upload(mp4);
  await disk.fill(full.child.pid!);
  for (const query of ['poster', 'waveform']) {
    const response = await ask(at, query);
    assert.equal(await describeRefusal(response.clone()), '507 disk_full');
    assert.match(await response.text(), /The folder for temporary files is full/);
  }
  assert.equal((await ask(at, 'download=1')).status, 200);
  await disk.makeRoom(full.child.pid!);
  assert.equal((await ask(at, 'poster')).status, 200);
});
