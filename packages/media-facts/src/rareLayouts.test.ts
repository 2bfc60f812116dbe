/** Valid layouts that the available encoders don't write, built by hand or from their files. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  audioFrames,
  bigEndian,
  exifOrientation,
  id3Tag,
  joinBytes,
  pngChunk,
  pngFile,
  pngHeader,
  pngSignature,
  riffChunk,
  riffFile,
  rotateTracks,
  wavFormat,
} from '../samples/containers.ts';
import { makeSamples } from '../samples/generator.ts';
import { openBuffer } from '../samples/sources.ts';
import { identifyMedia } from './identification.ts';

type Row = readonly [name: string, make: () => Buffer, expected: string];

let samples: Map<string, Buffer>;

before(async () => {
  samples = await makeSamples([
    { file: 'late.mp4', make: '-an -movflags +use_metadata_tags' },
    { file: 'early.mp4', make: '-an -movflags +faststart' },
    { file: 'late.mov', make: '-an' },
    { file: 'still.jpg', make: '-frames:v 1 -an' },
    { file: 'still.webp', make: '-frames:v 1 -an' },
    { file: 'plain.mp3', make: '-vn -id3v2_version 0' },
    { file: 'vorbis.ogg', make: '-vn -c:a libvorbis' },
    { file: 'plain.vob', make: '-r 25 -an -f vob' },
  ]);
});

function sample(file: string): Buffer {
  const bytes = samples.get(file);
  assert.ok(bytes, file);
  return bytes;
}

/** Turns the `free` box that ffmpeg leaves before `mdat` into a 64-bit size. */
function lengthenMediaData(movie: Buffer): Buffer {
  const long = Buffer.from(movie);
  const at = long.indexOf('mdat') - 4;
  assert.equal(long.toString('latin1', at - 4, at), 'free');
  const sizeBytes = long.readUInt32BE(at) + 8;
  joinBytes(bigEndian(1, 4), 'mdat', bigEndian(sizeBytes, 8)).copy(long, at - 8);
  return long;
}

function rewrite(bytes: Buffer, from: string, to: Buffer | string): Buffer {
  const changed = Buffer.from(bytes);
  const at = changed.indexOf(from);
  assert.notEqual(at, -1, from);
  Buffer.from(to).copy(changed, at);
  return changed;
}

/** Sets the size of the last box, `mdat`, to 0, which means to the end of the file. */
function openMediaData(movie: Buffer): Buffer {
  const open = Buffer.from(movie);
  open.writeUInt32BE(0, open.indexOf('mdat') - 4);
  return open;
}

