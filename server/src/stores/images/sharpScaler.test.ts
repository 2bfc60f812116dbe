/** Tests that a failing source is reported, whenever it fails, and that hostile pictures cost a limited time. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, it } from 'node:test';
import { endlessProfile } from '@tapedeck/media-facts/samples';
import sharp from 'sharp';
import { openSharpScaler } from './sharpScaler.ts';

const form = { width: 8, height: 8, fit: 'inside', format: 'webp', isLarge: false } as const;
const limits = { processorMs: 1000, timeMs: 60_000, memoryBytes: 1024 ** 3 };
const scaler = openSharpScaler(limits);
after(() => scaler[Symbol.asyncDispose]());
const plain = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#a04020' } })
  .jpeg()
  .toBuffer();

/** ICC.1:2010, B.4: profiles lie in pieces of up to 64 KiB. */
function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const pieces: Buffer[] = [];
  const count = Math.ceil(profile.length / 65_000);
  for (let number = 1; number <= count; number += 1) {
    const piece = profile.subarray((number - 1) * 65_000, number * 65_000);
    const head = Buffer.from(`\xff\xe2\0\0ICC_PROFILE\0${String.fromCharCode(number, count)}`, 'latin1');
    head.writeUInt16BE(head.length - 2 + piece.length, 2);
    pieces.push(head, piece);
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...pieces, jpeg.subarray(2)]);
}

const scaledWidth = async (picture: Buffer) =>
  (await sharp(await scaler.scale(Readable.from([picture]), form)).metadata()).width;

it('a source that fails before sharp is loaded fails the picture with its own error', async () => {
  const source = new Readable({ read() {} });
  const scaled = scaler.scale(source, form);
  source.destroy(new Error('The blob is gone.'));
  await assert.rejects(scaled, /The blob is gone\./);
});

it('a source that fails half way does so too', async () => {
  const source = Readable.from(
    (function* () {
      yield plain.subarray(0, 100);
      throw new Error('The blob is gone.');
    })(),
  );
  await assert.rejects(scaler.scale(source, form), /The blob is gone\./);
  assert.equal(await scaledWidth(plain), 8, 'the next picture is scaled');
});

it('a picture that takes too long is undecodable, and the next one is scaled', async () => {
  assert.equal(await scaledWidth(withProfile(plain, endlessProfile(10))), 8, 'usual profiles count');
  const endless = withProfile(plain, endlessProfile(60_000));
  await assert.rejects(scaler.scale(Readable.from([endless]), form), { code: 'image_undecodable' });
  assert.equal(await scaledWidth(plain), 8);
});

it('a picture that takes too much memory is too large, and the next one is scaled', async () => {
  await using small = openSharpScaler({ ...limits, processorMs: 60_000, memoryBytes: 250 * 1024 ** 2 });
  const background = '#a04020';
  const wide = await sharp({ create: { width: 7000, height: 7000, channels: 3, background } })
    .jpeg()
    .toBuffer();
  const whole = { ...form, width: 7000, height: 7000, format: 'avif', isLarge: true } as const;
  await assert.rejects(small.scale(Readable.from([wide]), whole), { code: 'image_too_large' });
  const next = await small.scale(Readable.from([plain]), form);
  assert.equal((await sharp(next).metadata()).width, 8);
});

it('pictures at once have a process each', async () => {
  assert.deepEqual(await Promise.all([plain, plain, plain].map(scaledWidth)), [8, 8, 8]);
});

it('a picture under way does not outlive the scaler', async () => {
  const closing = openSharpScaler();
  const endless = withProfile(plain, endlessProfile(60_000));
  const begunAt = performance.now();
  const scaled = closing.scale(Readable.from([endless]), form);
  await closing[Symbol.asyncDispose]();
  await assert.rejects(scaled, { code: 'overloaded' });
  assert.ok(performance.now() - begunAt < 5_000);
});
