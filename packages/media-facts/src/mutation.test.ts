/**
 * Changes real files at random. Each must be identified or refused, within limits of time and reads, without any other effect.
 * The default is a few hundred files. For a long run, give a number (and a seed to repeat one):
 * `node packages/media-facts/src/mutation.test.ts 20000 [seed]`.
 */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { makeSamples } from '../samples/generator.ts';
import { openBuffer } from '../samples/sources.ts';
import { readLimits } from './byteReader.ts';
import { type IdentifiedMedia, identifyMedia, sniffMedia, UnsupportedMedia } from './identification.ts';
import { mediaFormats } from './mediaFormats.ts';

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'drop' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'splice'; readonly at: number; readonly other: number; readonly from: number };

const runsDefault = 500;
const runs = Number(process.argv[2] ?? runsDefault);
const seed = process.argv[3];
const cpuMsMax = 1000;
const runTimeMsMax = 3_600_000;

let samples: Buffer[];

before(async () => {
  const made = await makeSamples([
    { file: 'a.png', make: '-frames:v 1 -an' },
    { file: 'a.apng', make: '-an' },
    { file: 'a.jpg', make: '-frames:v 1 -an' },
    { file: 'a.gif', make: '-an' },
    { file: 'a.webp', make: '-frames:v 1 -an' },
    { file: 'animated.webp', make: '-an -c:v libwebp_anim' },
    { file: 'a.mp3', make: '-vn -b:a 32k' },
    { file: 'bare.mp3', make: '-vn -q:a 9 -write_xing 0 -id3v2_version 0' },
    { file: 'a.mp2', make: '-vn -ar 22050 -ac 1 -b:a 32k' },
    { file: 'a.ogg', make: '-vn -c:a libvorbis' },
    { file: 'a.opus', make: '-vn' },
    { file: 'a.ogv', make: '' },
    { file: 'a.weba', make: '-vn -f webm' },
    { file: 'a.webm', make: '-c:v libvpx' },
    { file: 'live.mkv', make: '-live 1' },
    { file: 'a.mkv', make: '-c:a libmp3lame' },
    { file: 'a.wav', make: '-vn -ar 8000 -c:a adpcm_ms -metadata title=Tape' },
    { file: 'long.wav', make: '-vn -ar 8000 -rf64 always' },
    { file: 'a.mp4', make: '' },
    { file: 'early.mp4', make: '-an -movflags +faststart' },
    { file: 'fragmented.mp4', make: '-movflags frag_keyframe+empty_moov -g 3' },
    { file: 'a.mov', make: '-an -c:v mpeg4' },
    { file: 'a.mpg', make: '-r 25 -an' },
    { file: 'a.vob', make: '-r 25 -an -f vob' },
    { file: 'a.m2v', make: '-r 25 -an -c:v mpeg2video' },
  ]);
  samples = [...made.values()];
});

/** Headers are the most sensitive part: most changes fall near the start, some near the end. */
const place = fc.oneof(
  { weight: 3, arbitrary: fc.nat(80) },
  { weight: 3, arbitrary: fc.nat(800) },
  { weight: 2, arbitrary: fc.nat(20_000) },
  { weight: 2, arbitrary: fc.integer({ min: -2000, max: -1 }) },
);
/** Sizes and counts that attackers choose, in both byte orders, and arbitrary bytes. */
const hostileBytes = fc.oneof(
  fc
    .constantFrom(
      '00',
      'ff',
      '80',
      '7f',
      '01',
      '0000',
      'ffff',
      '00000000',
      'ffffffff',
      '7fffffff',
      '80000000',
      '00000001',
      '01000000',
      'fffffffe',
      '00000008',
      '01ffffffffffffff',
      'ffffffffffffffff',
      '7fffffffffffffff',
      '0020000000000000',
      '1f43b675',
      '4f676753',
      '000001ba',
      '000001b3',
      '494433',
      'fffb90c0',
      '6d6f6f76',
    )
    .map(hex => Uint8Array.from(Buffer.from(hex, 'hex'))),
  fc.uint8Array({ minLength: 1, maxLength: 12 }),
);
const length = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 4000 }));
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('write' as const), at: place, bytes: hostileBytes }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat(7) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'repeat' as const), at: place, length }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('insert' as const), at: place, bytes: hostileBytes }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('splice' as const), at: place, other: fc.nat(), from: place }),
  },
);

function resolvePlace(at: number, bytes: Buffer): number {
  return Math.min(Math.max(0, at < 0 ? bytes.length + at : at), bytes.length);
}

function applyChange(bytes: Buffer, made: Change): Buffer {
  const at = resolvePlace(made.at, bytes);
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (made.kind) {
    case 'write':
      return Buffer.concat([before, made.bytes, behind.subarray(made.bytes.length)]);
    case 'flip':
      return Buffer.concat([before, Buffer.from([(behind[0] ?? 0) ^ (1 << made.bit)]), behind.subarray(1)]);
    case 'drop':
      return Buffer.concat([before, behind.subarray(made.length)]);
    case 'repeat':
      return Buffer.concat([before, behind.subarray(0, made.length), behind]);
    case 'insert':
      return Buffer.concat([before, made.bytes, behind]);
    case 'truncate':
      return Buffer.from(before);
    case 'splice': {
      const other = samples[made.other % samples.length] ?? bytes;
      return Buffer.concat([before, other.subarray(resolvePlace(made.from, other))]);
    }
  }
}

function assertSensible(media: IdentifiedMedia): void {
  const { type, mimeType, extension } = media;
  const isListed = mediaFormats.some(
    row => row.type === type && row.mimeType === mimeType && row.extension === extension,
  );
  assert.ok(isListed, mimeType);
  for (const pixels of [media.width, media.height]) {
    assert.ok(
      pixels === undefined || (Number.isInteger(pixels) && pixels > 0 && pixels < 2 ** 31),
      `${pixels} pixels`,
    );
  }
  const seconds = media.durationSeconds;
  assert.ok(seconds === undefined || (seconds > 0 && seconds < 4e8), `${seconds} s`);
}

test(`${runs} changed files get an answer or a refusal`, { timeout: runTimeMsMax }, async context => {
  const seen = { accepted: 0, refused: 0, cpuMsMax: 0, readsMax: 0, bytesMax: 0 };
  const property = fc.asyncProperty(
    fc.nat(),
    fc.array(change, { minLength: 1, maxLength: 6 }),
    async (pick, changes) => {
      const bytes = changes.reduce(applyChange, samples[pick % samples.length] ?? Buffer.alloc(0));
      const source = openBuffer(bytes);
      const cpuBefore = process.cpuUsage();
      const media = await identifyMedia(source).catch((error: unknown) => {
        assert.ok(error instanceof UnsupportedMedia, String(error));
      });
      const cpu = process.cpuUsage(cpuBefore);
      const cpuMs = (cpu.user + cpu.system) / 1000;
      assert.ok(cpuMs < cpuMsMax, `${cpuMs} ms`);
      assert.ok(source.counts.reads <= readLimits.readsMax && source.counts.bytes <= readLimits.bytesMax);
      if (media) {
        assertSensible(media);
        assert.ok(
          sniffMedia(bytes).includes(media.type),
          'the first bytes refuse what the structure accepts',
        );
      }
      seen[media ? 'accepted' : 'refused'] += 1;
      seen.cpuMsMax = Math.max(seen.cpuMsMax, cpuMs);
      seen.readsMax = Math.max(seen.readsMax, source.counts.reads);
      seen.bytesMax = Math.max(seen.bytesMax, source.counts.bytes);
    },
  );
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) });
  context.diagnostic(JSON.stringify(seen));
});
