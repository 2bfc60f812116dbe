/** Builds a data directory as a draft inside the final one. Moves a complete draft into place and deletes an incomplete one. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  isHeld,
  lockDirectory,
  makeDirectory,
  syncDirectory,
  writeSyncedFile,
} from '@tapedeck/durable-files';
import { requireEmptyFolder } from '../backupFolder.ts';

const ownName = '.restoring'; // holds a lock and the draft
const completeName = 'complete'; // written before the move, because a power cut may leave half of the draft on either side

/**
 * The directory itself stays in place: it may be a mount point, or its parent read-only. Resolves once everything is in place and survives a
 * power cut. Otherwise the directory keeps its previous contents and whatever other programs wrote.
 */
export async function fillDataDirectory<T>(
  directory: string,
  fill: (draft: string) => Promise<T>,
): Promise<T> {
  const complain = (name: string) =>
    `The data directory ${directory} holds ${name}; restore into an empty one.`;
  await finishMove(directory);
  await requireEmptyFolder(directory, complain, ownName);
  const own = path.join(directory, ownName);
  await makeDirectory(own);
  using _lock = lockDirectory(own, `Another ${describeRunning(directory)}`);
  const draft = path.join(own, 'draft');
  try {
    await rm(draft, { recursive: true, force: true }); // left by a killed restore
    await mkdir(draft, { mode: 0o700 });
    const answer = await fill(draft);
    const other = (await readdir(directory)).find(found => found !== ownName);
    if (other !== undefined) throw new ServiceError('not_empty', complain(other));
    await moveContents(own, directory);
    return answer;
  } finally {
    await rm(own, { recursive: true, force: true });
    await syncDirectory(directory);
  }
}

/**
 * Run it before anything uses the directory. Finishes moving a complete draft after a power cut. Rejects while a restore is under way or unfinished:
 * a new installation would begin beside it, and the restore could no longer end.
 */
export async function finishRestore(directory: string): Promise<void> {
  await finishMove(directory);
  const own = path.join(directory, ownName);
  if (!existsSync(own) || (await readdir(directory)).length > 1) return;
  const sentence = isHeld(own)
    ? `A ${describeRunning(directory)}`
    : `A restore into ${directory} is not finished: run \`tapedeck restore\` again, or remove ${own} to start over.`;
  throw new ServiceError('unavailable', sentence);
}

function describeRunning(directory: string): string {
  return `restore into ${directory} is under way; wait until it ends.`;
}

async function finishMove(directory: string): Promise<void> {
  const own = path.join(directory, ownName);
  if (!existsSync(path.join(own, completeName))) return;
  using _lock = lockDirectory(own, `A ${describeRunning(directory)}`);
  if (existsSync(path.join(own, 'draft'))) await moveContents(own, directory);
  await rm(own, { recursive: true, force: true });
  await syncDirectory(directory);
}

/**
 * Moves all of the draft or nothing: if a move fails, it moves the earlier ones back. After a power cut it only moves forward, because it
 * can't know what was moved before.
 */
async function moveContents(own: string, directory: string): Promise<void> {
  const draft = path.join(own, 'draft');
  const complete = path.join(own, completeName);
  const isBegun = existsSync(complete);
  await syncDirectory(draft);
  if (!isBegun) await writeSyncedFile(complete, '');
  await syncDirectory(own);
  const moved: string[] = [];
  try {
    for (const name of await readdir(draft)) {
      await rename(path.join(draft, name), path.join(directory, name));
      moved.push(name);
    }
    await syncDirectory(directory);
  } catch (error) {
    if (isBegun) throw error;
    for (const name of moved) await rename(path.join(directory, name), path.join(draft, name));
    await rm(complete);
    throw error;
  }
}
