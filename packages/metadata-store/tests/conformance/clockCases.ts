/** Claims that a process made while its clock was ahead: they block nothing once the clock is set back. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from './cases.ts';
import { sampleFolderMove } from './folderMoveCases.ts';
import { sampleUpload } from './resumableUploadCases.ts';
import { insertDefaultProject } from './samples.ts';

const now = 1_000_000;
const yearMs = 365 * 86_400_000;
const ahead = now + yearMs;
const limits = { uploadsMax: 9, bytesMax: 1e9 };

export const clockCases: readonly ConformanceCase[] = [
  {
    title: 'the move of a file is free if a clock that was ahead has claimed it',
    run: async ({ store: { fileMoves } }) => {
      await fileMoves.mark('a', ahead);
      await fileMoves.claim('a', ahead, ahead + 10);
      assert.deepEqual(await fileMoves.listDue(now, 9), ['a']);
      const move = await fileMoves.claim('a', now, now + 10);
      assert.ok(move !== null && move !== 'held');
      assert.equal(await fileMoves.finish(move, now), true);
    },
  },
  {
    title: 'the move of a folder is free if a clock that was ahead has claimed it',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const move = sampleFolderMove({ heldUntil: ahead });
      await store.write(({ folderMoves }) => folderMoves.insert(move));
      assert.deepEqual(await store.read.folderMoves.listDue(now, 9), [move]);
      const claim = (holder: string) =>
        store.write(({ folderMoves }) =>
          folderMoves.claim({ id: move.id, holder, heldUntil: now + 10 }, now),
        );
      assert.equal(await claim('two'), true);
      assert.equal(await claim('three'), false);
    },
  },
  {
    title: 'a resumable upload is free if a clock that was ahead has held it',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const upload = sampleUpload();
      await store.resumableUploads.create(upload, limits);
      const hold = async (holder: string, at: number) =>
        (await store.resumableUploads.hold(upload.id, { holder, heldUntil: at + 10 }, at))?.isHeld;
      assert.equal(await hold('one', ahead), true);
      assert.equal(await hold('two', now), true);
      assert.equal(await hold('three', now), false);
    },
  },
];
