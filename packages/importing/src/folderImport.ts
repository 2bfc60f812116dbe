/** Imports the files of a folder. Subfolders become paths. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '@tapedeck/client';
import { hasCode } from '@tapedeck/durable-files';
import type { Destination } from './destination.ts';
import { storeFile } from './fileStoring.ts';
import type { ImportCounts, ImportWatch } from './importReport.ts';
import type { ImportState } from './importState.ts';

const doneName = 'done.ndjson';

type DoneLine = { name: string; sizeBytes: number; modifiedAtMs: number };
export type FolderImportDeps = { destination: Destination; folder: ImportState; watch: ImportWatch };

/** `path`: the folder at the destination. */
export async function importFolder(
  deps: FolderImportDeps,
  from: string,
  { path: below }: { path: string },
): Promise<ImportCounts> {
  const { folder, watch } = deps;
  const done = new Map((await folder.readLines<DoneLine>(doneName)).map(line => [line.name, line]));
  const names = await listNames(from);
  const report = watch.openProgress('files', names.length);
  const counts: ImportCounts = { found: names.length, imported: 0, skipped: 0, failed: 0 };
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    const outcome = await bringChanged(deps, { from, name, below, known: done.get(name) });
    if (typeof outcome === 'string') {
      watch.refuse(name, outcome);
      counts.failed += 1;
    } else {
      const { isNew, ...line } = outcome;
      if (isNew) await folder.addLine(doneName, line);
      counts[isNew ? 'imported' : 'skipped'] += 1;
      bytes += line.sizeBytes;
    }
    report({ files: index + 1, bytes });
  }
  return counts;
}

type Candidate = { from: string; name: string; below: string; known: DoneLine | undefined };

/** Returns a sentence if the file cannot be imported. */
async function bringChanged(
  { destination }: FolderImportDeps,
  { from, name, below, known }: Candidate,
): Promise<(DoneLine & { isNew: boolean }) | string> {
  const file = path.join(from, name);
  try {
    const facts = await readFacts(file);
    const isNew = known?.sizeBytes !== facts.sizeBytes || known.modifiedAtMs !== facts.modifiedAtMs;
    if (isNew) await bringFile(destination, { file, name, below, sizeBytes: facts.sizeBytes });
    return { name, ...facts, isNew };
  } catch (error) {
    return explainFailure(error);
  }
}

async function readFacts(file: string): Promise<{ sizeBytes: number; modifiedAtMs: number }> {
  const facts = await stat(file);
  if (facts.isDirectory()) {
    const isLink = (await lstat(file)).isSymbolicLink();
    throw new Unreadable(
      isLink ? 'it is a link to a folder, which is not followed.' : 'it is a folder that you may not read.',
    );
  }
  if (!facts.isFile()) throw new Unreadable('it is no plain file.');
  return { sizeBytes: facts.size, modifiedAtMs: facts.mtimeMs };
}

/**
 * Lists files, links and unreadable folders by name, without dot files. Does not follow links to folders, which may lead in a circle or out of the
 * folder.
 */
async function listNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const name = path.join(below, entry.name);
      const isWalked = entry.isDirectory() && (await walk(name).then(() => true, isUnreadable));
      if (!isWalked) names.push(name);
    }
  };
  await walk('');
  return names.sort();
}

/** Returns false, so that the folder is listed as failed. */
function isUnreadable(error: unknown): false {
  if (hasCode(error, Object.keys(reasons))) return false;
  throw error;
}

type Brought = { file: string; name: string; below: string; sizeBytes: number };

async function bringFile(destination: Destination, { file, name, below, sizeBytes }: Brought): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const parts = name.split(path.sep);
  const folders = [...below.split('/').filter(Boolean), ...parts.slice(0, -1)].join('/');
  const metadata = { imported: { path: parts.join('/') } };
  const given = { name, filename: parts.at(-1) ?? '', path: folders, metadata, retentionExempt: false };
  await storeFile(destination, given, { file, sizeBytes, sha256: hash.digest('hex') });
}

/** A failure of one file; other errors end the import. */
class Unreadable extends Error {}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you may not read it.',
  EPERM: 'you may not read it.',
  ENOENT: 'it is gone, or a link to nothing, or its name is not UTF-8.',
  ELOOP: 'it is a link to itself.',
  EIO: 'the disk cannot read it.',
};

function explainFailure(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (error instanceof ApiError && [400, 413, 415, 422].includes(error.status)) return error.message;
  const [, reason] = Object.entries(reasons).find(([code]) => hasCode(error, [code])) ?? [];
  if (reason === undefined) throw error;
  return reason;
}
