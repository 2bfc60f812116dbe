/** The forms in which pictures are available: size, fit and format. There are few forms, so that few variants are stored. */
import { findFormat } from '@tapedeck/media-facts';
import type { BlobVariant } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';
import type { PictureForm, PictureFormat } from '../ports/images.ts';
import { type PreviewKind, previewKinds } from '../ports/previews.ts';
import { invalidFieldError } from '../vocabulary.ts';

const sizes = [320, 640, 960, 1280, 1920] as const; // CONTRACT.md, 3
const fits = ['inside', 'cover', 'contain'] as const; // CONTRACT.md, 15.1
const formats = ['webp', 'avif', 'jpeg'] as const;

/** The largest side if the request names no size and only changes the format. */
const wholeSideMax = 4096; // AVIF takes a few seconds for 16 megapixels
const sideMax = 16_383; // WebP's maximum
const usualPixelsMax = 4_000_000; // the largest box has 3.7; only whole pictures, and long ones of one given side, have more

type Size = (typeof sizes)[number];

/** `fit` matters only if both sizes are set. */
export type VariantForm = {
  width: Size | null;
  height: Size | null;
  fit: (typeof fits)[number];
  format: PictureFormat;
  /** The preview of a video or sound; null: the file is a picture. */
  preview: PreviewKind | null;
};

type FormParameters = { w?: string; h?: string; fit?: string; format?: string } & {
  [kind in PreviewKind]?: string;
};

/** AVIF is not an upload format, so it is listed here. */
const fileFormats: Record<PictureFormat, { mimeType: string; extension: string }> = {
  webp: findFormat('webp'),
  jpeg: findFormat('jpeg'),
  avif: { mimeType: 'image/avif', extension: 'avif' },
};

/** Parses the form; null: the original. */
export function readForm({ w, h, fit, format, ...previews }: FormParameters): VariantForm | null {
  const width = readSize('w', w);
  const height = readSize('h', h);
  const form = {
    width,
    height,
    fit: width === null || height === null ? 'inside' : readWord('fit', fit ?? 'inside', fits),
    format: readWord('format', format ?? 'webp', formats),
    preview: readPreview(previews),
  } as const;
  if (fit !== undefined) readWord('fit', fit, fits);
  refuseBox(form, { h, fit });
  const isOriginal = width === null && height === null && format === undefined && form.preview === null;
  return isOriginal ? null : form;
}

function readPreview(parameters: FormParameters): PreviewKind | null {
  const [kind = null, other] = previewKinds.filter(each => parameters[each] !== undefined);
  if (other !== undefined) throw invalidFieldError(other, `Ask for ${kind} or ${other}, not for both.`);
  return kind;
}

/** Strips and waveforms have a fixed shape and few forms. */
function refuseBox(
  { preview }: Pick<VariantForm, 'preview'>,
  box: { [field in 'h' | 'fit']: string | undefined },
): void {
  if (preview === null || preview === 'poster') return;
  for (const field of ['h', 'fit'] as const)
    if (box[field] !== undefined)
      throw invalidFieldError(field, `A ${preview} takes w and format only; leave ${field} out.`);
}

function readSize(field: string, text: string | undefined): Size | null {
  if (text === undefined) return null;
  const size = sizes.find(known => String(known) === text);
  if (size !== undefined) return size;
  throw invalidFieldError(field, `${field} must be one of ${sizes.join(', ')}.`);
}

function readWord<T extends string>(field: string, text: string, words: readonly T[]): T {
  const word = words.find(known => known === text);
  if (word !== undefined) return word;
  throw invalidFieldError(field, `${field} must be one of ${words.join(', ')}.`);
}

/** Maps forms with the same result to a single form. */
export function normaliseForm(form: VariantForm, { width, height }: StoredFile): VariantForm {
  if (form.fit !== 'inside' || form.width === null || form.height === null) return form;
  if (width === null || height === null) return form;
  return form.width / width <= form.height / height ? { ...form, height: null } : { ...form, width: null };
}

type Box = { width: number; height: number };

/** Describes the resulting picture. Never enlarges: a box larger than the picture shrinks. */
export function describeForm(form: VariantForm, file: Pick<StoredFile, 'width' | 'height'>): PictureForm {
  const { fit, format } = form;
  const largest = form.width === null && form.height === null ? wholeSideMax : sideMax;
  const box = { width: form.width ?? largest, height: form.height ?? largest };
  if (file.width === null || file.height === null) return { ...box, fit, format, isLarge: false };
  const shares = [file.width / box.width, file.height / box.height];
  const share = Math.min(1, fit === 'cover' ? Math.min(...shares) : Math.max(...shares));
  const shrunk = shrink(box, share);
  if (fit !== 'inside') return { ...shrunk, fit, format, isLarge: false };
  const result = shrink({ width: file.width, height: file.height }, Math.min(1, 1 / Math.max(...shares)));
  return { ...box, fit, format, isLarge: result.width * result.height > usualPixelsMax };
}

function shrink({ width, height }: Box, share: number): Box {
  return {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
}

export function nameForm({ width, height, fit, format, preview }: VariantForm): BlobVariant {
  const box = `${width === null ? '' : `w${width}`}${height === null ? '' : `h${height}`}`;
  return `${preview ?? ''}${box || 'whole'}${fit === 'inside' ? '' : fit}.${fileFormats[format].extension}`;
}

/** Returns null if variants never have this format. */
export function findVariantExtension(mimeType: string): string | null {
  return Object.values(fileFormats).find(format => format.mimeType === mimeType)?.extension ?? null;
}

export function findFileFormat(format: PictureFormat): { mimeType: string; extension: string } {
  return fileFormats[format];
}

const sides = [null, ...sizes] as const;

export const variantNames: readonly BlobVariant[] = [...new Set(listForms().map(nameForm))];

function* listForms(): Generator<VariantForm> {
  for (const width of sides)
    for (const format of formats) {
      for (const preview of ['strip', 'waveform'] as const)
        yield { width, height: null, fit: 'inside', format, preview };
      for (const preview of [null, 'poster'] as const)
        for (const height of sides)
          for (const fit of width === null || height === null ? (['inside'] as const) : fits)
            yield { width, height, fit, format, preview };
    }
}
