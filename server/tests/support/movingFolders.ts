/** Fills folders with many files and catches their moves midway. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { FolderMove } from '@tapedeck/domain/ports/folderMoves';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { sampleFile } from '@tapedeck/metadata-store/testing/samples';
import { newId } from '@tapedeck/values/random-ids';

const insertsAtOnce = 50;
const eventMsMax = 60_000;

/** Adds records only: a move never reads blobs. */
export async function fillFolder(store: MetadataStore, path: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += insertsAtOnce)
    await Promise.all(
      Array.from({ length: Math.min(insertsAtOnce, count - first) }, () =>
        store.files.insert(sampleFile({ id: newId(), path })),
      ),
    );
}

export async function listIds(store: MetadataStore, path: string): Promise<string[]> {
  const filter = { path, type: null, terms: [], metadata: [] };
  const page = await store.files.list('default', { filter, limit: 10_000, from: { offset: 0 } });
  assert.equal(page.files.length, page.total);
  return page.files.map(({ id }) => id).toSorted();
}

/** Resolves once the folder's move is in the wanted state. */
export async function untilMove(
  store: MetadataStore,
  from: string,
  isWanted: (move: FolderMove) => boolean,
): Promise<FolderMove> {
  for (const deadline = performance.now() + eventMsMax; ; await wait(2)) {
    const moves = await store.read.folderMoves.list('default');
    const move = moves.findLast(each => each.from === from);
    if (move !== undefined && isWanted(move)) return move;
    assert.ok(performance.now() < deadline, JSON.stringify(moves));
  }
}

export const hasBegun = ({ moved }: FolderMove): boolean => moved > 0;
export const isOver = ({ endedAt }: FolderMove): boolean => endedAt !== null;
