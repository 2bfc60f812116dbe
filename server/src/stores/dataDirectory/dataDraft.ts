/** A data directory in the making: written inside the final one, renamed into place when complete, deleted otherwise. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { lockDirectory, makeDirectory, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';
import { ServiceError } from '../../vocabulary.ts';
import { requireEmptyFolder } from '../backupFolder.ts';

const ownName = '.restoring'; // holds a lock and the draft
const completeName = 'complete'; // beside the draft while it is moved, because a power cut may leave half of it on either side

/**
 * The directory itself stays where it is: it may be a mount point, and its parent closed. Resolves once everything is in
 * its place and survives a power cut; else the directory holds what it held before, and what others wrote meanwhile.
 */
export async function fillDataDirectory<T>(
  directory: string,
  fill: (draft: string) => Promise<T>,
): Promise<T> {
  const complain = (name: string) =>
    `The data directory ${directory} holds ${name}; restore into an empty one.`;
  await finishRestore(directory);
  await requireEmptyFolder(directory, complain, ownName);
  const own = path.join(directory, ownName);
  await makeDirectory(own);
  using _lock = lockDirectory(own, `Another restore into ${directory} is under way; wait for its end.`);
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

/** Goes on where a power cut ended a restore whose draft was complete. Nothing may use the directory before. */
export async function finishRestore(directory: string): Promise<void> {
  const own = path.join(directory, ownName);
  if (!existsSync(path.join(own, completeName))) return;
  using _lock = lockDirectory(own, `A restore into ${directory} is under way; wait for its end.`);
  if (existsSync(path.join(own, 'draft'))) await moveContents(own, directory);
  await rm(own, { recursive: true, force: true });
  await syncDirectory(directory);
}

/**
 * All or none of them: what has been moved goes back into the draft when the next one cannot be moved. What a power cut left moves on
 * alone, for nobody knows what was moved before.
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
