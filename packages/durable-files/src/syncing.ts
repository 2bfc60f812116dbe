/** Makes names and files survive a power cut, for every store that keeps something on this machine's disk. */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const openDescriptor = promisify(fs.open);
const fsync = promisify(fs.fsync);

const ownerOnly = 0o600; // backups and secrets hold what nobody else is to read

/** Resolves once names that were made, changed or removed in the directory survive a power cut. */
export async function syncDirectory(directory: string, flags = fs.constants.O_RDONLY): Promise<void> {
  const descriptor = await openDescriptor(directory, flags);
  try {
    await fsync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Resolves once the bytes of the new file survive a power cut; its name does once its directory is synced. */
export async function writeSyncedFile(
  file: string,
  content: string | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await using handle = await open(file, 'wx', ownerOnly);
  await handle.writeFile(content);
  await handle.sync();
}
