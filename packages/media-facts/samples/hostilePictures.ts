/** Pictures that are expensive to check: masses of chunks, segments, blocks and frames. */

import {
  bigEndian,
  joinBytes,
  littleEndian,
  pngChunk,
  pngFile,
  pngHeader,
  pngSignature,
  riffChunk,
} from './containers.ts';
import { type HostileFile, largestFileBytes, refused, restBytes } from './hostileFile.ts';

const pngStart = joinBytes(pngSignature, pngHeader(1, 1));
const endlessAnimation = pngChunk('acTL', bigEndian(2n ** 64n - 1n, 8));
const gifHead = joinBytes('GIF89a', [1, 0, 1, 0, 0, 0, 0]);
const gifFrame = joinBytes([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
const jpegStart = Buffer.from([0xff, 0xd8]);
const huffmanTable = joinBytes([0], Buffer.alloc(15), [255], Buffer.alloc(255));
const tables = joinBytes([0xff, 0xc4, 4, 66], huffmanTable, huffmanTable, huffmanTable, huffmanTable);
const exifHead = joinBytes([0xff, 0xe1, 0, 24], 'Exif\0\0MM\0*\0\0\0\x08\xff\xff');
const webpStart = joinBytes('RIFF', littleEndian(largestFileBytes - 8, 4), 'WEBP');
const extended = (flags: number) => riffChunk('VP8X', [flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const endlessFrame = riffChunk('ANMF', Buffer.alloc(16), restBytes);

export const hostilePictures: readonly HostileFile[] = [
  { name: 'PNG of empty chunks', answer: refused, head: pngStart, pattern: pngChunk('teSt', '') },
  { name: 'PNG of empty rows', answer: refused, head: pngStart, pattern: pngChunk('IDAT', '') },
  { name: 'PNG of rows that inflate a thousandfold', answer: 'image/png', head: pngFile(100_000, 100) },
  {
    name: 'APNG of frames without end',
    answer: 'image/apng',
    head: pngFile(1, 1, endlessAnimation).subarray(0, -12),
    pattern: pngChunk('fcTL', Buffer.alloc(26)),
  },
  { name: 'GIF of empty extensions', answer: refused, head: gifHead, pattern: Buffer.from([0x21, 0xfe, 0]) },
  {
    name: 'GIF of sub-blocks of one byte',
    answer: refused,
    head: joinBytes(gifHead, [0x21, 0xfe]),
    pattern: Buffer.from([1, 1]),
  },
  { name: 'GIF of frames of one pixel', answer: 'image/gif', head: gifHead, pattern: gifFrame },
  {
    name: 'GIF of one frame in crumbs',
    answer: 'image/gif',
    head: joinBytes(gifHead, gifFrame.subarray(0, -1)),
    pattern: Buffer.from([1, 1]),
  },
  {
    name: 'JPEG of empty segments',
    answer: refused,
    head: jpegStart,
    pattern: Buffer.from([0xff, 0xe0, 0, 2]),
  },
  { name: 'JPEG of fill bytes', answer: refused, head: jpegStart, pattern: Buffer.from([0xff]) },
  {
    name: 'JPEG of fill bytes and segments',
    answer: refused,
    head: jpegStart,
    pattern: joinBytes(Buffer.alloc(1000, 0xff), [0xe0, 0, 2]),
  },
  { name: 'JPEG of tables', answer: refused, head: jpegStart, pattern: tables },
  { name: 'JPEG of EXIF', answer: refused, head: jpegStart, pattern: joinBytes(exifHead, Buffer.alloc(6)) },
  {
    name: 'WebP of empty chunks',
    answer: refused,
    head: joinBytes(webpStart, extended(0xfd)),
    pattern: riffChunk('XMP ', ''),
  },
  {
    name: 'WebP of a frame without a picture',
    answer: refused,
    head: joinBytes(webpStart, extended(2), endlessFrame),
    pattern: riffChunk('ALPH', ''),
  },
];
