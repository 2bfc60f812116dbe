/** Takes up moves of folders that a process left behind. */
import type { FolderMover } from '../domain/files/folderMover.ts';
import type { Repeated } from './scheduler.ts';

const intervalMs = 2_000; // one query for a table that is nearly always empty

/** `isShared`: other nodes may hold moves. Without them, all that is held when this process begins was held by one that is gone. */
export function listMoveJobs(folderMover: FolderMover, isShared: boolean): Repeated[] {
  let fromAnyone = !isShared;
  const work = async () => {
    await folderMover.takeUp({ fromAnyone });
    fromAnyone = false;
  };
  return [{ name: 'move folders', intervalMs, work }];
}
