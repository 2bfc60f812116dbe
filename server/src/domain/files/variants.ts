/**
 * Makes smaller WebP versions of images on first request and stores them beside the original. Concurrent requests for the same one
 * share a decoding. When the short queue is full, clients are asked to retry.
 */
import { Readable } from 'node:stream';
import { Gate } from '@tapedeck/concurrency/gate';
import { findFormat } from '@tapedeck/media-facts';
import { Failure } from '@tapedeck/values/failure';
import { invalidFieldError, ServiceError } from '../../vocabulary.ts';
import type { BlobPlace, BlobStore, Staging } from '../ports/blobs.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import type { ImageScaler } from '../ports/images.ts';
import { nameBlob } from './naming.ts';
import { noFileError } from './reading.ts';
import { openRefusalMemory } from './variantRefusals.ts';

export const variantWidths = [320, 640, 960, 1280, 1920] as const; // CONTRACT.md, 3
export type VariantWidth = (typeof variantWidths)[number];

type VariantDeps = { blobs: BlobStore; files: FileRecords; staging: Staging; scaler: ImageScaler };
export type Variant = { place: BlobPlace; sizeBytes: number };

export const variantFormat = findFormat('webp');

export const imagePixelsMax = 50_000_000; // CONTRACT.md, 3

const decodingMax = 2; // a decoded picture takes up to 200 MB; one project alone has one place, so that the other is free for the next
const waitingMax = 32; // at some 0.2 s each, the last one waits 6 s

export type VariantMaker = (file: StoredFile, width: VariantWidth) => Promise<Variant>;

export function openVariantMaker(deps: VariantDeps): VariantMaker {
  const underWay = new Map<BlobPlace, Promise<Variant>>();
  const gate = new Gate(decodingMax, { leavesRoom: true, queueLimit: { waitingMax, refuse: refuseMore } });
  const refusals = openRefusalMemory();
  const makeInTurn = async (...wanted: Parameters<typeof makeVariant>) => {
    using _ = await gate.enter(wanted[1].project);
    // Another width of the same picture may have been refused meanwhile.
    refusals.check(wanted[1]);
    return await makeVariant(...wanted);
  };
  return async (file, width) => {
    refuseUnscalable(file);
    refusals.check(file);
    const place = deps.blobs.placeOf(nameBlob(file), width);
    const sizeBytes = await deps.blobs.size(place);
    if (sizeBytes !== null) return { place, sizeBytes };
    let making = underWay.get(place);
    if (making === undefined) {
      const work = refusals.watch(file, makeInTurn(deps, file, { place, width }));
      making = work.finally(() => underWay.delete(place));
      underWay.set(place, making);
    }
    return making;
  };
}

function refuseUnscalable({ type, width, height }: StoredFile): void {
  if (type !== 'image') throw invalidFieldError('w', `Only images are scaled by ?w=; this file is ${type}.`);
  if ((width ?? 0) * (height ?? 0) > imagePixelsMax) throw imageTooLargeError();
}

export function imageTooLargeError(cause?: unknown): ServiceError {
  const sentence = `Images of more than ${imagePixelsMax / 1e6} megapixels are not scaled.`;
  return new ServiceError('image_too_large', sentence, { cause });
}

async function makeVariant(
  deps: VariantDeps,
  file: StoredFile,
  { place, width }: { place: BlobPlace; width: VariantWidth },
): Promise<Variant> {
  const source = await deps.blobs.read(deps.blobs.placeOf(nameBlob(file), null), {
    start: 0,
    end: file.sizeBytes,
  });
  if (source === null) throw noFileError();
  const picture = await deps.scaler.scale(source, width);
  await using staged = await deps.staging.stage(Readable.from([picture]), {
    bytesMax: picture.length,
    refuse: () => new Error('The picture grew.'),
  });
  await deps.blobs.put(place, staged, variantFormat.mimeType).catch(forgiveExisting);
  // The file may have been deleted meanwhile; its variants went before this one came.
  if ((await deps.files.find(file.project, file.id)) === null) await deps.blobs.delete(place);
  return { place, sizeBytes: picture.length };
}

/** Another node was faster; from the same bytes the same picture comes. */
function forgiveExisting(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'blob_exists') throw error;
}

function refuseMore(): ServiceError {
  const sentence = 'Too many images are being scaled; try again in a few seconds.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5 });
}
