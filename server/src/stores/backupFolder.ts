/** A backup on disk: one folder a part, and a manifest that is written last, so that half a backup is none. */
import { opendir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';
import type { BackupPart } from '../domain/ports/backup.ts';
import { ServiceError } from '../vocabulary.ts';
import { describeDamage } from './backupDamage.ts';

const format = 2; // 1 had no contents

export type Manifest = {
  format: typeof format;
  version: string;
  createdAt: string;
  parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Of each part. */
  contents: Readonly<Record<string, Contents>>;
};

/** All that lies in a folder and below it. */
type Contents = { files: number; bytes: number };

export type Backup = { folder: string; manifest: Manifest };

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
  const contents: Record<string, Contents> = {};
  for (const part of parts) {
    const place = path.join(folder, part.name);
    await makeDirectory(place);
    counts[part.name] = await part.save(place);
    contents[part.name] = await measureContents(place);
    await syncDirectory(place);
  }
  const manifest: Manifest = { format, ...made, parts: counts, contents };
  await writeSyncedFile(path.join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  await syncDirectory(folder);
  return manifest;
}

/** Rejects when a file is missing, or ends too early. Whether the bytes are right is found when they are restored. */
export async function openBackup(folder: string): Promise<Backup> {
  const manifest = await readManifest(folder);
  for (const [name, saved] of Object.entries(manifest.contents)) {
    const place = path.join(folder, name);
    const found = await measureContents(place);
    if (found.files === saved.files && found.bytes === saved.bytes) continue;
    throw describeDamage(
      `${place} holds ${found.files} files of ${found.bytes} bytes together, where ${saved.files} of ${saved.bytes} were saved.`,
    );
  }
  return { folder, manifest };
}

export async function restoreBackup(
  { folder, manifest }: Backup,
  parts: readonly BackupPart[],
): Promise<void> {
  for (const part of parts) {
    if (manifest.parts[part.name] !== undefined) await part.restore(path.join(folder, part.name));
  }
}

/** A folder that is not there holds nothing. There may be very many files: their names are not kept. */
async function measureContents(folder: string): Promise<Contents> {
  const contents = { files: 0, bytes: 0 };
  const entries = await opendir(folder).catch(() => []);
  for await (const entry of entries) {
    const place = path.join(folder, entry.name);
    const found = entry.isDirectory()
      ? await measureContents(place)
      : { files: 1, bytes: (await stat(place)).size };
    contents.files += found.files;
    contents.bytes += found.bytes;
  }
  return contents;
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
    if (manifest.format === format) return manifest;
  } catch (cause) {
    throw new ServiceError(
      'not_found',
      `${folder} holds no complete backup: its ${manifestName} cannot be read.`,
      { cause },
    );
  }
  throw new ServiceError(
    'not_found',
    `The backup in ${folder} was made by another version of Tapedeck; restore it with that one.`,
  );
}
