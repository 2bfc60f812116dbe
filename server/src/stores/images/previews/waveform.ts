/** Draws a sound's loudness: reduces its samples to a few hundred peaks, whatever its length, and draws them as bars. */
import { loadSharp } from '../../sharp.ts';

export const waveformSamplesPerSecond = 8000;

const barCount = 160;
const [barWidth, gapWidth, height] = [8, 4, 384];
const width = barCount * (barWidth + gapWidth); // 1,920, the largest size that clients can request
const lowestBar = 4; // silence is a line
const loudest = 128; // of an 8-bit sample
const amplifiedMax = 8; // a quiet sound still shows its shape; pure noise stays low
const ink = [0x7c, 0x8e, 0xa6, 0xff]; // visible on light and dark backgrounds

/** The loudest sample of each span. All spans have equal length, except the last. */
type Peaks = readonly number[];

/** Returns null if there are no samples. */
export async function collectPeaks(output: AsyncIterable<Buffer>): Promise<Peaks | null> {
  let peaks: number[] = [];
  let spanSamples = 1;
  let peak = 0;
  let count = 0;
  for await (const chunk of output) {
    for (const sample of new Int8Array(chunk.buffer, chunk.byteOffset, chunk.length)) {
      const loudness = Math.abs(sample);
      if (loudness > peak) peak = loudness;
      count += 1;
      if (count < spanSamples) continue;
      peaks.push(peak);
      [peak, count] = [0, 0];
      if (peaks.length < barCount * 4) continue;
      peaks = halve(peaks);
      spanSamples *= 2;
    }
  }
  if (count > 0) peaks.push(peak);
  return peaks.length > 0 ? peaks : null;
}

function halve(peaks: readonly number[]): number[] {
  return Array.from({ length: peaks.length / 2 }, (_, index) => {
    return Math.max(peaks[index * 2] ?? 0, peaks[index * 2 + 1] ?? 0);
  });
}

/** Draws a PNG with a transparent background. */
export async function drawWaveform(peaks: Peaks): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * ink.length);
  const scale = Math.min(amplifiedMax, loudest / Math.max(1, ...peaks)) / loudest;
  for (let bar = 0; bar < barCount; bar += 1) {
    const start = Math.floor((bar * peaks.length) / barCount);
    const end = Math.max(start + 1, Math.floor(((bar + 1) * peaks.length) / barCount));
    const barHeight = Math.max(lowestBar, Math.round(Math.max(...peaks.slice(start, end)) * scale * height));
    paintBar(pixels, bar, Math.min(height, barHeight));
  }
  const raw = { width, height, channels: 4 } as const;
  const sharp = await loadSharp();
  return await sharp(pixels, { raw }).png({ compressionLevel: 1 }).toBuffer();
}

function paintBar(pixels: Buffer, bar: number, barHeight: number): void {
  const left = bar * (barWidth + gapWidth) + gapWidth / 2;
  const top = Math.floor((height - barHeight) / 2);
  const row = Buffer.from(Array.from({ length: barWidth }, () => ink).flat());
  for (let y = top; y < top + barHeight; y += 1) pixels.set(row, (y * width + left) * ink.length);
}
