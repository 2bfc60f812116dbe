/** Valid Matroska and Ogg layouts that the available encoders don't write, built by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bigEndian,
  ebml,
  ebmlHead,
  ebmlTrack,
  joinBytes,
  littleEndian,
  oggPage,
} from '../samples/containers.ts';
import { openBuffer } from '../samples/sources.ts';
import { identifyMedia } from './identification.ts';

type Row = readonly [name: string, make: () => Buffer, expected: string];

const blockHead = [0x81, 0, 0];
const video64 = joinBytes(ebml('pixelWidth', [64]), ebml('pixelHeight', [48]));
const simpleBlock = ebml('simpleBlock', joinBytes(blockHead, [0x80], 'frame'));

function matroska(type: string, tracks: Buffer, ...clusters: readonly Buffer[]): Buffer {
  return joinBytes(ebmlHead(type), ebml('segment', joinBytes(ebml('tracks', tracks), ...clusters)));
}

const vorbisHead = joinBytes(
  '\x01vorbis',
  littleEndian(0, 4),
  [1],
  littleEndian(8000, 4),
  Buffer.alloc(12),
  [0xb8, 1],
);
const theoraHead = joinBytes(
  '\x80theora',
  [3, 2, 1],
  bigEndian(4, 2),
  bigEndian(3, 2),
  bigEndian(60, 3),
  bigEndian(40, 3),
  [0, 0],
  bigEndian(10, 4),
  bigEndian(1, 4),
  Buffer.alloc(10),
  bigEndian(6 << 5, 2),
);

function oggTail(serial: number, marks: readonly string[], granule: number): Buffer[] {
  return [...marks.map(mark => oggPage(serial, mark)), oggPage(serial, 'data', { flags: 4, granule })];
}

const rows: readonly Row[] = [
  [
    'WebM with unknown sizes',
    () =>
      joinBytes(
        ebmlHead('webm'),
        ebml(
          'segment',
          joinBytes(
            ebml('tracks', ebmlTrack(1, 1, video64)),
            ebml('cluster', joinBytes(ebml('timestamp', [100]), simpleBlock), 'unknown'),
          ),
          'unknown',
        ),
      ),
    'video/webm 64x48 0.1',
  ],
  [
    'WebM with voids everywhere',
    () =>
      matroska(
        'webm',
        joinBytes(ebml('void', 'xx'), ebmlTrack(1, 2)),
        ebml('void', Buffer.alloc(1e5)),
        ebml('cluster', joinBytes(ebml('void', 'x'), simpleBlock)),
      ),
    'audio/webm - -',
  ],
  [
    'Matroska with a group of blocks',
    () =>
      matroska(
        'matroska',
        ebmlTrack(1, 1, video64),
        ebml('cluster', ebml('blockGroup', ebml('block', joinBytes(blockHead, [0], 'x')))),
      ),
    'video/x-matroska 64x48 -',
  ],
  [
    'Matroska with Xiph lacing',
    () =>
      matroska(
        'matroska',
        ebmlTrack(1, 1, video64),
        ebml('cluster', ebml('simpleBlock', joinBytes(blockHead, [0x02, 2, 255, 1, 3], Buffer.alloc(260)))),
      ),
    'video/x-matroska 64x48 -',
  ],
  [
    'Matroska with EBML lacing',
    () =>
      matroska(
        'matroska',
        ebmlTrack(1, 1, video64),
        ebml('cluster', ebml('simpleBlock', joinBytes(blockHead, [0x06, 2, 0x85, 0xbf], Buffer.alloc(20)))),
      ),
    'video/x-matroska 64x48 -',
  ],
  [
    'Matroska with fixed lacing',
    () =>
      matroska(
        'matroska',
        ebmlTrack(1, 1, video64),
        ebml('cluster', ebml('simpleBlock', joinBytes(blockHead, [0x04, 3], Buffer.alloc(40)))),
      ),
    'video/x-matroska 64x48 -',
  ],
  [
    'Matroska rotated by 90 degrees',
    () =>
      matroska(
        'matroska',
        ebmlTrack(1, 1, joinBytes(video64, ebml('projection', ebml('roll', bigEndian(0x42b40000, 4))))),
        ebml('cluster', simpleBlock),
      ),
    'video/x-matroska 48x64 -',
  ],
  [
    'Matroska with its tracks last',
    () =>
      joinBytes(
        ebmlHead('matroska'),
        ebml('segment', joinBytes(ebml('cluster', simpleBlock), ebml('tracks', ebmlTrack(1, 1, video64)))),
      ),
    'video/x-matroska 64x48 -',
  ],
  [
    'Ogg with a skeleton',
    () =>
      joinBytes(
        oggPage(9, `fishead\0${'\0'.repeat(56)}`, { flags: 2 }),
        oggPage(1, vorbisHead, { flags: 2 }),
        oggPage(9, 'fisbone'),
        ...oggTail(1, ['\x03vorbis', '\x05vorbis'], 8000),
      ),
    'audio/ogg - 1',
  ],
  [
    'Ogg with sound before its picture',
    () =>
      joinBytes(
        oggPage(1, vorbisHead, { flags: 2 }),
        oggPage(2, theoraHead, { flags: 2 }),
        oggPage(1, '\x03vorbis'),
        ...oggTail(2, ['\x81theora', '\x82theora'], 2 << 6),
      ),
    'video/ogg 60x40 0.2',
  ],
  [
    'Ogg with cover art in its comment',
    () =>
      joinBytes(
        oggPage(1, vorbisHead, { flags: 2 }),
        oggPage(1, `\x03vorbis${'a'.repeat(60_000)}`),
        ...oggTail(1, ['\x05vorbis'], 4000),
      ),
    'audio/ogg - 0.5',
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
