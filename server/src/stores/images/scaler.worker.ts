/**
 * Scales pictures with sharp in a separate process, one after the other. The service sends the form, the picture's bytes in pieces, and null; it gets
 * the scaled bytes in pieces and then the end. usage: scaler.worker PROCESSOR_MS_MAX MEMORY_BYTES_MAX
 */
import { writeFileSync } from 'node:fs';
import { imagePixelsMax, type PictureForm } from '@tapedeck/domain/ports/images';
import { simplifyMetadata } from '@tapedeck/media-facts';
import type { Sharp } from 'sharp';
import { loadSharp } from '../sharp.ts';
import { pieceBytes, type ScalerAnswer, type ScalerRequest } from './scalerMessages.ts';

const quality = 80; // WebP's usual balance: smaller than JPEG at 90, and looks as good
const avifQuality = 55; // looks like WebP at 80
const avifEffort = 1; // out of 9: each step takes half as long again and saves a few per cent
const large = { webpEffort: 1, avifEffort: 0 }; // a fifth and two thirds of the time, and hardly larger; the usual WebP effort is 4
const pollIntervalMs = 100;
const killFirst = '1000'; // the highest score

const [processorMsMax = 0, memoryBytesMax = 0] = process.argv.slice(2).map(Number);
let form: PictureForm | null = null;
let pieces: Uint8Array[] = [];

process.on('message', (request: ScalerRequest) => {
  if (request instanceof Uint8Array) pieces.push(request);
  else if (request === null) void answer();
  else form = request;
});
process.on('disconnect', end);
// A supervisor tells the whole group to stop, but the service finishes what is in flight.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});

preferForKilling();

/** If the machine's memory runs out, Linux ends this process and not the service or its log engine. */
function preferForKilling(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', killFirst);
  } catch {
    // Another system, or one without /proc.
  }
}

/** Doesn't wait for sharp's threads, as an exit would. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function answer(): Promise<void> {
  if (form === null) throw new Error('The form comes before the picture.');
  const picture = Buffer.concat(pieces);
  pieces = [];
  using _ = limitCost();
  try {
    const scaled = await scale(picture, form);
    for (let offset = 0; offset < scaled.length; offset += pieceBytes)
      await send(scaled.subarray(offset, offset + pieceBytes));
    await send({ kind: 'scaled' });
  } catch (cause) {
    await send({ kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) });
  }
}

/** Ends the process when a picture takes too long or too much memory. sharp works on other threads and can't be stopped, but leaves this one free. */
function limitCost(): Disposable {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    const isTooLong = (user + system) / 1000 >= processorMsMax;
    if (!isTooLong && process.memoryUsage.rss() <= memoryBytesMax) return;
    clearInterval(timer);
    void send({ kind: isTooLong ? 'tooLong' : 'tooMuchMemory' }).finally(end);
  }, pollIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function scale(picture: Buffer, wanted: PictureForm): Promise<Buffer> {
  await simplifyMetadata(picture);
  return await encode(await resize(picture, wanted), wanted).toBuffer();
}

async function resize(picture: Buffer, { width, height, fit, format }: PictureForm): Promise<Sharp> {
  const background = format === 'jpeg' ? 'white' : { r: 0, g: 0, b: 0, alpha: 0 };
  const sharp = await loadSharp();
  return sharp(picture, { limitInputPixels: imagePixelsMax, sequentialRead: true })
    .autoOrient()
    .resize({ width, height, fit, background, withoutEnlargement: fit === 'inside' });
}

/** Large AVIF pictures have colours at half the resolution, as WebP always has. That takes a third less memory. */
function encode(picture: Sharp, { format, isLarge }: PictureForm): Sharp {
  if (format === 'jpeg') return picture.flatten({ background: 'white' }).jpeg({ quality });
  if (format === 'webp') return picture.webp({ quality, ...(isLarge && { effort: large.webpEffort }) });
  if (!isLarge) return picture.avif({ quality: avifQuality, effort: avifEffort });
  return picture.avif({ quality: avifQuality, effort: large.avifEffort, chromaSubsampling: '4:2:0' });
}

/** Resolves once the service has taken the message, or is gone. */
function send(message: ScalerAnswer): Promise<void> {
  return new Promise(resolve => {
    if (process.send === undefined) throw new Error('The service starts this process.');
    process.send(message, undefined, undefined, () => resolve());
  });
}
