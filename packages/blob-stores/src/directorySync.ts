/** Renames and deletions become durable here: one sync of a directory serves everybody who waits for it. */
import { constants } from 'node:fs';
import path from 'node:path';
import { hasCode, syncDirectory } from '@tapedeck/durable-files';
import { explain } from './fileCalls.ts';

const unfollowed = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Resolves once everything that was done in the directory before the call survives a power cut. Calls that come while
 * a sync is under way share the next one, for that one may have begun too early for them.
 */
export type DirectorySync = (directory: string) => Promise<void>;

export function openDirectorySync(): DirectorySync {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  const start = (directory: string): Promise<void> => {
    waiting.delete(directory);
    const sync = syncStanding(directory).finally(() => {
      if (running.get(directory) === sync) running.delete(directory);
    });
    running.set(directory, sync);
    return sync;
  };

  return directory => {
    const shared = waiting.get(directory);
    if (shared !== undefined) return shared;
    const current = running.get(directory);
    if (current === undefined) return start(directory);
    const next = current.then(
      () => start(directory),
      () => start(directory),
    );
    waiting.set(directory, next);
    return next;
  };
}

/** For an entry that was removed together with its directory, the one above tells of it. */
async function syncStanding(directory: string): Promise<void> {
  try {
    await syncDirectory(directory, unfollowed);
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return syncStanding(path.dirname(directory));
    throw explain(error);
  }
}
