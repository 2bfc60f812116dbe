/** Keeps the generated secret in the data directory, made once, readable by its owner alone. */
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { newId, newToken } from '../domain/ids.ts';

const ownerOnly = 0o600;

export const secretFileName = 'secret';

/** The same secret for every process that shares the directory, from the first start on. */
export async function keepSecret(directory: string): Promise<string> {
  const file = path.join(directory, secretFileName);
  await mkdir(directory, { recursive: true });
  const known = await readSecret(file);
  if (known !== null) return known;
  const draft = `${file}.${newId()}`;
  await writeSynced(draft, newToken());
  try {
    // A link fails where the file exists: of two processes at once, one's secret counts.
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  await syncDirectory(directory);
  const kept = await readSecret(file);
  if (kept === null) throw new Error(`${file} vanished while it was being made.`);
  return kept;
}

async function readSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', ownerOnly);
  await handle.writeFile(`${text}\n`);
  await handle.sync();
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
