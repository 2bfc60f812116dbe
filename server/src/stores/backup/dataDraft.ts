/** The contents of a data directory in the making: inside of it, moved to their places when whole, removed when not. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../vocabulary.ts';
import { syncDirectory } from '../disk/syncing.ts';
import { isProcessAlive } from '../processes.ts';
import { requireEmptyFolder } from './folder.ts';

const draftName = '.restoring-'; // and the process

/**
 * The directory itself stays where it is: it may be a mount point, and its parent closed. Resolves once everything is in
 * its place and survives a power cut; else the directory holds what it held before, and what others wrote meanwhile.
 */
export async function fillDataDirectory<T>(
  directory: string,
  fill: (draft: string) => Promise<T>,
): Promise<T> {
  const sentence = `The data directory ${directory} holds something; restore into an empty one.`;
  await removeLeftDrafts(directory);
  await requireEmptyFolder(directory, sentence);
  const name = `${draftName}${process.pid}`;
  const draft = path.join(directory, name);
  await mkdir(draft, { mode: 0o700 });
  try {
    const answer = await fill(draft);
    if ((await readdir(directory)).some(other => other !== name))
      throw new ServiceError('not_empty', sentence);
    await moveContents(draft, directory);
    return answer;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await syncDirectory(directory);
  }
}

/** Those of processes that were killed. */
async function removeLeftDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!/^\.restoring-\d+$/.test(name)) continue;
    const pid = Number(name.slice(draftName.length));
    if (pid === process.pid || !isProcessAlive(pid))
      await rm(path.join(directory, name), { recursive: true });
  }
}

/** All or none of them: what has been moved goes back into the draft when the next one cannot be moved. */
async function moveContents(draft: string, directory: string): Promise<void> {
  await syncDirectory(draft);
  const moved: string[] = [];
  try {
    for (const name of await readdir(draft)) {
      await rename(path.join(draft, name), path.join(directory, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) await rename(path.join(directory, name), path.join(draft, name));
    throw error;
  }
}
