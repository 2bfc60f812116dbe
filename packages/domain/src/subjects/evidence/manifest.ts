/** The manifest of evidence: the request, its author, and the hash of everything in the archive. */
import type { TimelineKind } from '../timeline.ts';

export const manifestPath = 'manifest.json';
export const signaturePath = 'signature.json';
export const pagePath = 'index.html';
export const ndjsonPath = 'entries.ndjson';
export const csvPath = 'entries.csv';
export const notesPath = 'notes.json';
export const filesFolder = 'files';

export type ManifestHead = {
  format: 'tapedeck-evidence-1';
  project: string;
  query: string;
  from: string | null;
  to: string | null;
  /** null: both kinds. */
  kind: TimelineKind | null;
  createdAt: string;
  createdBy: string;
  publicKey: string;
};

export type ManifestEntry = {
  path: string;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** Unix milliseconds. */
  modifiedAt: number;
  /** The file's record, as the API returns it. */
  file?: unknown;
};

/** A file that was deleted while the archive was made. */
export type MissingFile = { missing: true; file: unknown };

/** Writes the manifest line by line, so that it can grow while files are written. */
export function writeManifestHead(head: ManifestHead): string {
  return `${JSON.stringify(head).slice(0, -1)},"contents":[\n`;
}

export const manifestTail = ']}\n';

/** Writes the archive entry with the signature. Only one spelling is valid, so that any change is detected. */
export function composeSignature(parts: {
  manifestSha256: string;
  publicKey: string;
  signature: string;
}): string {
  const { manifestSha256: manifest, publicKey, signature } = parts;
  const spelled = Buffer.from(signature, 'base64url').toString('base64url');
  return `${JSON.stringify({ manifest, publicKey, signature: spelled })}\n`;
}

/** Returns the text that is signed. */
export function composeSigned(manifestSha256: string): string {
  return `tapedeck evidence\n${manifestSha256}\n`;
}

/** Returns undefined for archive entries of unknown size, which may be large and need 64-bit sizes. */
export function findSizeMax({ path, size }: Pick<ManifestEntry, 'path' | 'size'>): number | undefined {
  const isOpen = path === ndjsonPath || path === csvPath || path === manifestPath;
  return isOpen ? undefined : size;
}
