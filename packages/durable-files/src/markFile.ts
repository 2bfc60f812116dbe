/** Stores an installation's id as a file in each of its directories. */
import { randomUUID } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from './directories.ts';
import { syncDirectory, writeSyncedFile } from './durableWrites.ts';
import { hasCode } from './failures.ts';

const fileNameUsual = 'installation';

/** Returns null if there is no mark. */
export async function readMarkFile(directory: string, fileName = fileNameUsual): Promise<string | null> {
  try {
    return (await readFile(path.join(directory, fileName), 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return null;
    throw error;
  }
}

export async function writeMarkFile(
  directory: string,
  text: string,
  fileName = fileNameUsual,
): Promise<void> {
  await makeDirectory(directory);
  const file = path.join(directory, fileName);
  const draft = `${file}.${randomUUID()}`;
  await writeSyncedFile(draft, `${text}\n`);
  await rename(draft, file);
  await syncDirectory(directory);
}
