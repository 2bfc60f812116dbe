/** Makes directories where there are none yet. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './failures.ts';

const usualMode = 0o777; // less what the process masks

/**
 * With its parents, one after another: `mkdir` with `recursive` never ends where a file system, such as /proc, takes no
 * new directories.
 */
export async function makeDirectory(directory: string, mode: number = usualMode): Promise<void> {
  try {
    await makeOneDirectory(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    if (!hasCode(error, ['ENOENT']) || parent === directory) throw error;
    await makeDirectory(parent, mode);
    await makeOneDirectory(directory, mode);
  }
}

/** In a parent that is there. */
export async function makeOneDirectory(directory: string, mode: number): Promise<void> {
  try {
    await mkdir(directory, mode);
  } catch (error) {
    // Somebody else may have made it in the same moment.
    if (!hasCode(error, ['EEXIST']) || !(await stat(directory)).isDirectory()) throw error;
  }
}
