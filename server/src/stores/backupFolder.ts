/**
 * A backup on disk has a folder per part and a manifest. The manifest is written last, so that an incomplete backup doesn't count.
 * A repeated backup adds new files and replaces everything else. It deletes what it replaced once the new manifest is in place.
 */
import { createReadStream } from 'node:fs';
import { opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { BackupPart } from '@tapedeck/domain/ports/backup';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  isUnchanged,
  lockDirectory,
  lockName,
  makeDirectory,
  syncDirectory,
  writeChecked,
  writeSyncedFile,
} from '@tapedeck/durable-files';
import { describeDamage } from './backupDamage.ts';

const format = 3; // format 2 had one backup per folder, format 1 no contents
const formatMin = 2;

export type Manifest = {
  format: number;
  version: string;
  createdAt: string;
  /** The installation that made the backup; absent in format 2. */
  installation?: string;
  /** How many backups were made into this folder. */
  generation?: number;
  parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Contents by part. */
  contents: Readonly<Record<string, Contents>>;
  /** Parts whose folder all backups share. An index lists which of its files belong to this backup. */
  shared?: readonly string[];
};

/** Counts the files of a folder and its subfolders; in a shared one, only those of this backup. */
type Contents = { files: number; bytes: number };

export type Backup = { folder: string; manifest: Manifest };

export const manifestName = 'manifest.json';
/** Names the installation whose backup is being made, so that a later one can continue it. */
export const unfinishedName = 'unfinished.json';
const unfinishedDraftName = `${unfinishedName}.draft`;

/** The first generation has plain names. */
function nameFolder(part: string, { generation = 1, shared = [] }: Manifest): string {
  return shared.includes(part) || generation === 1 ? part : `${part}-${generation}`;
}

function nameIndex(part: string, { generation = 1 }: Manifest): string {
  return `${part}-${generation}.index`;
}

/** Called for each part before it is saved. `measure` returns how much of it is saved so far. */
export type BackupWatch = (
  part: string,
  progress: { counts: Manifest['parts']; measure(): Promise<Contents> },
) => Disposable;

type Made = { version: string; createdAt: string; installation: string };

export async function saveBackup(
  folder: string,
  parts: readonly BackupPart[],
  { watch, ...made }: Made & { watch: BackupWatch | null },
): Promise<Manifest> {
  const former = await readFormer(folder, made.installation);
  await markUnfinished(folder, made.installation);
  using _lock = lockDirectory(folder, `Another backup into ${folder} is under way; wait until it ends.`);
  const shared = parts.filter(({ isShared }) => isShared).map(({ name }) => name);
  const generation = (former?.generation ?? 0) + 1;
  const begun: Manifest = { format, ...made, generation, shared, parts: {}, contents: {} };
  const kept = [unfinishedName, ...(former === null ? [] : listNames(former))];
  await removeOthers(folder, kept, shared); // left by a killed backup
  const counts: Record<string, Readonly<Record<string, number>>> = {};
  const contents: Record<string, Contents> = {};
  for (const part of parts) {
    const place = path.join(folder, nameFolder(part.name, begun));
    await makeDirectory(place);
    const index: string[] = [];
    const noted: Contents = { files: 0, bytes: 0 };
    const measure = async () => (part.isShared ? noted : await measureContents(place));
    using _shown = watch?.(part.name, { counts, measure });
    counts[part.name] = await part.save(place, async (file, sizeBytes) => {
      index.push(`${JSON.stringify([file, sizeBytes])}\n`);
      noted.files += 1;
      noted.bytes += sizeBytes;
    });
    if (part.isShared) await writeChecked(path.join(folder, nameIndex(part.name, begun)), iterate(index));
    contents[part.name] = await measure();
    await syncDirectory(place);
  }
  const manifest: Manifest = { ...begun, parts: counts, contents };
  await replaceManifest(folder, manifest);
  await removeOthers(folder, listNames(manifest), []);
  for (const name of shared) await removeUnlisted(folder, name, manifest);
  return manifest;
}

/** Resolves once the note survives a power cut. Without it, the next backup would refuse the folder. */
async function markUnfinished(folder: string, installation: string): Promise<void> {
  if ((await readUnfinished(folder)) !== installation) {
    const draft = path.join(folder, unfinishedDraftName);
    await rm(draft, { force: true });
    await writeSyncedFile(draft, JSON.stringify({ installation }));
    await rename(draft, path.join(folder, unfinishedName));
  }
  await syncDirectory(folder);
}

async function* iterate(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function replaceManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = path.join(folder, `${manifestName}.draft`);
  await rm(draft, { force: true });
  await writeSyncedFile(draft, `${JSON.stringify(manifest, null, 2)}\n`);
  await syncDirectory(folder);
  await rename(draft, path.join(folder, manifestName));
  await syncDirectory(folder);
}

/** Lists the names directly inside a backup's folder. */
export function listNames(manifest: Manifest): string[] {
  const indexes = (manifest.shared ?? []).map(name => nameIndex(name, manifest));
  const folders = Object.keys(manifest.parts).map(name => nameFolder(name, manifest));
  return [manifestName, lockName, ...folders, ...indexes, ...indexes.map(name => `${name}.sha256`)];
}

async function removeOthers(
  folder: string,
  kept: readonly string[],
  shared: readonly string[],
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (kept.includes(name) || shared.includes(name) || name === lockName) continue;
    await rm(path.join(folder, name), { recursive: true });
  }
}

