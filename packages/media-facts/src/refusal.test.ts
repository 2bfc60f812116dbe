/** Tests that other formats from real encoders are refused, and so are files that only begin like an accepted one. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import {
  audioFrames,
  bigEndian,
  ebml,
  ebmlHead,
  ebmlTrack,
  id3Tag,
  isoBox,
  joinBytes,
  oggPage,
  pngChunk,
  pngFile,
  pngHeader,
  pngSignature,
  riffChunk,
  riffFile,
  wavFormat,
} from '../samples/containers.ts';
import { makeSamples, type SampleRecipe } from '../samples/generator.ts';
import { openBuffer } from '../samples/sources.ts';
import { identifyMedia, sniffMedia, UnsupportedMedia } from './identification.ts';

type Forgery = readonly [name: string, make: () => Buffer];

const foreign: readonly SampleRecipe[] = [
  { file: 'sound.m4a', make: '-vn' },
  { file: 'book.m4b', make: '-vn -f ipod' },
  { file: 'bare.aac', make: '-vn' },
  { file: 'sound.mka', make: '-vn' },
  { file: 'sound.mkv', make: '-vn -c:a libmp3lame' },
  { file: 'broadcast.ts', make: '-c:v mpeg2video -r 25 -f mpegts' },
  { file: 'disc.m2ts', make: '-c:v mpeg2video -r 25 -f mpegts -mpegts_m2ts_mode 1' },
  { file: 'phone.3gp', make: '-an -r 25 -s 176x144 -c:v h263' },
  { file: 'phone264.3gp', make: '-an -c:v libx264' },
  { file: 'phone.3g2', make: '-an -c:v mpeg4' },
  { file: 'sound.flac', make: '-vn' },
  { file: 'sound.mp4', make: '-vn' },
  { file: 'sound.mov', make: '-vn' },
  { file: 'sound.mpg', make: '-vn -f mpeg' },
  { file: 'still.avif', make: '-an -frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8' },
  { file: 'still.bmp', make: '-an -frames:v 1' },
  { file: 'still.tiff', make: '-an -frames:v 1' },
  { file: 'still.jp2', make: '-an -frames:v 1' },
  { file: 'still.jls', make: '-an -frames:v 1 -pix_fmt gray' },
  { file: 'still.jxl', make: '-an -frames:v 1' },
  { file: 'icon.ico', make: '-an -frames:v 1 -s 32x32' },
  { file: 'still.ppm', make: '-an -frames:v 1' },
  { file: 'movie.avi', make: '' },
  { file: 'movie.flv', make: '-c:v flv' },
  { file: 'movie.wmv', make: '' },
  { file: 'movie.swf', make: '-c:v flv' },
  { file: 'sound.w64', make: '-vn' },
  { file: 'sound.aiff', make: '-vn' },
  { file: 'sound.au', make: '-vn' },
  { file: 'sound.caf', make: '-vn' },
  { file: 'sound.ac3', make: '-vn' },
  { file: 'sound.wv', make: '-vn' },
  { file: 'bare.h264', make: '-an' },
  { file: 'bare.hevc', make: '-an -c:v libx265 -x265-params log-level=none' },
  { file: 'bare.m4v', make: '-an -c:v mpeg4 -f m4v' },
  { file: 'bare.ivf', make: '-an -c:v libvpx' },
  { file: 'bare.y4m', make: '-an' },
  { file: 'parts.mjpeg', make: '-an -f mpjpeg' },
];

const page = '<!DOCTYPE html><html><script>alert(document.domain)</script></html>';
const subtitles = ebmlTrack(1, 17);
const block = ebml('simpleBlock', joinBytes([0x81, 0, 0, 0x80], 'frame'));
const filler = Buffer.alloc(2000, 'A');
const fourHeadersOfJpeg = 'ffd8ffe000104a46494600010100000100010000';

const forgeries: readonly Forgery[] = [
  ['nothing', () => Buffer.alloc(0)],
  ['one byte', () => Buffer.from('G')],
  ['text', () => Buffer.from('just some words\n'.repeat(100))],
  ['text in UTF-16', () => Buffer.from(`\ufeff${'words in two bytes each '.repeat(80)}`, 'utf16le')],
  ['HTML', () => Buffer.from(page)],
  ['SVG', () => Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['PDF', () => Buffer.from(`%PDF-1.7\n${'1 0 obj\n'.repeat(50)}`)],
  ['ZIP', () => joinBytes('PK\x03\x04', filler)],
  ['gzip', () => gzipSync(page)],
  ['ELF', () => joinBytes('\x7fELF\x02\x01\x01', filler)],
  ['zeros', () => Buffer.alloc(5000)],
  ['PDF before a picture', () => joinBytes('%PDF-1.7\n', pngFile(2, 2))],
  ['HTML before a picture', () => joinBytes(page, pngFile(2, 2))],
  ['HTML before sound', () => joinBytes(page, audioFrames('fffb90c0', 417, 20))],
  ['GIF and text', () => joinBytes('GIF89a', filler)],
  ['GIF and a script', () => Buffer.from(`GIF89a/*${' '.repeat(20)}*/=1;alert(1)//`)],
  ['GIF without a picture', () => Buffer.from('R0lGODlhAQABAAAAADs=', 'base64')],
  [
    'GIF with impossible codes',
    () => Buffer.from('R0lGODdhAQABAIAAAP///////ywAAAAAAQABAAACAv//ADs=', 'base64'),
  ],
  ['PNG signature and HTML', () => joinBytes(pngSignature, page)],
  ['PNG without width', () => joinBytes(pngSignature, pngHeader(0, 5), pngFile(1, 1).subarray(33))],
  [
    'PNG with a wrong checksum',
    () => joinBytes(pngFile(4, 2).subarray(0, 29), [0, 0, 0, 0], pngFile(4, 2).subarray(33)),
  ],
  ['PNG without rows', () => joinBytes(pngSignature, pngHeader(4, 2), pngChunk('IEND', ''))],
  ['PNG with rows of text', () => joinBytes(pngSignature, pngHeader(4, 2), pngChunk('IDAT', page))],
  ['PNG without its palette', () => joinBytes(pngSignature, pngHeader(4, 2, 3), pngFile(4, 2).subarray(33))],
  ['JPEG start and text', () => joinBytes([0xff, 0xd8, 0xff], filler)],
  ['JPEG head and HTML', () => joinBytes(Buffer.from(fourHeadersOfJpeg, 'hex'), page)],
  ['JPEG head and end', () => Buffer.from(`${fourHeadersOfJpeg}ffd9`, 'hex')],
  ['empty RIFF', () => riffFile('WEBP', Buffer.alloc(0))],
  ['WebP of text', () => riffFile('WEBP', riffChunk('VP8 ', filler))],
  [
    'extended WebP without a picture',
    () => riffFile('WEBP', riffChunk('VP8X', Buffer.alloc(10)), riffChunk('XMP ', page)),
  ],
  ['WAV without samples', () => riffFile('WAVE', wavFormat(), riffChunk('data', ''))],
  ['WAV without a format', () => riffFile('WAVE', riffChunk('data', filler))],
  ['WAV without a codec', () => riffFile('WAVE', wavFormat(0), riffChunk('data', filler))],
  ['AVI by RIFF', () => riffFile('AVI ', riffChunk('LIST', filler))],
  ['tag and text', () => joinBytes(id3Tag(Buffer.alloc(100)), filler)],
  ['tag and FLAC', () => joinBytes(id3Tag(Buffer.alloc(100)), 'fLaC', filler)],
  ['tag with a false size', () => id3Tag(audioFrames('fffb90c0', 417, 9), 200_000_000)],
  ['one header of MP3 and text', () => joinBytes([0xff, 0xfb, 0x90, 0xc0], filler)],
  ['half a frame of MP3', () => audioFrames('fffb90c0', 417, 1).subarray(0, 300)],
  ['Ogg mark and text', () => joinBytes('OggS\0\x02', filler)],
  ['Ogg of an unknown codec', () => joinBytes(oggPage(1, 'ownCodec', { flags: 2 }), oggPage(1, 'data'))],
  [
    'Ogg with a wrong checksum',
    () => Buffer.from(oggPage(1, `OpusHead\x01\x01${'\0'.repeat(9)}`, { flags: 2 }).fill(7, 22, 26)),
  ],
  ['Ogg without sound', () => oggPage(1, `OpusHead\x01\x01${'\0'.repeat(9)}`, { flags: 2 })],
  ['brand and HTML', () => joinBytes(isoBox('ftyp', joinBytes('isom', [0, 0, 2, 0], 'isom')), page)],
  ['HEIC brand', () => joinBytes(isoBox('ftyp', joinBytes('heic', [0, 0, 0, 0], 'mif1')), filler)],
  [
    'movie without tracks',
    () => joinBytes(isoBox('ftyp', Buffer.from('isom\0\0\0\0')), isoBox('moov', Buffer.alloc(0))),
  ],
  ['text that looks like a box', () => Buffer.from(`The free software ${'is free '.repeat(99)}`)],
  ['EBML and text', () => joinBytes([0x1a, 0x45, 0xdf, 0xa3], filler)],
  [
    'EBML of another kind',
    () => joinBytes(ebmlHead('mkdocs'), ebml('segment', ebml('tracks', ebmlTrack(1, 1)))),
  ],
  [
    'WebM without a cluster',
    () => joinBytes(ebmlHead('webm'), ebml('segment', ebml('tracks', ebmlTrack(1, 1)))),
  ],
  [
    'WebM of subtitles',
    () =>
      joinBytes(
        ebmlHead('webm'),
        ebml('segment', joinBytes(ebml('tracks', subtitles), ebml('cluster', block))),
      ),
  ],
  [
    'WebM with a block of another track',
    () =>
      joinBytes(
        ebmlHead('webm'),
        ebml('segment', joinBytes(ebml('tracks', ebmlTrack(2, 1)), ebml('cluster', block))),
      ),
  ],
  [
    'pack header and text',
    () => joinBytes(bigEndian(0x1ba, 4), [0x44, 0, 4, 0, 4, 1, 0, 0, 3, 0xf8], filler),
  ],
  [
    'sequence header and text',
    () => joinBytes(bigEndian(0x1b3, 4), [4, 0, 0x30, 0x13, 255, 255, 0xe0, 0x18], filler),
  ],
];

