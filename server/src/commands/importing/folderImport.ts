/** Brings the files of a folder in, with its folders as paths. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '@tapedeck/client';
import type { Destination } from './destination.ts';
import { storeFile } from './fileStoring.ts';
import type { ImportFolder } from './importFolder.ts';
import type { ImportCounts, ImportWatch } from './importReport.ts';

const doneName = 'done.ndjson';

type DoneLine = { name: string; sizeBytes: number; modifiedAtMs: number };
export type FolderImportDeps = { destination: Destination; folder: ImportFolder; watch: ImportWatch };

/** `path`: the folder at the destination. */
export async function importFolder(
  deps: FolderImportDeps,
  from: string,
  { path: below }: { path: string },
): Promise<ImportCounts> {
  const { folder, watch } = deps;
  const done = new Map((await folder.readLines<DoneLine>(doneName)).map(line => [line.name, line]));
  const names = await listNames(from);
  const tell = watch.openProgress('files', names.length);
  const counts: ImportCounts = { found: names.length, imported: 0, skipped: 0, failed: 0 };
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    const file = path.join(from, name);
    const { size: sizeBytes, mtimeMs: modifiedAtMs } = await stat(file);
    const known = done.get(name);
    if (known?.sizeBytes === sizeBytes && known.modifiedAtMs === modifiedAtMs) counts.skipped += 1;
    else {
      const sentence = await bringFile(deps, { file, name, below, sizeBytes });
      counts[sentence === null ? 'imported' : 'failed'] += 1;
      if (sentence === null) await folder.addLine(doneName, { name, sizeBytes, modifiedAtMs });
      else watch.refuse(name, sentence);
    }
    bytes += sizeBytes;
    tell({ files: index + 1, bytes });
  }
  return counts;
}

/** Plain files, in the order of their names; those whose name begins with a dot are left out. */
async function listNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)));
  return names.filter(name => !name.split(path.sep).some(part => part.startsWith('.'))).sort();
}

type Brought = { file: string; name: string; below: string; sizeBytes: number };

/** null: it is stored; else why it is not. */
async function bringFile(
  { destination }: FolderImportDeps,
  { file, name, below, sizeBytes }: Brought,
): Promise<string | null> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const parts = name.split(path.sep);
  const folders = [...below.split('/').filter(Boolean), ...parts.slice(0, -1)].join('/');
  const metadata = { imported: { path: parts.join('/') } };
  const given = { name, filename: parts.at(-1) ?? '', path: folders, metadata, retentionExempt: false };
  try {
    await storeFile(destination, given, { file, sizeBytes, sha256: hash.digest('hex') });
    return null;
  } catch (error) {
    if (error instanceof ApiError && [400, 413, 415, 422].includes(error.status)) return error.message;
    throw error;
  }
}
