/** The data directory: created when missing, or rejected with a sentence when unusable. */
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isHeld, makeDirectory, readMarkFile, writeMarkFile } from '@tapedeck/durable-files';
import type { MarkedStore } from '../../domain/ports/installation.ts';
import { ServiceError } from '../../vocabulary.ts';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const sentence = `The data directory ${directory} cannot be written to; set TAPEDECK_DATA_DIR to one that can.`;
    throw new ServiceError('unavailable', sentence, { cause });
  }
}

/** The journal in it, and an engine of its own, hold entries of one installation. */
export function openDirectoryOwner(directory: string): MarkedStore {
  return {
    title: `the data directory ${directory}`,
    readMark: () => readMarkFile(directory),
    writeMark: installationId => writeMarkFile(directory, installationId),
  };
}

const addressFile = 'address';

/** For commands beside the service, which find it where the port is one that the system chose. */
export async function recordAddress(directory: string, url: string): Promise<void> {
  await writeFile(path.join(directory, addressFile), url);
}

/** null: no service uses the directory, or none can be seen from here. */
export async function findAddress(directory: string): Promise<string | null> {
  const url = await readMarkFile(directory, addressFile);
  return url !== null && isHeld(directory) ? url : null;
}