let samples: Map<string, Buffer>;

before(async () => {
  samples = await makeSamples(foreign);
});

async function assertRefused(bytes: Buffer): Promise<void> {
  await assert.rejects(
    () => identifyMedia(openBuffer(bytes)),
    (error: unknown) => error instanceof UnsupportedMedia && /PNG.*MP3.*MKV/.test(error.message),
  );
}

for (const { file } of foreign) {
  test(`${file} is refused`, async () => {
    const bytes = samples.get(file);
    assert.ok(bytes && bytes.length > 100);
    await assertRefused(bytes);
  });
}

for (const [name, make] of forgeries) {
  test(`${name}: refused`, () => assertRefused(make()));
}

test('HEIC and TIFF from another encoder (sharp)', async () => {
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  await assertRefused(await picture.clone().avif().toBuffer());
  await assertRefused(await picture.clone().tiff().toBuffer());
});

test('the first bytes alone refuse a file of no accepted format', () => {
  for (const [name, make] of forgeries.slice(0, 14)) {
    // UTF-16 text begins like an MPEG audio frame. The structure check refuses it.
    if (name === 'text in UTF-16') continue;
    assert.throws(() => sniffMedia(make()), { code: 'unsupported_media' }, name);
  }
  for (const file of ['sound.m4a', 'phone.3gp', 'still.avif', 'broadcast.ts', 'sound.flac', 'movie.avi']) {
    const sample = samples.get(file);
    assert.ok(sample, `${file} needs a row in this file`);
    assert.throws(() => sniffMedia(sample), { code: 'unsupported_media' }, file);
  }
});

test('the first bytes tell which types are still possible', () => {
  assert.deepEqual(sniffMedia(pngFile(1, 1)), ['image']);
  assert.deepEqual(sniffMedia(Buffer.from('OggS\0')), ['audio', 'video']);
  assert.deepEqual(sniffMedia(ebmlHead('webm')), ['audio', 'video']);
});
