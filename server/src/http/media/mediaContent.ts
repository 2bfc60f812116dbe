/** Describes a file's response: its headers, and where the bytes of the original or variant are. */

import { nameBlob, replaceUnsafeCharacters } from '@tapedeck/domain/files/naming';
import {
  findFileFormat,
  findVariantExtension,
  nameForm,
  type VariantForm,
} from '@tapedeck/domain/files/variantForms';
import type { Variant } from '@tapedeck/domain/files/variants';
import type { BlobPlace, BlobStore } from '@tapedeck/domain/ports/blobs';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { encodeUnreserved } from '@tapedeck/web/percent-encoding';
import type { ResponseHeaders } from '../responseHeaders.ts';
import type { Representation } from './responsePlan.ts';

/** The place of the bytes to send, with their headers. */
export type Served = Representation & {
  place: BlobPlace;
  mimeType: string;
  /** The headers of every response about the bytes, including refusals. */
  validators: ResponseHeaders;
  /** Headers of the file. Refusals leave them out, so that caches do not keep them as long. */
  headers: ResponseHeaders;
};

/** Describes how to send a file, once for as long as its record is cached. */
export type OriginalDescriber = (file: StoredFile) => Served;

export function openOriginals(blobs: Pick<BlobStore, 'placeOf'>): OriginalDescriber {
  const described = new WeakMap<StoredFile, Served>();
  return file => {
    let original = described.get(file);
    if (original === undefined) {
      original = describeOriginal(blobs, file);
      described.set(file, original);
    }
    return original;
  };
}

function describeOriginal(blobs: Pick<BlobStore, 'placeOf'>, file: StoredFile): Served {
  const { sizeBytes, mimeType, sha256, createdAt } = file;
  const place = blobs.placeOf(nameBlob(file), null);
  const content = { place, sizeBytes, mimeType, etag: `"${sha256}"`, lastModifiedAt: createdAt };
  return addHeaders(content, file);
}

export function describeVariant(file: StoredFile, form: VariantForm, { place, sizeBytes }: Variant): Served {
  // Two versions of the scaler may make different variants, which the size tells apart.
  const etag = `"${file.sha256.slice(0, 32)}-${nameForm(form)}-${sizeBytes}"`;
  const content = {
    place,
    sizeBytes,
    mimeType: findFileFormat(form.format).mimeType,
    etag,
    lastModifiedAt: file.createdAt,
  };
  return addHeaders(content, file);
}

/** Describes the same bytes as a download. */
export function describeDownload(served: Served, file: StoredFile): Served {
  const disposition = describeDisposition(file, served.mimeType, 'attachment');
  return { ...served, headers: { ...served.headers, 'content-disposition': disposition } };
}

/** Describes a private file. Shared caches must not keep it, and browsers must recheck it with a valid signature. */
export function describePrivate(served: Served): Served {
  return { ...served, headers: { ...served.headers, 'cache-control': 'private, no-cache' } };
}

function addHeaders(content: Omit<Served, 'validators' | 'headers'>, file: StoredFile): Served {
  const { etag, lastModifiedAt, mimeType } = content;
  const validators = {
    etag,
    'last-modified': new Date(lastModifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const disposition = describeDisposition(file, mimeType, 'inline');
  return { ...content, validators, headers: { ...usualHeaders, 'content-disposition': disposition } };
}

/** These headers let a browser show an upload, and forbid everything else. */
const usualHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

/** Adds the extension of the content to the name, and repeats the name in ASCII for clients that read only that. */
function describeDisposition(file: StoredFile, mimeType: string, how: 'inline' | 'attachment'): string {
  const variantExtension = mimeType === file.mimeType ? null : findVariantExtension(mimeType);
  const extension =
    variantExtension === null ? file.key.slice(file.key.lastIndexOf('.')) : `.${variantExtension}`;
  const safe = replaceUnsafeCharacters(file.filename);
  const name = safe.toLowerCase().endsWith(extension) ? safe : `${safe}${extension}`;
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_');
  return `${how}; filename="${ascii}"; filename*=UTF-8''${encodeUnreserved(name)}`;
}
