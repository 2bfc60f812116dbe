/** A backup on disk: one folder a part, and a manifest that is written last, so that half a backup is none. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BackupPart } from '../../domain/ports/backup.ts';
import { ServiceError } from '../../vocabulary.ts';
import { makeDirectory } from '../disk/directories.ts';
import { syncDirectory, writeSyncedFile } from '../disk/syncing.ts';

export type Manifest = {
  format: 1;
  version: string;
  createdAt: string;
  parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

const manifestName = 'manifest.json';

export async function saveBackup(
  folder: string,
  parts: readonly BackupPart[],
  made: Pick<Manifest, 'version' | 'createdAt'>,
): Promise<Manifest> {
  await requireEmptyFolder(
    folder,
    name => `The backup wants an absent or empty folder; ${folder} holds ${name}.`,
  );
  const counts: Record<string, Readonly<Record<string, number>>> = {};
  for (const part of parts) {
    const place = path.join(folder, part.name);
    await makeDirectory(place);
    counts[part.name] = await part.save(place);
    await syncDirectory(place);
  }
  const manifest: Manifest = { format: 1, ...made, parts: counts };
  await writeSyncedFile(path.join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  await syncDirectory(folder);
  return manifest;
}

export async function restoreBackup(folder: string, parts: readonly BackupPart[]): Promise<Manifest> {
  const manifest = await readManifest(folder);
  for (const part of parts) {
    if (manifest.parts[part.name] !== undefined) await part.restore(path.join(folder, part.name));
  }
  return manifest;
}

/** Makes the folder where there is none. The sentence says what was found in it, beside what may be there. */
export async function requireEmptyFolder(
  folder: string,
  compose: (name: string) => string,
  allowedName?: string,
): Promise<void> {
  try {
    await makeDirectory(folder);
  } catch (cause) {
    throw new ServiceError('unavailable', `The folder ${folder} cannot be made; name another.`, { cause });
  }
  const name = (await readdir(folder)).find(found => found !== allowedName);
  if (name !== undefined) throw new ServiceError('not_empty', compose(name));
}

async function readManifest(folder: string): Promise<Manifest> {
  try {
    // Written by saveBackup; the format is checked right away.
    const manifest = JSON.parse(await readFile(path.join(folder, manifestName), 'utf8')) as Manifest;
    if (manifest.format === 1) return manifest;
  } catch (cause) {
    throw new ServiceError(
      'not_found',
      `${folder} holds no complete backup: its ${manifestName} cannot be read.`,
      { cause },
    );
  }
  throw new ServiceError('not_found', `The backup in ${folder} was made by a newer version of Tapedeck.`);
}
