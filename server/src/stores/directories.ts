/** Makes directories where there are none yet. */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * With its parents, one after another: `mkdir` with `recursive` never ends where a file system, such as /proc, takes no
 * new directories.
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // as all errors of the file system
    if (code === 'EEXIST' && (await stat(directory)).isDirectory()) return;
    const parent = path.dirname(directory);
    if (code !== 'ENOENT' || parent === directory) throw error;
    await makeDirectory(parent);
    await mkdir(directory);
  }
}
