/** Opens the data directory. Creates a missing one and rejects an unusable one with a message. */
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MarkedStore } from '@tapedeck/domain/ports/installation';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { isHeld, makeDirectory, readMarkFile, writeMarkFile } from '@tapedeck/durable-files';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const sentence = `The data directory ${directory} cannot be written to; set TAPEDECK_DATA_DIR to one that can.`;
    throw new ServiceError('unavailable', sentence, { cause });
  }
}

/** The journal and any embedded engine in it hold entries of one installation. */
export function openDirectoryOwner(directory: string): MarkedStore {
  return {
    title: `the data directory ${directory}`,
    readMark: () => readMarkFile(directory),
    writeMark: installationId => writeMarkFile(directory, installationId),
  };
}

const addressFile = 'address';

/** Records the service's address for commands on the same machine, because the system may choose the port. */
export async function recordAddress(directory: string, url: string): Promise<void> {
  await writeFile(path.join(directory, addressFile), url);
}

/** Returns null if no service uses the directory, or none that is visible from here. */
export async function findAddress(directory: string): Promise<string | null> {
  const url = await readMarkFile(directory, addressFile);
  return url !== null && isHeld(directory) ? url : null;
}
