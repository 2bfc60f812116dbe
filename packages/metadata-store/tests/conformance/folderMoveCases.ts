/** Moves of folders: which node works on a move, and which files it has moved. */
import assert from 'node:assert/strict';
import type { FolderMove } from '@tapedeck/domain/ports/folderMoves';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';

export function sampleFolderMove(changes: Partial<FolderMove> = {}): FolderMove {
  return {
    id: 'move0000000000000000',
    project: 'default',
    from: 'crew/ü x',
    to: 'staff',
    type: null,
    askerKind: 'user',
    askerId: 'user0000000000000000',
    createdAt: 1_700_000_000_000,
    total: 9,
    moved: 0,
    failed: 0,
    reasons: ['"why"'],
    tries: 0,
    holder: 'one',
    heldUntil: 20,
    endedAt: null,
    isTold: false,
    ...changes,
  };
}

const insert = (store: MetadataStore, ...moves: FolderMove[]) =>
  store.write(async ({ folderMoves }) => {
    for (const move of moves) await folderMoves.insert(move);
  });

export const folderMoveCases: readonly ConformanceCase[] = [
  {
    title: 'moves of folders are held by one process at a time, and only it changes them',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const move = sampleFolderMove();
      await insert(store, move);
      const { read } = store;
      assert.deepEqual(await read.folderMoves.listDue(19, 9), []);
      const claim = (holder: string, heldUntil: number, now: number) =>
        store.write(({ folderMoves }) => folderMoves.claim({ id: move.id, holder, heldUntil }, now));
      assert.equal(await claim('two', 29, 19), false);
      assert.deepEqual(await read.folderMoves.listDue(20, 9), [move]);
      const claims = await Promise.all(['two', 'three', 'four'].map(holder => claim(holder, 30, 20)));
      assert.deepEqual(claims.toSorted(), [false, false, true]);
      const { holder } = (await read.folderMoves.find(move.id)) ?? move;
      const change = (by: string, changes: object) =>
        store.write(({ folderMoves }) => folderMoves.change({ id: move.id, holder: by }, changes));
      assert.equal(await change('one', { failed: 3 }), false);
      const changes = { failed: 2, reasons: ['because'], tries: 1, heldUntil: 40 };
      assert.equal(await change(holder, changes), true);
      assert.deepEqual(await read.folderMoves.find(move.id), { ...move, ...changes, holder });
      assert.equal(await change(holder, { endedAt: 50 }), true);
      assert.equal(await change(holder, { endedAt: 60 }), false);
      assert.equal(await claim('two', 90, 80), false);
      assert.deepEqual(await read.folderMoves.listDue(99, 9), []);
    },
  },

  {
    title: 'moves of folders are listed by project, reported, and forgotten some time after they end',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(({ projects }) => projects.insert(sampleProject({ slug: 'other' })));
      const [old, goingOn, other] = [
        sampleFolderMove({ id: 'a', type: 'image' }),
        sampleFolderMove({ id: 'b', createdAt: 1_800_000_000_000 }),
        sampleFolderMove({ id: 'c', project: 'other' }),
      ];
      await insert(store, goingOn, old, other);
      assert.deepEqual(await store.read.folderMoves.list('default'), [old, goingOn]);
      await store.write(async ({ folderMoves }) => {
        await folderMoves.end(old.id, { endedAt: 70, reason: 'enough' });
        await folderMoves.end(old.id, { endedAt: 80, reason: 'again' });
        await folderMoves.markTold(old.id);
      });
      const ended = { ...old, endedAt: 70, reasons: ['enough'], isTold: true };
      assert.deepEqual(await store.read.folderMoves.find(old.id), ended);
      await store.write(({ folderMoves }) => folderMoves.forgetEnded(70));
      assert.deepEqual(await store.read.folderMoves.find(old.id), ended);
      await store.write(({ folderMoves }) => folderMoves.forgetEnded(71));
      assert.deepEqual(await store.read.folderMoves.list('default'), [goingOn]);
    },
  },

  {
    title: 'files change folders together with the count of their move, only by its holder',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const move = sampleFolderMove();
      await insert(store, move);
      const metadata = { player: { name: 'Ö' } };
      const files = ['one', 'two', 'three'].map(id =>
        sampleFile({ id, key: `${id}.png`, path: 'crew/ü x', metadata }),
      );
      for (const file of files) await store.files.insert(file);
      const to = (path: string) => files.map(file => ({ file, path }));
      assert.equal(await store.files.changePaths({ ...move, holder: 'two' }, to('staff')), false);
      const count = async (path: string) =>
        (
          await store.files.list('default', {
            filter: { path, type: null, terms: [], metadata: [] },
            limit: 9,
            from: { offset: 0 },
          })
        ).total;
      assert.deepEqual([await count('crew'), await count('staff')], [3, 0]);
      assert.equal(await store.files.changePaths(move, to('staff')), true);
      assert.deepEqual([await count('crew'), await count('staff')], [0, 3]);
      assert.equal((await store.read.folderMoves.find(move.id))?.moved, 3);
      // The files have already moved elsewhere.
      assert.equal(await store.files.changePaths(move, to('other')), false);
      await store.write(({ folderMoves }) => folderMoves.end(move.id, { endedAt: 9, reason: 'enough' }));
      const moved = files.map(file => ({ file: { ...file, path: 'staff' }, path: 'crew' }));
      assert.equal(await store.files.changePaths(move, moved), false);
      assert.equal((await store.read.folderMoves.find(move.id))?.moved, 3);
      assert.deepEqual(await store.files.listFolders('default', { ...below, limit: 9 }), [
        { path: 'staff', files: 3, bytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) },
      ]);
    },
  },
];

const below = { below: '', namesBegin: '', type: null };
