/** Every version of the API accepts or refuses the same bytes alike. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getFile, UploadResponse } from '@tapedeck/contract/files';
import { mediaTypes } from '@tapedeck/domain/vocabulary';
import {
  type HostileFile,
  hostileMovies,
  hostilePictures,
  hostileSound,
  hostileStreams,
  makeSamples,
  noMedia,
  nothing,
  type SampleRecipe,
  smallPng,
  smallWav,
} from '@tapedeck/media-facts/samples';
import { withToken } from '../../../tests/support/client.ts';
import { readAs, summariseAnswer } from '../../../tests/support/jsonAnswers.ts';
import { addPerson, addToken } from '../../../tests/support/people.ts';
import { startTestService } from '../../../tests/support/service.ts';
import { UploadResponseV2 } from './contract.ts';

const hostileBytes = 128 * 1024; // enough of the pattern; another test covers all of it
const recipes: readonly SampleRecipe[] = [
  { file: 'animated.apng', make: '-an' },
  { file: 'still.jpg', make: '-frames:v 1 -an' },
  { file: 'animated.gif', make: '-an' },
  { file: 'lossy.webp', make: '-frames:v 1 -an' },
  { file: 'sound.mp3', make: '-vn' },
  { file: 'layer2.mp2', make: '-vn' },
  { file: 'vorbis.ogg', make: '-vn -c:a libvorbis' },
  { file: 'theora.ogv', make: '-an' },
  { file: 'opus.weba', make: '-vn -c:a libopus -f webm' },
  { file: 'vp8.webm', make: '-c:v libvpx' },
  { file: 'h264.mp4', make: '' },
  { file: 'h264.mov', make: '' },
  { file: 'h264.mkv', make: '' },
  { file: 'mpeg1.mpg', make: '-r 25' },
  { file: 'sound.m4a', make: '-vn' },
  { file: 'sound.mka', make: '-vn' },
  { file: 'sound.flac', make: '-vn' },
  { file: 'sound.mp4', make: '-vn' },
  { file: 'broadcast.ts', make: '-c:v mpeg2video -r 25 -f mpegts' },
  { file: 'sound.aac', make: '-vn' },
  { file: 'phone.3gp', make: '-an -c:v libx264' },
  { file: 'movie.avi', make: '' },
  { file: 'still.bmp', make: '-an -frames:v 1' },
];

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }));
const media = withToken(service, token);

const samples: readonly [string, Buffer][] = [
  ...(await makeSamples(recipes)),
  ['a small PNG', smallPng],
  ['a small WAV', smallWav],
  ['a text', noMedia],
  ['nothing', nothing],
  ['a truncated PNG', smallPng.subarray(0, 20)],
  ['a PNG with trailing bytes', Buffer.concat([smallPng, Buffer.from('tail')])],
  ...[...hostilePictures, ...hostileSound, ...hostileMovies, ...hostileStreams].map(fill),
];

function fill({ name, head, pattern, tail = nothing }: HostileFile): [string, Buffer] {
  if (pattern === undefined) return [name, head];
  const patternBytes = Math.max(0, hostileBytes - head.length - tail.length);
  return [name, Buffer.concat([head, Buffer.alloc(patternBytes, pattern), tail])];
}

function send(path: string, bytes: Buffer): Promise<Response> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(bytes)]), 'sample.bin');
  return service.fetch(path, { method: 'POST', headers: { authorization: token }, body });
}

/** Returns the stored facts of a file, except those that always differ. */
async function describeFile(id: string) {
  const { data } = await media.call(getFile, { params: { file: id } });
  const { type, mimeType, size, filename, path, metadata, width, height, durationSeconds } = data;
  return { type, mimeType, size, filename, path, metadata, width, height, durationSeconds };
}

describe('V2 and V3 agree', { concurrency: 8 }, () => {
  for (const [name, bytes] of samples) {
    it(`on ${name}`, async () => {
      const newest = await send('/api/v3/file', bytes);
      if (!newest.ok) {
        const verdict = await summariseAnswer(newest);
        for (const type of mediaTypes)
          assert.equal(await summariseAnswer(await send(`/api/v2/${type}`, bytes)), verdict, type);
        return;
      }
      const expected = await describeFile((await readAs(UploadResponse, newest)).data.id);
      for (const type of mediaTypes) {
        const response = await send(`/api/v2/${type}`, bytes);
        if (type !== expected.type) {
          assert.equal(await summariseAnswer(response), '415 unsupported_media', type);
          continue;
        }
        const { id } = await readAs(UploadResponseV2, response);
        assert.deepEqual(await describeFile(id), expected);
      }
    });
  }
});
