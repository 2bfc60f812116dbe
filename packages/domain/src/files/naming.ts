/** Names files: the original name, the storage key derived from it, the blob's name, and the URLs. */
import { cutText, halfPairSentence } from '@tapedeck/values/json';
import { encodeKey } from '@tapedeck/web/percent-encoding';
import type { BlobName } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';
import { invalidFieldError } from '../vocabulary.ts';
import { isPrivate } from './librarySettings.ts';

const fileStemBytesMax = 200; // leaves room for id and extension within the 255 bytes that common file systems allow
const fileNameBytesMax = 1024; // above 765, the longest name NTFS allows (255 UTF-16 units)

const unsafeCharacters = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu;
/** Matches a name's extension, but not the end of a version, as in "v1.2". */
const declaredExtension = /\.(?=[0-9]*[a-z])[a-z0-9]{1,5}$/i;

/** `[path/]<stem>-<id>.<ext>`, or `[path/]<id>.<ext>` if the name leaves no stem. `path` is a parsed folder path. */
export function makeStorageKey(file: {
  path: string;
  filename: string;
  fileId: string;
  /** Derived from the content: `.png`. */
  extension: string;
}): string {
  const stem = makeStem(file.filename);
  const folder = file.path === '' ? '' : `${file.path}/`;
  return `${folder}${stem === '' ? '' : `${stem}-`}${file.fileId}${file.extension}`;
}

/** Removes from the name what is unsafe in a key or URL, and the extension that the client declared. */
function makeStem(filename: string): string {
  const bare = filename.normalize('NFC').replace(declaredExtension, '');
  return cutText(trimEnds(replaceUnsafeCharacters(bare)), fileStemBytesMax).trimEnd();
}

/** Replaces characters that act as separators, or that are misread in paths, in lines of text or on screens. */
export function replaceUnsafeCharacters(name: string): string {
  return name.replace(unsafeCharacters, '_');
}

/** Leading dots hide files, and some systems drop trailing dots; spaces get lost in transit. */
function trimEnds(text: string): string {
  return text.replace(/^[\s.]+|[\s.]+$/gu, '');
}

/** Returns the client's name without characters that a database cannot store. */
export function parseFilename(text: string): string {
  if (Buffer.byteLength(text) > fileNameBytesMax) {
    throw invalidFieldError('filename', `The file name may have at most ${fileNameBytesMax} bytes.`);
  }
  if (!text.isWellFormed()) throw invalidFieldError('filename', `The file name ${halfPairSentence}`);
  return text.replaceAll('\0', '_');
}

/** The blob store derives the place of the bytes from this name. */
export function nameBlob({ project, id, key, createdAt, blobSecret }: StoredFile): BlobName {
  // Removals recorded by an older version have no secret.
  return { project, fileId: id, storageKey: key, createdAt, secret: blobSecret ?? null };
}

export type UrlDeps = {
  /** The URL prefix of this service. Its port may be known only once it listens. */
  address: { readonly publicUrl: string };
  /** The URL prefix of a bucket that serves directly; null: this service serves the bytes. */
  blobsPublicUrl: string | null;
};

type FileUrls = { url: string; originalUrl: string };

/** Computes URLs on each read, so switching the CDN domain takes effect at once. Only files at their public place get a bucket URL. */
export function makeFileUrls(
  deps: UrlDeps,
  project: Project,
  file: Pick<StoredFile, 'key' | 'path' | 'visibility' | 'blobSecret'>,
): FileUrls {
  const place = `${project.slug}/${encodeKey(file.key)}`;
  const isInBucket = file.blobSecret === null && !isPrivate(project, file);
  const bucketUrl = isInBucket ? deps.blobsPublicUrl : null;
  const originalUrl = `${bucketUrl ?? `${deps.address.publicUrl}/media`}/${place}`;
  const hasOwnDomain = project.cdnEnabled && project.cdnDomain !== null;
  return { url: hasOwnDomain ? `https://${project.cdnDomain}/${place}` : originalUrl, originalUrl };
}
