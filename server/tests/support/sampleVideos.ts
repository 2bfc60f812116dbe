/** Makes small videos and sounds with the FFmpeg that the tests install, and broken ones. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const input = (source: string) => ['-f', 'lavfi', '-i', source];
const picture = input('testsrc=size=640x360:rate=10:duration=4');
const sound = input('sine=frequency=440:duration=4');

/** Makes a file; the extension of its name selects the container. */
function makeMedia(directory: string, name: string, ...words: readonly string[]): Buffer {
  const file = path.join(directory, name);
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...words, file]);
  assert.equal(status, 0, String(stderr));
  return readFileSync(file);
}

/** Four seconds of moving picture. */
export function film(directory: string, name: string, ...codec: string[]): Buffer {
  return makeMedia(directory, name, ...picture, ...codec);
}

/** Four seconds of a tone. */
export function recordTone(directory: string, name: string, ...codec: string[]): Buffer {
  return makeMedia(directory, name, ...sound, ...codec);
}

/** Four seconds with a picture and a tone. */
export function filmWithTone(directory: string, name: string): Buffer {
  const codecs = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', '+faststart'];
  return makeMedia(directory, name, ...picture, ...sound, ...codecs);
}

/** Keeps the bytes before `from` and replaces the rest with meaningless ones. */
export function garble(bytes: Buffer, from: number): Buffer {
  const garbled = Buffer.from(bytes);
  for (let at = from; at < garbled.length; at += 1) garbled[at] = (at * 2654435761) >>> 24;
  return garbled;
}

/** Makes a VP8 video's frames claim 16,383 pixels on each side. */
export function enlarge(webm: Buffer): Buffer {
  const enlarged = Buffer.from(webm);
  const keyFrame = Buffer.from([0x9d, 0x01, 0x2a]);
  for (let at = enlarged.indexOf(keyFrame); at >= 0; at = enlarged.indexOf(keyFrame, at + 1))
    enlarged.fill(Buffer.from([0xff, 0x3f, 0xff, 0x3f]), at + 3, at + 7);
  return enlarged;
}
