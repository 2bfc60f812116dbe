/** The data directory: made when it is missing, refused in a sentence when it cannot be used. */
import { access, constants } from 'node:fs/promises';
import { ServiceError } from '../vocabulary.ts';
import { makeDirectory } from './disk/directories.ts';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const sentence = `The data directory ${directory} cannot be written to; set TAPEDECK_DATA_DIR to one that can.`;
    throw new ServiceError('unavailable', sentence, { cause });
  }
}
