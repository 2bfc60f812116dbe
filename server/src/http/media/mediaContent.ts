/** Describes what is sent for a file: where the bytes of the original or a variant lie, and their headers. */

import { encodeUnreserved } from '@tapedeck/percent-encoding';
import { nameBlob } from '../../domain/files/blobNames.ts';
import { replaceUnsafe } from '../../domain/files/storageKey.ts';
import { type Variant, type VariantWidth, variantFormat } from '../../domain/files/variants.ts';
import type { BlobStore } from '../../domain/ports/blobs.ts';
import type { StoredFile } from '../../domain/ports/files.ts';
import type { Served } from './mediaServing.ts';

type Content = Omit<Served, 'headers'>;

export function describeOriginal(blobs: Pick<BlobStore, 'placeOf'>, file: StoredFile): Content {
  const { sizeBytes, mimeType, sha256, createdAt } = file;
  return {
    place: blobs.placeOf(nameBlob(file), null),
    sizeBytes,
    mimeType,
    etag: `"${sha256}"`,
    lastModifiedAt: createdAt,
  };
}

export function describeVariant(
  file: StoredFile,
  width: VariantWidth,
  { place, sizeBytes }: Variant,
): Content {
  // The size tells apart what two versions of the scaler might make of the same picture.
  const etag = `"${file.sha256.slice(0, 32)}-${width}-${sizeBytes}"`;
  return { place, sizeBytes, mimeType: variantFormat.mimeType, etag, lastModifiedAt: file.createdAt };
}

/** These headers let a browser show an upload, and forbid everything else. */
const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

export function composeHeaders(
  file: StoredFile,
  mimeType: string,
  isDownload: boolean,
): Readonly<Record<string, string>> {
  return { ...headers, 'content-disposition': describeDisposition(file, mimeType, isDownload) };
}

/** Gives the name the extension of its content, and repeats it in ASCII for clients that read no other. */
function describeDisposition(file: StoredFile, mimeType: string, isDownload: boolean): string {
  const extension =
    mimeType === variantFormat.mimeType
      ? `.${variantFormat.extension}`
      : file.key.slice(file.key.lastIndexOf('.'));
  const safe = replaceUnsafe(file.filename);
  const name = safe.toLowerCase().endsWith(extension) ? safe : `${safe}${extension}`;
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_');
  return `${isDownload ? 'attachment' : 'inline'}; filename="${ascii}"; filename*=UTF-8''${encodeUnreserved(name)}`;
}
