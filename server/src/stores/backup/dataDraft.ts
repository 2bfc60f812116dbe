/** The contents of a data directory in the making: inside of it, moved to their places when whole, removed when not. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../vocabulary.ts';
import { syncDirectory } from '../disk/syncing.ts';
import { isProcessAlive } from '../processes.ts';
import { requireEmptyFolder } from './folder.ts';

const draftName = '.restoring-'; // and the process
const draftPattern = /^\.restoring-\d+$/;

/**
 * The directory itself stays where it is: it may be a mount point, and its parent closed. Resolves once everything is in
 * its place and survives a power cut; else the directory holds what it held before, and what others wrote meanwhile.
 */
export async function fillDataDirectory<T>(
  directory: string,
  fill: (draft: string) => Promise<T>,
): Promise<T> {
  await removeLeftDrafts(directory);
  await requireEmptyFolder(directory, found => complainOf(directory, found));
  const name = `${draftName}${process.pid}`;
  const draft = path.join(directory, name);
  await mkdir(draft, { mode: 0o700 });
  try {
    const answer = await fill(draft);
    const other = (await readdir(directory)).find(found => found !== name);
    if (other !== undefined) throw new ServiceError('not_empty', complainOf(directory, other));
    await moveContents(draft, directory);
    return answer;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await syncDirectory(directory);
  }
}

function complainOf(directory: string, name: string): string {
  const sentence = `The data directory ${directory} holds ${name}; restore into an empty one.`;
  if (!draftPattern.test(name)) return sentence;
  // Another process may have the number of one that was killed, in containers above all.
  return `${sentence} When no other restore is under way, one that was killed left it: remove it.`;
}

/** Those of processes that were killed. */
async function removeLeftDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!draftPattern.test(name)) continue;
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
