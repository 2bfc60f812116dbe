/** Lets commands read the journal of a running service. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isHeld } from '@tapedeck/durable-files';
import { LogStoreFailure } from '../../failures.ts';
import { localDisk } from './disk.ts';
import { listSegments, segmentPath } from './segment.ts';

const pollIntervalMs = 20;

/** Returns the bytes of acknowledged entries that the engine does not have yet, whether or not a service runs. */
export async function measureWaitingBytes(directory: string): Promise<number> {
  if (!existsSync(directory)) return 0;
  let bytes = 0;
  for (const { name } of await listSegments(localDisk, directory)) {
    const { size } = await stat(segmentPath({ directory, name })).catch(() => ({ size: 0 })); // inserted since
    bytes += size;
  }
  return bytes;
}

export function isJournalInUse(directory: string): boolean {
  return existsSync(directory) && isHeld(directory);
}

/** Resolves once the engine has everything acknowledged before the call: the service then removes those segments. Later segments do not matter. */
export async function waitUntilInserted(directory: string, timeMsMax: number): Promise<void> {
  const deadline = performance.now() + timeMsMax;
  for (let left = await listFilledSegments(directory, null); left.size > 0; ) {
    if (performance.now() > deadline) {
      throw new LogStoreFailure(
        'engine_unavailable',
        'The log engine refuses entries of the journal; see the log of the service.',
      );
    }
    await wait(pollIntervalMs);
    left = await listFilledSegments(directory, left);
  }
}

/** Also waits until no start could find those entries again, not even after a power cut. */
export async function waitUntilCleared(directory: string, timeMsMax: number): Promise<void> {
  await waitUntilInserted(directory, timeMsMax);
  await localDisk.syncDirectory(directory);
}

/** Lists the segments with content, among all segments or the known ones. */
async function listFilledSegments(directory: string, known: Set<string> | null): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { name } of await listSegments(localDisk, directory)) {
    if (known?.has(name) === false) continue;
    const { size } = await stat(segmentPath({ directory, name })).catch(() => ({ size: 0 })); // gone since
    if (size > 0) found.add(name);
  }
  return found;
}
