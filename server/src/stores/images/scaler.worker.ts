/**
 * Scales pictures with sharp in a separate process, one after the other. The service sends the form, the picture's bytes in pieces, and null; it gets
 * the scaled bytes in pieces and then the end. usage: scaler.worker PROCESSOR_MS_MAX
 */
import { simplifyMetadata } from '@tapedeck/media-facts';
import type { Sharp } from 'sharp';
import { imagePixelsMax, type PictureForm, type PictureFormat } from '../../domain/ports/images.ts';
import { loadSharp } from '../sharp.ts';
import { pieceBytes, type ScalerAnswer, type ScalerRequest } from './scalerMessages.ts';

const quality = 80; // WebP's usual balance: smaller than JPEG at 90, and looks as good
const avifQuality = 55; // looks like WebP at 80
const avifEffort = 1; // out of 9: each step takes half as long again and saves a few per cent
const lookIntervalMs = 200;

const processorMsMax = Number(process.argv[2]);
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

/** Doesn't wait for sharp's threads, as an exit would. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function answer(): Promise<void> {
  if (form === null) throw new Error('The form comes before the picture.');
  const picture = Buffer.concat(pieces);
  pieces = [];
  using _ = limitProcessorTime();
  try {
    const scaled = await scale(picture, form);
    for (let offset = 0; offset < scaled.length; offset += pieceBytes)
      await send(scaled.subarray(offset, offset + pieceBytes));
    await send({ kind: 'scaled' });
  } catch (cause) {
    await send({ kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) });
  }
}

/** Ends the process when a picture takes too long. sharp works on other threads and can't be stopped, but leaves this one free. */
function limitProcessorTime(): Disposable {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 < processorMsMax) return;
    clearInterval(timer);
    void send({ kind: 'tooLong' }).finally(end);
  }, lookIntervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function scale(picture: Buffer, wanted: PictureForm): Promise<Buffer> {
  await simplifyMetadata(picture);
  return await encode(await resize(picture, wanted), wanted.format).toBuffer();
}

async function resize(picture: Buffer, { width, height, fit, format }: PictureForm): Promise<Sharp> {
  const background = format === 'jpeg' ? 'white' : { r: 0, g: 0, b: 0, alpha: 0 };
  const sharp = await loadSharp();
  return sharp(picture, { limitInputPixels: imagePixelsMax, sequentialRead: true })
    .autoOrient()
    .resize({ width, height, fit, background, withoutEnlargement: fit === 'inside' });
}

function encode(picture: Sharp, format: PictureFormat): Sharp {
  if (format === 'avif') return picture.avif({ quality: avifQuality, effort: avifEffort });
  if (format === 'jpeg') return picture.flatten({ background: 'white' }).jpeg({ quality });
  return picture.webp({ quality });
}

/** Resolves once the service has taken the message, or is gone. */
function send(message: ScalerAnswer): Promise<void> {
  return new Promise(resolve => {
    if (process.send === undefined) throw new Error('The service starts this process.');
    process.send(message, undefined, undefined, () => resolve());
  });
}
