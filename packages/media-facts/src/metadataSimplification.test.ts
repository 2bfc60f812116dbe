/** Tests that a picture keeps its orientation and its pixels, and loses the metadata that decoders would spend seconds on. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { pngChunk, tangledExif } from '../samples/index.ts';
import { simplifyMetadata } from './identification.ts';

const formats = ['jpeg', 'png', 'webp'] as const;
const picture = (orientation: number) =>
  sharp(Buffer.from(Array.from({ length: 8 * 4 * 3 }, (_, at) => at)), {
    raw: { width: 8, height: 4, channels: 3 },
  })
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation });
const upright = (bytes: Buffer) => sharp(bytes).autoOrient().raw().toBuffer();

async function simplify(bytes: Buffer): Promise<Buffer> {
  const simplified = Buffer.from(bytes);
  await simplifyMetadata(simplified);
  assert.equal(simplified.length, bytes.length);
  return simplified;
}

/** Puts a block of EXIF in the place of the picture's own. */
async function withExif(format: (typeof formats)[number], exif: Buffer): Promise<Buffer> {
  const plain = await sharp({ create: { width: 8, height: 4, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer();
  const named = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]);
  if (format === 'jpeg') {
    const head = Buffer.from([0xff, 0xe1, 0, 0]);
    head.writeUInt16BE(named.length + 2, 2);
    return Buffer.concat([plain.subarray(0, 2), head, named, plain.subarray(2)]);
  }
  if (format === 'png')
    return Buffer.concat([plain.subarray(0, 33), pngChunk('eXIf', exif), plain.subarray(33)]);
  const own = await picture(1).webp().toBuffer();
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(exif.length, 4);
  const whole = Buffer.concat([own.subarray(0, own.indexOf('EXIF')), head, exif]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

for (const format of formats)
  describe(format, () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8])
      it(`keeps orientation ${orientation}`, async () => {
        const before = await picture(orientation).toFormat(format).toBuffer();
        const simplified = await simplify(before);
        assert.ok(before.includes('somebody') && !simplified.includes('somebody'));
        assert.deepEqual(await upright(simplified), await upright(before));
        assert.equal((await sharp(simplified).metadata()).orientation, orientation);
      });

    it('of entries that point to themselves decodes quickly', async () => {
      const bytes = await simplify(await withExif(format, tangledExif(4000)));
      const before = process.cpuUsage();
      await upright(bytes);
      const { user, system } = process.cpuUsage(before);
      assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
    });

    it('too short for an orientation has none', async () => {
      const simplified = await simplify(await withExif(format, Buffer.from('II*\0\x08\0\0\0', 'latin1')));
      assert.equal((await sharp(simplified).metadata()).orientation, undefined);
    });

    it('cut off anywhere is left without an error', async () => {
      const whole = await picture(6).toFormat(format).toBuffer();
      for (let end = 0; end < whole.length; end += 1) await simplify(whole.subarray(0, end));
    });
  });

it('hides EXIF in JPEG also under a name that only begins like it', async () => {
  const bytes = await withExif('jpeg', tangledExif(10));
  bytes.write('Exif\x01', bytes.indexOf('Exif'), 'latin1');
  assert.ok(!(await simplify(bytes)).includes('Exif'));
});

it('keeps decoders from inflating texts of PNG', async () => {
  const plain = await sharp({ create: { width: 8, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const text = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(1000))]));
  const bytes = Buffer.concat([plain.subarray(0, 33), text, plain.subarray(33)]);
  const simplified = await simplify(bytes);
  assert.ok(!simplified.includes('zTXt'));
  assert.equal((await sharp(simplified).metadata()).comments, undefined);
  assert.deepEqual(await upright(simplified), await upright(plain));
});

it('leaves other files as they are', async () => {
  const gif = await picture(1).gif().toBuffer();
  assert.deepEqual(await simplify(gif), gif);
});
