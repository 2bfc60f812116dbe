/** Renames and deletions become durable here: one sync of a directory serves everybody who waits for it. */
import { syncDirectory } from './fileCalls.ts';

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
    const sync = syncDirectory(directory).finally(() => {
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
