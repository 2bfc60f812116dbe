/**
 * Verifies evidence: its signature, the hash of every archive entry, and that all other bytes are what this service would write. The archive
 * comes from an untrusted source, so nothing in it is used before it is checked.
 */
import { createHash } from 'node:crypto';
import {
  listStoredEntries,
  type StoredEntry,
  writeZip,
  type ZipEntry,
  ZipMistake,
  type ZipSource,
} from '@tapedeck/zip-archives';
import {
  composeSignature,
  composeSigned,
  findSizeMax,
  type ManifestEntry,
  type ManifestHead,
  manifestPath,
  signaturePath,
} from './manifest.ts';
import { isSignedBy } from './signing.ts';

type EvidenceVerdict = {
  /** One sentence per problem; none: the archive is unchanged. */
  problems: string[];
  /** The manifest's head, once its signature has been verified. */
  head: ManifestHead | null;
  /** How many entries were compared with their hashes. */
  entries: number;
};

const manifestBytesMax = 256 * 1024 * 1024; // a few hundred thousand files
const signatureBytesMax = 4096; // it takes 250 bytes
const pieceBytes = 256 * 1024;
const problemsMax = 100; // so that people can read the list

export async function verifyEvidence(source: ZipSource, trustedKey: string): Promise<EvidenceVerdict> {
  const problems: string[] = [];
  try {
    const entries = await listStoredEntries(source);
    const manifest = await readManifest(source, entries, trustedKey);
    if (typeof manifest === 'string') return { problems: [manifest], head: null, entries: 0 };
    for await (const problem of compareContents(source, entries, manifest.contents)) {
      problems.push(problem);
      if (problems.length >= problemsMax) break;
    }
    if (problems.length === 0) {
      const difference = await compareRewritten(source, entries, manifest);
      if (difference !== null) problems.push(difference);
    }
    return { problems, head: manifest.head, entries: manifest.contents.length };
  } catch (error) {
    if (error instanceof ZipMistake) return { problems: [error.message], head: null, entries: 0 };
    throw error;
  }
}

type Manifest = { head: ManifestHead; contents: ManifestEntry[] };

/** Returns the manifest, or a sentence saying why it is not trusted. */
async function readManifest(
  source: ZipSource,
  entries: readonly StoredEntry[],
  trustedKey: string,
): Promise<Manifest | string> {
  const find = (path: string) => entries.find(entry => entry.path === path);
  const [manifestEntry, signatureEntry] = [find(manifestPath), find(signaturePath)];
  if (manifestEntry === undefined) return `The archive has no ${manifestPath}, so it is not evidence.`;
  if (signatureEntry === undefined) return `${signaturePath} is missing.`;
  if (manifestEntry.sizeBytes > manifestBytesMax) return `${manifestPath} is longer than 256 MiB.`;
  if (signatureEntry.sizeBytes > signatureBytesMax) return `${signaturePath} was changed: it is too long.`;
  const manifest = await readWhole(source, manifestEntry);
  const text = (await readWhole(source, signatureEntry)).toString();
  const signature = readSignature(text);
  const manifestSha256 = createHash('sha256').update(manifest).digest('hex');
  const signed = composeSigned(manifestSha256);
  if (signature === null) return `${signaturePath} was changed: it contains no signature.`;
  if (signature.publicKey !== trustedKey && isSignedBy(signature.publicKey, signed, signature.signature))
    return `The evidence was signed with another key, ${signature.publicKey}. If you trust it, give it as --key.`;
  if (!isSignedBy(trustedKey, signed, signature.signature))
    return `${manifestPath} or ${signaturePath} was changed: the signature does not match.`;
  if (text !== composeSignature({ manifestSha256, ...signature }))
    return `${signaturePath} was changed: the signature matches, but is written in another way.`;
  // The signature proves that the installation with this key wrote it.
  const { contents, ...head } = JSON.parse(manifest.toString()) as ManifestHead & { contents: unknown[] };
  return { head, contents: contents.filter(isEntry) };
}

function isEntry(line: unknown): line is ManifestEntry {
  return typeof line === 'object' && line !== null && 'sha256' in line;
}

function readSignature(text: string): { publicKey: string; signature: string } | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null || !('publicKey' in read) || !('signature' in read))
    return null;
  const { publicKey, signature } = read;
  return typeof publicKey === 'string' && typeof signature === 'string' ? { publicKey, signature } : null;
}

async function* compareContents(
  source: ZipSource,
  entries: readonly StoredEntry[],
  contents: readonly ManifestEntry[],
): AsyncGenerator<string> {
  const byPath = new Map(entries.map(entry => [entry.path, entry]));
  const known = new Set([manifestPath, signaturePath, ...contents.map(({ path }) => path)]);
  for (const { path } of entries) if (!known.has(path)) yield `${JSON.stringify(path)} was added.`;
  for (const { path, sha256 } of contents) {
    const entry = byPath.get(path);
    if (entry === undefined) {
      yield `${JSON.stringify(path)} is missing.`;
      continue;
    }
    const hash = createHash('sha256');
    for await (const piece of readPieces(source, entry)) hash.update(piece);
    if (hash.digest('hex') !== sha256) yield `${JSON.stringify(path)} was changed.`;
  }
}

/** Records, lists and gaps between archive entries are not hashed, so this writes the archive again from its contents and compares. */
async function compareRewritten(
  source: ZipSource,
  entries: readonly StoredEntry[],
  { head, contents }: Manifest,
): Promise<string | null> {
  const byPath = new Map(contents.map(line => [line.path, line]));
  const madeAt = Date.parse(head.createdAt);
  const rewrite = function* (): Generator<ZipEntry> {
    for (const entry of entries) {
      const { path, sizeBytes: size } = entry;
      const sizeBytesMax = findSizeMax({ path, size });
      const modifiedAt = new Date(byPath.get(path)?.modifiedAt ?? madeAt);
      const bytes = readPieces(source, entry);
      yield { path, modifiedAt, bytes, ...(sizeBytesMax !== undefined && { sizeBytesMax }) };
    }
  };
  let position = 0;
  for await (const expected of writeZip(rewrite())) {
    const found = await source.read(position, expected.byteLength);
    if (found.compare(expected) !== 0) {
      const at = position + findDifference(found, expected);
      return `The byte at ${at} was changed. It is not part of a file, but of the archive's structure.`;
    }
    position += expected.byteLength;
  }
  return position === source.sizeBytes ? null : `Bytes were added after ${position}.`;
}

function findDifference(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? Math.min(one.length, other.length) : at;
}

async function readWhole(source: ZipSource, entry: StoredEntry): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(readPieces(source, entry)));
}

async function* readPieces(
  { read }: ZipSource,
  { path, startsAt, sizeBytes }: StoredEntry,
): AsyncGenerator<Buffer> {
  for (let done = 0; done < sizeBytes; ) {
    const piece = await read(startsAt + done, Math.min(pieceBytes, sizeBytes - done));
    if (piece.length === 0) throw new ZipMistake(`${JSON.stringify(path)} ends early.`);
    done += piece.length;
    yield piece;
  }
}
