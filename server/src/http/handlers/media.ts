/** Answers the public reading of media. */
import * as contract from '../../contract/media.ts';
import type { AccessDirectory } from '../../domain/access.ts';
import { nameBlob } from '../../domain/files/blobNames.ts';
import type { PublicFiles } from '../../domain/files/publicFiles.ts';
import { encodeUnreserved, replaceUnsafe } from '../../domain/files/storageKey.ts';
import {
  type VariantMaker,
  type VariantWidth,
  variantMimeType,
  variantWidths,
} from '../../domain/files/variants.ts';
import type { StoredFile } from '../../domain/ports/files.ts';
import { ServiceError } from '../../vocabulary.ts';
import { type Served, type ServingDeps, sendBytes } from '../mediaServing.ts';
import { type HandledRoute, handle } from '../registry.ts';

export type MediaDeps = ServingDeps & {
  access: AccessDirectory;
  publicFiles: PublicFiles;
  makeVariant: VariantMaker;
};

/** What a browser may do with somebody's upload: show it, and nothing else. */
const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

export function handleMedia(deps: MediaDeps): HandledRoute[] {
  return [
    handle(contract.readMedia, async ({ params, query, request, reply }) => {
      const file =
        deps.access.findProject(params.project) &&
        (await deps.publicFiles.find(params.project, params.key.normalize('NFC')));
      if (!file) throw new ServiceError('not_found', 'There is no such file.');
      const served =
        query.w === undefined
          ? serveOriginal(deps, file)
          : await serveVariant(deps, file, readWidth(query.w));
      const disposition = describeDisposition(file, query.download === '1', served.mimeType);
      const all = { ...headers, 'content-disposition': disposition };
      return await sendBytes(deps, { request, reply }, { ...served, headers: all });
    }),
  ];
}

type Content = Omit<Served, 'headers'>;

function serveOriginal({ blobs }: ServingDeps, file: StoredFile): Content {
  const { sizeBytes, mimeType, sha256, createdAt } = file;
  return {
    place: blobs.placeOf(nameBlob(file), null),
    sizeBytes,
    mimeType,
    etag: `"${sha256}"`,
    lastModifiedAt: createdAt,
  };
}

async function serveVariant(
  { makeVariant }: MediaDeps,
  file: StoredFile,
  width: VariantWidth,
): Promise<Content> {
  const { place, sizeBytes } = await makeVariant(file, width);
  // The size tells apart what two versions of the scaler might make of the same picture.
  const etag = `"${file.sha256.slice(0, 32)}-${width}-${sizeBytes}"`;
  return { place, sizeBytes, mimeType: variantMimeType, etag, lastModifiedAt: file.createdAt };
}

function readWidth(text: string): VariantWidth {
  const width = variantWidths.find(known => String(known) === text);
  if (width !== undefined) return width;
  throw new ServiceError('invalid_field', `w must be one of ${variantWidths.join(', ')}.`);
}

/** The name ends as the content says, and stands in ASCII for those who read no other. */
function describeDisposition(file: StoredFile, isDownload: boolean, mimeType: string): string {
  const extension = mimeType === variantMimeType ? '.webp' : file.key.slice(file.key.lastIndexOf('.'));
  const safe = replaceUnsafe(file.filename);
  const name = safe.toLowerCase().endsWith(extension) ? safe : `${safe}${extension}`;
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_');
  return `${isDownload ? 'attachment' : 'inline'}; filename="${ascii}"; filename*=UTF-8''${encodeUnreserved(name)}`;
}
