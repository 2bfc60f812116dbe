/** Names files: the original name, the storage key made of it, the blob's name, and the URLs. */
import { cutText, halfPairSentence } from '@tapedeck/values/json';
import { encodeKey } from '@tapedeck/web/percent-encoding';
import { invalidFieldError } from '../../vocabulary.ts';
import type { BlobName } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';
import { isPrivate } from './librarySettings.ts';

const fileStemBytesMax = 200; // leaves room for id and extension in the 255 bytes common file systems allow a name
const fileNameBytesMax = 1024; // above 765, the longest name NTFS allows (255 UTF-16 units)

const unsafeCharacters = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu;
/** The extension of a name. The end of a version, as in "v1.2", is none. */
const declaredExtension = /\.(?=[0-9]*[a-z])[a-z0-9]{1,5}$/i;

/** `[path/]<stem>-<id>.<ext>`, or `[path/]<id>.<ext>` for a name that leaves no stem. `path` is a parsed folder path. */
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

/** The file's name without what must not stand in a key or URL, and without the extension the client declared. */
function makeStem(filename: string): string {
  const bare = filename.normalize('NFC').replace(declaredExtension, '');
  return cutText(trimEnds(replaceUnsafe(bare)), fileStemBytesMax).trimEnd();
}

/** Characters that are separators, or that are misread, in paths, in lines of text and on screens. */
export function replaceUnsafe(name: string): string {
  return name.replace(unsafeCharacters, '_');
}

/** A leading dot hides a file and trailing ones are lost on some systems; spaces are lost in transit. */
function trimEnds(text: string): string {
  return text.replace(/^[\s.]+|[\s.]+$/gu, '');
}

/** The name as the client gave it, without the characters that a database cannot keep. */
export function parseFilename(text: string): string {
  if (Buffer.byteLength(text) > fileNameBytesMax) {
    throw invalidFieldError('filename', `The file name may take ${fileNameBytesMax} bytes at most.`);
  }
  if (!text.isWellFormed()) throw invalidFieldError('filename', `The file name ${halfPairSentence}`);
  return text.replaceAll('\0', '_');
}

/** The blob store computes from it where the bytes lie. */
export function nameBlob({ project, id, key, createdAt, blobSecret }: StoredFile): BlobName {
  // A version before this one knew no secrets, and wrote none into what is to be removed.
  return { project, fileId: id, storageKey: key, createdAt, secret: blobSecret ?? null };
}

export type UrlDeps = {
  /** The prefix of what this service serves itself; its port may be known only once it listens. */
  address: { readonly publicUrl: string };
  /** The prefix under which a bucket is served directly; null: this service serves it. */
  blobsPublicUrl: string | null;
};

type FileUrls = { url: string; originalUrl: string };

/** Computed when they are read: switching the CDN domain changes them at once. Only what lies at its public place has the URL of a bucket. */
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
