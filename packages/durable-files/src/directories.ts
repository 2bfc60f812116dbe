/** Makes directories where there are none yet. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './failures.ts';
import { syncDirectory } from './writing.ts';

const usualMode = 0o777; // less what the process masks

/**
 * With its parents, one after another: `mkdir` with `recursive` never ends where a file system, such as /proc, takes no
 * new directories. Resolves once those that were missing survive a power cut.
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

/** Makes a directory in an existing parent, without syncing. True if it was missing. */
export async function makeOneDirectory(directory: string, mode: number): Promise<boolean> {
  try {
    await mkdir(directory, mode);
    return true;
  } catch (error) {
    // Somebody else may have made it in the same moment.
    if (!hasCode(error, ['EEXIST']) || !(await stat(directory)).isDirectory()) throw error;
    return false;
  }
}
