/** Finds stored files that may equal the files that a caller is about to upload. The caller compares the hashes. */

import type { Reader } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileIdentity, FileRecords, StoredFile } from '../ports/files.ts';
import type { Project } from '../ports/metadata.ts';
import { isExpected } from '../vocabulary.ts';
import { parseFolderPath } from './folderPath.ts';
import { parseFilename } from './naming.ts';
import { allowsPath } from './permissions.ts';
import { findRetentionDays } from './retention.ts';

type MatchingDeps = { files: Pick<FileRecords, 'findAlike'>; clock: Clock };

type SentFile = { filename: string; path: string; size: number };
type Match = {
  /** Index of the caller's file. */
  index: number;
  file: StoredFile;
  /** Hash of the stored file's bytes as sent. */
  sha256: string;
};

const soonMs = 7 * dayMs; // as early as the dashboard warns
const filesReadMax = 10_000; // ten per file of the largest request, more copies than anyone keeps

/**
 * Finds files with the same folder, name and size: the newest of each content, in the caller's order. Skips files that will soon be deleted,
 * so that they are sent again.
 */
export async function findMatches(
  { files, clock }: MatchingDeps,
  { project, scopes }: Reader,
  sent: readonly SentFile[],
): Promise<Match[]> {
  const indexes = groupByIdentity(sent);
  const alike = [...indexes.values()].map(({ identity }) => identity);
  const matches: Match[] = [];
  const seen = new Set<string>();
  for (const file of await files.findAlike(project.slug, alike, filesReadMax)) {
    const isSeen = allowsPath(scopes, file.path) && (scopes.types?.has(file.type) ?? true);
    if (!isSeen || endsSoon(project, file, clock.now())) continue;
    const name = nameIdentity(file);
    const sha256 = file.sentSha256 ?? file.sha256;
    if (seen.has(`${name}\0${sha256}`)) continue;
    seen.add(`${name}\0${sha256}`);
    for (const index of indexes.get(name)?.indexes ?? []) matches.push({ index, file, sha256 });
  }
  return matches.toSorted((one, other) => one.index - other.index);
}

type Lookup = { identity: FileIdentity; indexes: number[] };

function groupByIdentity(sent: readonly SentFile[]): Map<string, Lookup> {
  const lookups = new Map<string, Lookup>();
  for (const [index, file] of sent.entries()) {
    const identity = readIdentity(file);
    if (identity === null) continue;
    const name = nameIdentity(identity);
    const known = lookups.get(name);
    if (known === undefined) lookups.set(name, { identity, indexes: [index] });
    else known.indexes.push(index);
  }
  return lookups;
}

/** Normalises as uploads do; null: the upload would be rejected or renamed, so nothing matches. */
function readIdentity({ filename, path, size }: SentFile): FileIdentity | null {
  if (filename === '') return null;
  try {
    return { filename: parseFilename(filename), path: parseFolderPath(path), sizeBytes: size };
  } catch (error) {
    if (isExpected(error)) return null;
    throw error;
  }
}

function nameIdentity({ path, filename, sizeBytes }: FileIdentity): string {
  return `${path}\0${filename}\0${sizeBytes}`;
}

function endsSoon({ retention }: Project, file: StoredFile, now: number): boolean {
  const days = findRetentionDays(retention, file);
  return days !== null && file.createdAt + days * dayMs - now <= soonMs;
}
