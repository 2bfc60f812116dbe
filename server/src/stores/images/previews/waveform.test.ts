/** Tests that peaks show where a sound is loud, at any length and in constant memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { collectPeaks, drawWaveform } from './waveform.ts';

async function* play(seconds: number, loudness: (share: number) => number): AsyncGenerator<Buffer> {
  const chunkBytes = 8000;
  for (let second = 0; second < seconds; second += 1)
    yield Buffer.alloc(chunkBytes, loudness(second / seconds) & 0xff);
}

test('a sound without samples has no peaks', async () => {
  assert.equal(await collectPeaks(play(0, () => 0)), null);
});

for (const seconds of [4, 100, 5000])
  test(`puts the loud half of ${seconds} seconds at the end`, async () => {
    const peaks = await collectPeaks(play(seconds, share => (share < 0.5 ? 10 : -100)));
    assert.ok(peaks !== null && peaks.length <= 640, `${peaks?.length} peaks`);
    assert.deepEqual([peaks[0], peaks.at(-1)], [10, 100]);
    const turn = peaks.indexOf(100) / peaks.length;
    assert.ok(Math.abs(turn - 0.5) < 0.01, `it turns loud at ${turn}`);
  });

const rows: readonly [string, readonly number[], number][] = [
  ['draws silence as a line', [0, 0, 0], 4],
  ['fills the height with the loudest sample', [128], 384],
  ['enlarges a quiet sound', [16], 384],
  ['keeps noise low', [1], 24],
];
for (const [name, peaks, height] of rows)
  test(name, async () => {
    const { data, info } = await sharp(await drawWaveform(peaks))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const middle = 2; // where the first bar begins
    const shown = Array.from(
      { length: info.height },
      (_, y) => data[(y * info.width + middle) * 4 + 3],
    ).filter(Boolean);
    assert.equal(shown.length, height);
  });
