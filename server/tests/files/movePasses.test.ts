/** Files that arrive in a folder while it moves, and moves that meet. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBlobStore } from '@tapedeck/blob-stores';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { moveProjectFolder } from '@tapedeck/contract/projectFiles';
import { moveAll } from '@tapedeck/domain/files/movePasses';
import { sampleFolderMove } from '@tapedeck/metadata-store/testing/folderMoveCases';
import { fillFolder, hasBegun, isOver, listIds, untilMove } from '../support/movingFolders.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const store = await service.openStore();
const params = { project: 'default' };

/** Moves a folder while a file arrives before each of the first passes. */
async function moveWhileFilesArrive(from: string, looks: number) {
  await using blobs = await openBlobStore(service.config.blobs, Date.now, () => undefined);
  const move = sampleFolderMove({
    id: from,
    from,
    to: `moved/${from}`,
    heldUntil: service.clock.now() + 3_600_000,
  });
  await store.write(({ folderMoves }) => folderMoves.insert(move));
  let looked = 0;
  const list: typeof store.files.list = async (...question) => {
    looked += 1;
    if (looked <= looks) await fillFolder(store, from, 1);
    return await store.files.list(...question);
  };
  const progress = { moved: 0, failed: 0, reasons: [] };
  const deps = {
    files: { ...store.files, list },
    fileMoves: store.fileMoves,
    blobs,
    store,
    clock: service.clock,
  };
  const { signal } = new AbortController();
  await moveAll({ ...deps, publicFiles: { forget: () => undefined } }, move, { progress, signal });
  await store.write(({ folderMoves }) => folderMoves.end(move.id, { endedAt: 1, reason: '' }));
  return { ...progress, arrived: Math.min(looked, looks), left: (await listIds(store, from)).length };
}

test('moves files that arrive while a folder moves', async () => {
  const { moved, failed, reasons, left } = await moveWhileFilesArrive('busy', 4);
  assert.deepEqual([moved, failed, reasons, left], [4, 0, [], 0]);
});

test('abandons a folder that keeps receiving files, and reports how many are left', async () => {
  const { moved, failed, reasons, arrived, left } = await moveWhileFilesArrive('restless', 100);
  assert.deepEqual([moved + left, failed, left > 0], [arrived, left, true]);
  assert.match(String(reasons[0]), new RegExp(`^Files are still arriving in the folder, and ${left} `));
});

test('a move back ends the move that it undoes, and returns everything', async () => {
  await fillFolder(store, 'there', 2_000);
  const ids = await listIds(store, 'there');
  const first = owner.call(moveProjectFolder, { params, body: { from: 'there', to: 'back' } });
  await untilMove(store, 'there', hasBegun);
  const second = await owner.call(moveProjectFolder, { params, body: { from: 'back', to: 'there' } });
  const { data } = await first;
  assert.deepEqual([data.isOver, data.reason], [true, 'Someone is moving the folder back.']);
  assert.deepEqual([second.data.isOver, second.data.failed], [true, 0]);
  assert.deepEqual([await listIds(store, 'there'), await listIds(store, 'back')], [ids, []]);
  const { entries } = await owner.call(listProjectAudit, { params, query: {} });
  assert.deepEqual(
    entries.slice(0, 2).map(({ action, target }) => [action, target]),
    [
      ['folder.move', 'back'],
      ['folder.move', 'there'],
    ],
  );
});

test('circular moves between folders end, with every file', async () => {
  const circle = ['round', 'and', 'about'];
  for (const folder of circle) await fillFolder(store, folder, 100);
  const bodies = circle.map((from, index) => ({ from, to: circle[(index + 1) % 3]! }));
  await Promise.all(bodies.map(body => owner.call(moveProjectFolder, { params, body })));
  for (const from of circle) await untilMove(store, from, isOver);
  const lists = await Promise.all(circle.map(folder => listIds(store, folder)));
  assert.equal(new Set(lists.flat()).size, 300);
});
