/** Makes missing directories. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './durableWrites.ts';
import { hasCode } from './failures.ts';

const usualMode = 0o777; // minus the process's umask

/**
 * Makes the parents one by one, because `mkdir` with `recursive` never ends on file systems that take no new directories, such as /proc.
 * Resolves once the new directories survive a power cut.
 */
export async function makeDirectory(directory: string, mode: number = usualMode): Promise<void> {
  const parent = path.dirname(directory);
  try {
    if (await makeOneDirectory(directory, mode)) await syncDirectory(parent);
  } catch (error) {
    if (!hasCode(error, ['ENOENT']) || parent === directory) throw error;
    await makeDirectory(parent, mode);
    if (await makeOneDirectory(directory, mode)) await syncDirectory(parent);
  }
}

/** Makes a directory in an existing parent, without syncing. Returns true if it was missing. */
export async function makeOneDirectory(directory: string, mode: number): Promise<boolean> {
  try {
    await mkdir(directory, mode);
    return true;
  } catch (error) {
    // Another process may have made it at the same moment.
    if (!hasCode(error, ['EEXIST']) || !(await stat(directory)).isDirectory()) throw error;
    return false;
  }
}
