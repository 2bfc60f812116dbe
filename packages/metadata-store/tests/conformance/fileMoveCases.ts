/** Files whose bytes move: which node works on a move, and where the bytes may be. */
import assert from 'node:assert/strict';
import type { FileMove } from '@tapedeck/domain/ports/fileMoves';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';

export const fileMoveCases: readonly ConformanceCase[] = [
  {
    title: 'moves of files are claimed by one holder at a time, until the claim expires',
    run: async ({ store: { fileMoves } }) => {
      assert.equal(await fileMoves.claim('a', 10, 20), null);
      await fileMoves.mark('a', 5);
      assert.deepEqual(await fileMoves.listDue(4, 9), []);
      assert.deepEqual(await fileMoves.listDue(5, 9), ['a']);
      const claims = await Promise.all([1, 2, 3].map(() => fileMoves.claim('a', 10, 20)));
      assert.equal(claims.filter(claim => claim === 'held').length, 2);
      assert.deepEqual(await fileMoves.listDue(19, 9), []);
      assert.deepEqual(await fileMoves.claim('a', 20, 30), {
        fileId: 'a',
        secrets: [],
        marks: 1,
        claimedUntil: 30,
      });
    },
  },

  {
    title: 'moves of files store progress for the next holder, and not for one whose claim expired',
    run: async ({ store: { fileMoves } }) => {
      await fileMoves.mark('a', 5);
      const first = await claimed(fileMoves.claim('a', 10, 20));
      assert.equal(await fileMoves.addPlace(first, 'secret'), true);
      assert.equal(await fileMoves.addPlace(first, null), true);
      assert.equal(await fileMoves.addPlace(first, 'secret'), true);
      const second = await claimed(fileMoves.claim('a', 20, 30));
      assert.deepEqual(second.secrets, ['secret', null]);
      assert.equal(await fileMoves.addPlace(first, 'late'), false);
      assert.equal(await fileMoves.finish(first, 21), false);
      assert.equal(await fileMoves.claim('a', 21, 31), 'held');
      assert.equal(await fileMoves.finish(second, 22), true);
      assert.equal(await fileMoves.claim('a', 40, 50), null);
    },
  },

  {
    title: 'moves of files that are marked in the meantime are due again',
    run: async ({ store: { fileMoves } }) => {
      await fileMoves.mark('a', 5);
      const move = await claimed(fileMoves.claim('a', 10, 20));
      await fileMoves.mark('a', 11);
      assert.equal(await fileMoves.finish(move, 12), false);
      assert.deepEqual(await fileMoves.listDue(12, 9), ['a']);
    },
  },

  {
    title: 'moves of files update the location of the record once, in the trash as well',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const { files } = store;
      const file = sampleFile();
      await files.insert(file);
      assert.equal(await files.relocate(file, 'one'), true);
      assert.equal(await files.relocate(file, 'two'), false);
      const moved = { ...file, blobSecret: 'one' };
      assert.equal((await files.find(file.project, file.id))?.blobSecret, 'one');
      assert.equal(await files.trash(moved, 7), true);
      assert.equal(await files.relocate(moved, 'three'), true);
      assert.equal((await files.findMany([file.id]))[0]?.blobSecret, 'three');
      assert.equal(await files.restore(moved), true);
      assert.equal((await files.find(file.project, file.id))?.blobSecret, 'three');
      assert.equal(await files.relocate({ ...file, id: 'b', key: 'b.png' }, 'one'), false);
    },
  },
];

async function claimed(claim: Promise<FileMove | 'held' | null>): Promise<FileMove> {
  const move = await claim;
  assert.ok(move !== null && move !== 'held');
  return move;
}