/** Removes files that were deleted since the last backup. */
async function removeUnlisted(folder: string, part: string, manifest: Manifest): Promise<void> {
  const listed = new Set<string>();
  for await (const [file] of readIndex({ folder, manifest }, part)) listed.add(file);
  const place = path.join(folder, part);
  for (const name of await readdir(place, { recursive: true, withFileTypes: true })) {
    const file = path.join(name.parentPath, name.name);
    if (name.isFile() && !listed.has(path.relative(place, file))) await rm(file);
  }
}

export async function* readIndex(
  { folder, manifest }: Backup,
  part: string,
): AsyncGenerator<[file: string, sizeBytes: number]> {
  const file = path.join(folder, nameIndex(part, manifest));
  if (!(await isUnchanged(file))) throw describeDamage(`${file} differs from what was saved.`);
  for await (const line of createInterface({ input: createReadStream(file) })) {
    // Written by `saveBackup`. Its checksum matches.
    yield JSON.parse(line) as [string, number];
  }
}

/** Returns null if the folder has no backup yet. Refuses folders with other contents. */
async function readFormer(folder: string, installation: string): Promise<Manifest | null> {
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes(manifestName)) {
    const begunBy = await readUnfinished(folder);
    if (begunBy === installation) return null;
    // A power cut leaves a draft of the note. An earlier version could also leave an empty note. The folder then holds nothing else.
    const begun = [lockName, unfinishedName, unfinishedDraftName];
    if (begunBy === null && names.length > 0 && names.every(name => begun.includes(name))) return null;
    await requireEmptyFolder(
      folder,
      name =>
        `The backup needs a missing or empty folder, or one with an earlier backup of this installation; ${folder} holds ${name}.`,
      lockName,
    );
    return null;
  }
  const former = await readManifest(folder);
  if (former.installation === installation) return former;
  const whose = former.installation === undefined ? 'an earlier version' : 'another installation';
  throw new ServiceError(
    'not_empty',
    `The folder ${folder} holds a backup of ${whose}; name another folder.`,
  );
}

/** Returns the installation whose backup was begun here, or null if there is none or it is unknown. */
async function readUnfinished(folder: string): Promise<string | null> {
  try {
    // Written by `saveBackup`.
    const { installation } = JSON.parse(await readFile(path.join(folder, unfinishedName), 'utf8')) as Made;
    return installation;
  } catch {
    return null;
  }
}

/** Finds the size of a file in a shared part, by its path on disk or its name in the backup. */
type FindSize = (name: string, place: string) => Promise<number | null>;

const findSizeOnDisk: FindSize = async (_name, place) => (await stat(place).catch(() => null))?.size ?? null;

/** Rejects if a file is missing or too short. The restore checks the bytes themselves. */
export async function openBackup(folder: string, findSize: FindSize = findSizeOnDisk): Promise<Backup> {
  const manifest = await readManifest(folder);
  const backup = { folder, manifest };
  for (const [name, saved] of Object.entries(manifest.contents)) {
    const place = path.join(folder, nameFolder(name, manifest));
    const found = manifest.shared?.includes(name)
      ? await measureListed(backup, name, findSize)
      : await measureContents(place);
    if (found.files === saved.files && found.bytes === saved.bytes) continue;
    throw describeDamage(
      `${place} holds ${found.files} files of ${found.bytes} bytes together, where ${saved.files} of ${saved.bytes} were saved.`,
    );
  }
  return backup;
}

export async function restoreBackup(
  { folder, manifest }: Backup,
  parts: readonly Pick<BackupPart, 'name' | 'restore'>[],
): Promise<void> {
  for (const part of parts) {
    if (manifest.parts[part.name] !== undefined)
      await part.restore(path.join(folder, nameFolder(part.name, manifest)));
  }
}

/** Counts the files of the backup that exist with their listed length. */
async function measureListed(backup: Backup, part: string, findSize: FindSize): Promise<Contents> {
  const contents = { files: 0, bytes: 0 };
  for await (const [file, sizeBytes] of readIndex(backup, part)) {
    if ((await findSize(`${part}/${file}`, path.join(backup.folder, part, file))) !== sizeBytes) continue;
    contents.files += 1;
    contents.bytes += sizeBytes;
  }
  return contents;
}

/** A missing folder counts as empty. There may be very many files, so it doesn't keep their names. */
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

/** Creates the folder if it is missing. Otherwise rejects with a message about the first unexpected file. */
export async function requireEmptyFolder(
  folder: string,
  compose: (name: string) => string,
  allowedName?: string,
): Promise<void> {
  try {
    await makeDirectory(folder);
  } catch (cause) {
    throw new ServiceError('unavailable', `The folder ${folder} cannot be created; name another.`, { cause });
  }
  const name = (await readdir(folder)).find(found => found !== allowedName);
  if (name !== undefined) throw new ServiceError('not_empty', compose(name));
}

async function readManifest(folder: string): Promise<Manifest> {
  try {
    // Written by `saveBackup`. The next line checks the format.
    const manifest = JSON.parse(await readFile(path.join(folder, manifestName), 'utf8')) as Manifest;
    if (manifest.format >= formatMin && manifest.format <= format) return manifest;
  } catch (cause) {
    const isBegun = (await readUnfinished(folder)) !== null;
    const sentence = isBegun
      ? `The backup in ${folder} is not finished: run \`tapedeck backup\` again to continue it.`
      : `${folder} holds no complete backup: its ${manifestName} cannot be read.`;
    throw new ServiceError('not_found', sentence, { cause });
  }
  throw new ServiceError(
    'not_found',
    `The backup in ${folder} was made by another version of Tapedeck; restore it with that one.`,
  );
}
