/** Scales images with sharp on one core, so that uploads and queries keep the others. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '@tapedeck/values/failure';
import type { Sharp } from 'sharp';
import { imagePixelsMax, imageTooLargeError } from '../../domain/files/variants.ts';
import type { ImageScaler, PictureForm, PictureFormat } from '../../domain/ports/images.ts';
import { ServiceError } from '../../vocabulary.ts';
import { loadSharp } from '../sharp.ts';

const quality = 80; // WebP's usual balance: smaller than JPEG at 90, and looks as good
const avifQuality = 55; // looks like WebP at 80
const avifEffort = 1; // out of 9: each step takes half as long again and saves a few per cent

export function openSharpScaler(): ImageScaler {
  return { scale };
}

async function scale(source: Readable, form: PictureForm): Promise<Buffer> {
  source.on('error', () => {}); // the source's reader gets the error, even one that starts later
  const scaler = encode(await resize(form), form.format);
  const broken: { cause: unknown }[] = [];
  async function* readSource() {
    try {
      yield* source;
    } catch (cause) {
      broken.push({ cause });
      throw cause;
    }
  }
  try {
    const [picture] = await Promise.all([scaler.toBuffer(), pipeline(readSource, scaler)]);
    return picture;
  } catch (cause) {
    throw broken[0] === undefined ? describeFailure(cause) : broken[0].cause;
  }
}

async function resize({ width, height, fit, format }: PictureForm): Promise<Sharp> {
  const background = format === 'jpeg' ? 'white' : { r: 0, g: 0, b: 0, alpha: 0 };
  const sharp = await loadSharp();
  return sharp({ limitInputPixels: imagePixelsMax, sequentialRead: true })
    .autoOrient()
    .resize({ width, height, fit, background, withoutEnlargement: fit === 'inside' });
}

function encode(picture: Sharp, format: PictureFormat): Sharp {
  if (format === 'avif') return picture.avif({ quality: avifQuality, effort: avifEffort });
  if (format === 'jpeg') return picture.flatten({ background: 'white' }).jpeg({ quality });
  return picture.webp({ quality });
}

/** Attributes errors to the picture, unless sharp lacks memory or similar. */
function describeFailure(cause: unknown): Error {
  if (cause instanceof Failure) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/memory|alloc|too many open files/i.test(message)) {
    const sentence = 'There is not enough memory for this image right now. Try again in a few seconds.';
    return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5, cause });
  }
  if (/pixel limit/i.test(message)) {
    return imageTooLargeError(cause);
  }
  return new ServiceError(
    'image_undecodable',
    'This image cannot be decoded; its original is served without ?w=.',
    { cause },
  );
}
