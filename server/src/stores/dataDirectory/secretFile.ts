/** Stores the generated secret in the data directory. It is created once and only its owner can read it. */
import { existsSync } from 'node:fs';
import { link, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { limits, ServiceError } from '@tapedeck/domain/vocabulary';
import { hasCode, makeDirectory, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';
import { newId, newToken } from '@tapedeck/values/random-ids';

export const secretFileName = 'secret';

/** Returns the same secret to every process that shares the directory, from the first start on. */
export async function keepSecret(directory: string): Promise<string> {
  const file = path.join(directory, secretFileName);
  await makeDirectory(directory);
  const known = await readSecret(file);
  if (known !== null) return known;
  const draft = `${file}.${newId()}`;
  await writeSyncedFile(draft, `${newToken()}\n`);
  try {
    // A link fails if the file exists. If two processes race, one secret wins.
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, ['EEXIST'])) throw error;
  } finally {
    await unlink(draft);
  }
  await syncDirectory(directory);
  const kept = await readSecret(file);
  if (kept === null) throw new Error(`${file} disappeared while it was being created.`);
  return kept;
}

/** Returns null if no secret was ever made. */
export function readKeptSecret(directory: string): Promise<string | null> {
  return readSecret(path.join(directory, secretFileName));
}

/** Nodes that share a database need the same secret, so no node may generate one for itself. */
export function describeMissingSecret(directory: string): ServiceError {
  const file = path.join(directory, secretFileName);
  const former = existsSync(file) ? ` Until now this node used the one in ${file}: give that to all.` : '';
  return new ServiceError(
    'unavailable',
    `With TAPEDECK_DATABASE_URL, the service needs TAPEDECK_SECRET: at least ${limits.tokenCharactersMin} random characters, the same on every node.${former}`,
  );
}

/** Returns null if there is no secret yet. Refuses a guessable one, as the configuration does. */
async function readSecret(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(error => {
    if (hasCode(error, ['ENOENT'])) return null;
    throw error;
  });
  if (text === null) return null;
  const secret = text.trim();
  if (secret.length >= limits.tokenCharactersMin) return secret;
  throw new ServiceError(
    'unavailable',
    `The file ${file} must hold a secret of at least ${limits.tokenCharactersMin} characters; put the previous one back, or remove the file: the service then creates a new one, and sessions and presigned URLs end.`,
  );
}