const rows: readonly Row[] = [
  ['MP4 with a 64-bit size', () => lengthenMediaData(sample('late.mp4')), 'video/mp4 64x48 1'],
  ['MP4 whose last box extends to the end', () => openMediaData(sample('early.mp4')), 'video/mp4 64x48 1'],
  ['MP4 rotated by 90 degrees', () => rotateTracks(sample('late.mp4')), 'video/mp4 48x64 1'],
  ['MOV rotated by 90 degrees', () => rotateTracks(sample('late.mov')), 'video/quicktime 48x64 1'],
  ['MOV without a brand', () => rewrite(sample('late.mov'), 'ftyp', 'wide'), 'video/quicktime 64x48 1'],
  ['MP4 from a phone', () => rewrite(sample('late.mp4'), 'ftypisom', 'ftypmp42'), 'video/mp4 64x48 1'],
  [
    'QuickTime by its brand',
    () => rewrite(sample('late.mp4'), 'ftypisom', 'ftypqt  '),
    'video/quicktime 64x48 1',
  ],
  [
    'MP3 after a tag of 600 KB',
    () => joinBytes(id3Tag(Buffer.alloc(6e5, 0xff)), sample('plain.mp3')),
    'audio/mpeg - 1.045',
  ],
  [
    'MP3 after two tags and zeros',
    () =>
      joinBytes(id3Tag(Buffer.alloc(9)), id3Tag(Buffer.alloc(9)), Buffer.alloc(3000), sample('plain.mp3')),
    'audio/mpeg - 1.045',
  ],
  ['MP3 in the free format', () => audioFrames('fffb00c0', 1500, 20), 'audio/mpeg - 0.522'],
  ['MPEG audio, layer I', () => audioFrames('ffff80c0', 4 * 69, 20), 'audio/mpeg - 0.174'],
  ['MP3 of one frame', () => audioFrames('fffb90c0', 417, 1), 'audio/mpeg - 0.026'],
  [
    'MP3 of one frame and a tag',
    () => joinBytes(audioFrames('fffb90c0', 417, 1), 'TAG', Buffer.alloc(125)),
    'audio/mpeg - 0.026',
  ],
  ['PNG with EXIF', () => pngFile(4, 2, pngChunk('eXIf', exifOrientation(6, 'MM'))), 'image/png 2x4 -'],
  [
    'PNG with EXIF in the other byte order',
    () => pngFile(4, 2, pngChunk('eXIf', exifOrientation(8, 'II'))),
    'image/png 2x4 -',
  ],
  ['PNG with 1 MB of text', () => pngFile(4, 2, pngChunk('tEXt', Buffer.alloc(1e6, 'a'))), 'image/png 4x2 -'],
  [
    'PNG whose animation has no frames',
    () => pngFile(4, 2, pngChunk('acTL', Buffer.alloc(8))),
    'image/png 4x2 -',
  ],
  ['APNG of one frame', () => pngFile(4, 2, pngChunk('acTL', bigEndian(1n << 32n, 8))), 'image/apng 4x2 -'],
  [
    'PNG that announces its animation late',
    () => joinBytes(pngFile(4, 2).subarray(0, -12), pngChunk('acTL', bigEndian(1n << 32n, 8))),
    'image/png 4x2 -',
  ],
  [
    'JPEG with ten large segments',
    () =>
      joinBytes(
        [0xff, 0xd8],
        ...Array<Buffer>(10).fill(joinBytes([0xff, 0xff, 0xe2, 0xff, 0xff], Buffer.alloc(65_533))),
        sample('still.jpg').subarray(2),
      ),
    'image/jpeg 64x48 -',
  ],
  [
    'JPEG with EXIF',
    () =>
      joinBytes(
        [0xff, 0xd8, 0xff, 0xe1],
        bigEndian(34, 2),
        'Exif\0\0',
        exifOrientation(6, 'II'),
        sample('still.jpg').subarray(2),
      ),
    'image/jpeg 48x64 -',
  ],
  [
    'GIF of 1987',
    () => Buffer.from('R0lGODdhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=', 'base64'),
    'image/gif 1x1 -',
  ],
  ['GIF of 26 bytes', () => Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACADs=', 'base64'), 'image/gif 1x1 -'],
  [
    'WAV of a stream',
    () =>
      joinBytes('RIFF\xff\xff\xff\xffWAVE', wavFormat(), riffChunk('data', Buffer.alloc(16_000), 0xffffffff)),
    'audio/wav - 1',
  ],
  [
    'unfinished WAV',
    () => joinBytes('RIFF\0\0\0\0WAVE', wavFormat(), riffChunk('data', Buffer.alloc(8000), 0)),
    'audio/wav - 0.5',
  ],
  [
    'WAV with lists before its samples',
    () =>
      riffFile(
        'WAVE',
        riffChunk('LIST', 'INFOISFT'),
        riffChunk('junk', 'odd'),
        wavFormat(),
        riffChunk('LIST', 'x'),
        riffChunk('data', Buffer.alloc(1600)),
      ),
    'audio/wav - 0.1',
  ],
  [
    'WAV cut in half',
    () => riffFile('WAVE', wavFormat(), riffChunk('data', Buffer.alloc(16_000), 32_000)),
    'audio/wav - 1',
  ],
  ['two Ogg files chained', () => joinBytes(sample('vorbis.ogg'), sample('vorbis.ogg')), 'audio/ogg - 1'],
  [
    'program stream after zeros',
    () =>
      joinBytes(sample('plain.vob').subarray(0, 14), Buffer.alloc(2324), sample('plain.vob').subarray(14)),
    'video/mpeg 64x48 0.76',
  ],
  [
    'PNG with unknown chunks',
    () => joinBytes(pngSignature, pngHeader(1, 1), pngChunk('teSt', 'x'), pngFile(1, 1).subarray(33)),
    'image/png 1x1 -',
  ],
];

for (const [name, make, expected] of rows) {
  test(`${name}: ${expected}`, async () => {
    const answer = await identifyMedia(openBuffer(make())).then(
      ({ mimeType, width, height, durationSeconds }) =>
        `${mimeType} ${width === undefined ? '-' : `${width}x${height}`} ${durationSeconds ?? '-'}`,
      (error: unknown) => (error instanceof Error && 'code' in error ? 'refused' : String(error)),
    );
    assert.equal(answer, expected);
  });
}
