/**
 * Makes variants of images on first request and stores them beside the original. Concurrent requests for the same variant share a decoding. If
 * the short queue is full, clients are asked to retry.
 */
import { Readable } from 'node:stream';
import { Gate } from '@tapedeck/concurrency/gate';
import { Failure } from '@tapedeck/values/failure';
import type { BlobPlace, BlobStore, Staging } from '../ports/blobs.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';
import { type ImageScaler, imagePixelsMax } from '../ports/images.ts';
import type { PreviewMaker } from '../ports/previews.ts';
import { invalidFieldError, ServiceError } from '../vocabulary.ts';
import { noFileError } from './fileLookup.ts';
import { nameBlob } from './naming.ts';
import { makePreview, refusePreview, typeTitles } from './previews.ts';
import { describeForm, findFileFormat, nameForm, type VariantForm, variantNames } from './variantForms.ts';
import { openRefusalMemory } from './variantRefusals.ts';

type VariantDeps = {
  blobs: BlobStore;
  files: FileRecords;
  staging: Staging;
  scaler: ImageScaler;
  previews: PreviewMaker;
};
export type Variant = { place: BlobPlace; sizeBytes: number };

const imageSideMax = 1_000_000; // each line costs as much as a hundred pixels, so a picture of one column would take a slot for many seconds

const decodingMax = 2; // a picture usually takes up to 200 MB; a single project uses one slot, so the other stays free
const waitingMax = 32; // at about 0.2 s each, the last waits 6 s
const keptMax = 32; // per file, so that clients cannot fill the disk by requesting every form

/** `form` must come from `normaliseForm`. */
export type VariantMaker = (file: StoredFile, form: VariantForm) => Promise<Variant>;

export function openVariantMaker(deps: VariantDeps): VariantMaker {
  const underWay = new Map<BlobPlace, Promise<Variant>>();
  const gate = new Gate(decodingMax, { leavesRoom: true, queueLimit: { waitingMax, refuse: refuseMore } });
  const refusals = openRefusalMemory();
  const makeInTurn = async (...wanted: Parameters<typeof makeVariant>) => {
    using _ = await gate.enter(wanted[1].project);
    // Another form of the same picture may have failed meanwhile.
    refusals.check(wanted[1], wanted[2].form);
    return await makeVariant(...wanted);
  };
  return async (file, form) => {
    if (form.preview === null) refuseUnscalable(file);
    else refusePreview(form.preview, file);
    refusals.check(file, form);
    const place = deps.blobs.placeOf(nameBlob(file), nameForm(form));
    const sizeBytes = await deps.blobs.size(place);
    if (sizeBytes !== null) return { place, sizeBytes };
    let making = underWay.get(place);
    if (making === undefined) {
      const work = refusals.watch({ file, form }, makeInTurn(deps, file, { place, form }));
      making = work.finally(() => underWay.delete(place));
      underWay.set(place, making);
    }
    return making;
  };
}

function refuseUnscalable({ type, width, height }: StoredFile): void {
  if (type !== 'image')
    throw invalidFieldError('w', `Only images have other sizes and formats; this is ${typeTitles[type]}.`);
  if ((width ?? 0) * (height ?? 0) > imagePixelsMax) throw imageTooLargeError();
  if (Math.max(width ?? 0, height ?? 0) <= imageSideMax) return;
  const sentence = `Images with a side of more than ${imageSideMax.toLocaleString('en')} pixels are not scaled.`;
  throw new ServiceError('image_too_large', sentence);
}

export function imageTooLargeError(cause?: unknown): ServiceError {
  const sentence = `Images of more than ${imagePixelsMax / 1e6} megapixels are not scaled.`;
  return new ServiceError('image_too_large', sentence, { cause });
}

async function makeVariant(
  deps: VariantDeps,
  file: StoredFile,
  { place, form }: { place: BlobPlace; form: VariantForm },
): Promise<Variant> {
  const source = await deps.blobs.read(deps.blobs.placeOf(nameBlob(file), null), {
    start: 0,
    end: file.sizeBytes,
  });
  if (source === null) throw noFileError();
  const shown =
    form.preview === null ? source : await makePreview(deps.previews, form.preview, { file, source });
  const picture = await deps.scaler.scale(shown, describeForm(form, file));
  await using staged = await deps.staging.stage(Readable.from([picture]), {
    bytesMax: picture.length,
    refuse: () => new Error('The picture grew.'),
  });
  await freeSpace(deps, file);
  await deps.blobs.put(place, staged, findFileFormat(form.format).mimeType).catch(ignoreExisting);
  // If the file was deleted or moved meanwhile, its variants are already removed, so this one must go too.
  const now = await deps.files.find(file.project, file.id);
  if (now === null || !deps.blobs.isPlaceOf(place, nameBlob(now))) await deps.blobs.delete(place);
  return { place, sizeBytes: picture.length };
}

/** Removes surplus variants of a file, those with a box first, because there are most of them. */
async function freeSpace({ blobs }: VariantDeps, file: StoredFile): Promise<void> {
  const name = nameBlob(file);
  const kept = await blobs.findVariants(name, variantNames);
  const leastNeeded = kept.toSorted((one, other) => other.length - one.length);
  for (const variant of leastNeeded.slice(0, Math.max(0, kept.length - keptMax + 1)))
    await blobs.delete(blobs.placeOf(name, variant));
}

/** Another node was faster; the same bytes give the same picture. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'blob_exists') throw error;
}

function refuseMore(): ServiceError {
  const sentence = 'Too many images are being scaled; try again in a few seconds.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5 });
}
