/** Resumes folder moves that a process left unfinished. */
import type { FolderMover } from '@tapedeck/domain/files/folderMover';
import type { Repeated } from './scheduler.ts';

const intervalMs = 2_000; // one query for a table that is nearly always empty

/** `isShared`: other nodes may hold moves. Otherwise every held move found at the start belongs to a process that is gone. */
export function listMoveJobs(folderMover: FolderMover, isShared: boolean): Repeated[] {
  let fromAnyone = !isShared;
  const work = async () => {
    await folderMover.takeUp({ fromAnyone });
    fromAnyone = false;
  };
  return [{ name: 'move folders', intervalMs, work }];
}
