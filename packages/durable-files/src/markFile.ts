/** The id of an installation in a directory that belongs to it, as a file. */
import { randomUUID } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from './directories.ts';
import { hasCode } from './failures.ts';
import { syncDirectory, writeSyncedFile } from './writing.ts';

const fileNameUsual = 'installation';

/** null where there is none. */
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
