/** Tests that a refusal says what the file is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isoBox,
  joinBytes,
  pngHeader,
  pngSignature,
  riffChunk,
  riffFile,
  wavFormat,
} from '../samples/containers.ts';
import { openBuffer } from '../samples/sources.ts';
import { containers } from './containers.ts';
import { identifyMedia, sniffMedia } from './identification.ts';
import { describeBeginning } from './refusedFiles.ts';

const cutWav = riffFile('WAVE', wavFormat(), riffChunk('data', Buffer.alloc(1000))).subarray(0, -1000);
const filler = Buffer.alloc(64, 'A');

const found: readonly (readonly [name: string, bytes: Buffer, finding: string])[] = [
  ['nothing', Buffer.alloc(0), 'The file is empty.'],
  ['words', Buffer.from('player joined the server'), 'This file begins with text.'],
  ['text that begins like a picture', Buffer.from('BMW and others, sold'), 'This file begins with text.'],
  ['HTML', Buffer.from('<!DOCTYPE html><html>'), 'This file begins with text.'],
  ['PDF', Buffer.from('%PDF-1.7\n1 0 obj'), 'This file is a PDF, which is not accepted.'],
  ['FLAC', joinBytes('fLaC', filler), 'This file is a FLAC file, which is not accepted.'],
  ['M4A', isoBox('ftyp', Buffer.from('M4A \0\0\0\0')), 'This file is an M4A sound, which is not accepted.'],
  ['zeros', Buffer.alloc(64), 'This file does not begin like any accepted format.'],
  [
    'a PNG without rows',
    joinBytes(pngSignature, pngHeader(4, 2)),
    'This file begins like PNG or APNG, but no picture of an accepted kind was found in it; it may be cut off or damaged.',
  ],
  [
    'a movie without tracks',
    joinBytes(isoBox('ftyp', Buffer.from('isom\0\0\0\0')), isoBox('moov', Buffer.alloc(0))),
    'This file begins like MP4 or MOV, but no video of an accepted kind was found in it; it may be cut off or damaged.',
  ],
  [
    'a WAV without sound',
    riffFile('WAVE', wavFormat(), riffChunk('data', '')),
    'This WAV holds no sound: its data chunk is empty.',
  ],
  [
    'a WAV that ends after its header',
    cutWav,
    'This WAV is cut off: its header promises 1000 bytes of sound, and 0 follow.',
  ],
  [
    'a WAV with only a format',
    riffFile('WAVE', wavFormat()),
    'This WAV has no data chunk, so it holds no sound.',
  ],
  [
    'a WAV without a format',
    riffFile('WAVE', riffChunk('data', filler)),
    'This WAV has no format chunk before its sound.',
  ],
  [
    'a WAV with a broken format',
    riffFile('WAVE', wavFormat(0), riffChunk('data', filler)),
    'The format chunk of this WAV is broken.',
  ],
];

for (const [name, bytes, finding] of found)
  test(`${name}: ${finding}`, async () => {
    const isFound = ({ message }: Error) => {
      assert.equal(message.slice(0, message.indexOf(' Send an image (')), finding);
      return true;
    };
    await assert.rejects(identifyMedia(openBuffer(bytes)), isFound);
  });

test('the first bytes alone give the same reason for a file of no accepted format', () => {
  assert.throws(
    () => sniffMedia(Buffer.from('%PDF-1.7\n1 0 obj')),
    /^UnsupportedMedia: This file is a PDF, /,
  );
});

test('no accepted format is described as one that is not accepted', () => {
  for (const { signature } of Object.values(containers).flat())
    for (const letters of signature.letters) {
      const head = Buffer.from('\0'.repeat(signature.offset) + letters, 'latin1');
      assert.doesNotMatch(describeBeginning(head), /not accepted/, `remove ${letters} from refusedFiles.ts`);
    }
});
