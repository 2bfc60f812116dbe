/** Passes over a folder until only files that cannot be moved are left. */

import type { FilePage, StoredFile } from '../ports/files.ts';
import type { FolderMove } from '../ports/folderMoves.ts';
import { isExpected } from '../vocabulary.ts';
import { changeAllWithRelocation, type RelocationDeps } from './blobRelocation.ts';
import { parseFolderPath } from './folderPath.ts';

const filesPerPage = 100;
const filesPerTransaction = 50; // as for uploads: other writers wait about ten milliseconds
const passesMax = 5; // for files that arrive meanwhile
const reasonsMax = 5; // readers need no more

export type PassProgress = {
  /** Files that this process moved. */
  moved: number;
  failed: number;
  reasons: string[];
};

export type MovingDeps = RelocationDeps;

/** Another process has the move, or a caller has ended it. */
export class LostMove extends Error {}

type Moving = { progress: PassProgress; signal: AbortSignal };
type Change = { file: StoredFile; path: string };

/** `failed` and `reasons` describe the files left at the end. */
export async function moveAll(deps: MovingDeps, move: FolderMove, moving: Moving): Promise<void> {
  for (let pass = 0; pass < passesMax; pass += 1) {
    const { tried, failed, reasons } = await moveOnce(deps, move, moving);
    moving.progress.failed = failed;
    moving.progress.reasons = reasons;
    if (tried === 0) return;
  }
  const { total } = await listPage(deps, move, null);
  if (total <= moving.progress.failed) return;
  moving.progress.failed = total;
  moving.progress.reasons.unshift(
    `Files are still arriving in the folder, and ${total} ${total === 1 ? 'is' : 'are'} left there. Move it again when no more arrive.`,
  );
}

type Pass = { tried: number; failed: number; reasons: string[] };

/** Works down from the newest file, so it ends. Files that arrive meanwhile wait for the next pass. */
async function moveOnce(deps: MovingDeps, move: FolderMove, { progress, signal }: Moving): Promise<Pass> {
  const pass: Pass = { tried: 0, failed: 0, reasons: [] };
  let below: number | null = null;
  do {
    signal.throwIfAborted();
    const page: FilePage = await listPage(deps, move, below);
    const changes = page.files.flatMap(file => planChange(move, file, pass) ?? []);
    progress.failed = Math.max(progress.failed, pass.failed);
    if (progress.reasons.length === 0) progress.reasons = [...pass.reasons];
    pass.tried += changes.length;
    for (let from = 0; from < changes.length; from += filesPerTransaction) {
      signal.throwIfAborted();
      progress.moved += await moveSome(deps, move, changes.slice(from, from + filesPerTransaction));
    }
    below = page.files.length < filesPerPage ? null : (page.positions.at(-1) ?? null);
  } while (below !== null);
  return pass;
}

/** Returns null for a file that cannot be moved, for example because its path would be too long. */
function planChange({ from, to }: FolderMove, file: StoredFile, pass: Pass): Change | null {
  try {
    return { file, path: parseFolderPath(`${to}${file.path.slice(from.length)}`) };
  } catch (error) {
    if (!isExpected(error)) throw error;
    pass.failed += 1;
    const isNew = pass.reasons.length < reasonsMax && !pass.reasons.includes(error.message);
    if (isNew) pass.reasons.push(error.message);
    return null;
  }
}

/** Returns how many files it moved. Files changed at the same moment wait for the next pass. */
async function moveSome(deps: MovingDeps, move: FolderMove, changes: readonly Change[]): Promise<number> {
  const files = changes.map(({ file }) => file);
  const areMoved = await changeAllWithRelocation(deps, files, async () => {
    const areChanged = await deps.files.changePaths(move, changes);
    if (areChanged) for (const { file, path } of changes) deps.publicFiles.forget({ ...file, path });
    return areChanged;
  });
  if (areMoved) return changes.length;
  const known = await deps.store.read.folderMoves.find(move.id);
  if (known?.holder !== move.holder || known.endedAt !== null) throw new LostMove();
  if (changes.length === 1) return 0;
  let moved = 0;
  for (const change of changes) moved += await moveSome(deps, move, [change]);
  return moved;
}

function listPage({ files }: MovingDeps, { project, from, type }: FolderMove, below: number | null) {
  const filter = { path: from, type, terms: [], metadata: [] };
  const start = below === null ? { offset: 0 } : { belowPosition: below };
  return files.list(project, { filter, limit: filesPerPage, from: start });
}
