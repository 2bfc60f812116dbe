/** Concurrent changes of one file: whichever comes first, folders list and count exactly the files that they hold. */
import assert from 'node:assert/strict';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';

const rounds = 20;

const moveTo = (store: MetadataStore, file: StoredFile, path: string) =>
  store.files.update(file, before => ({ ...before, path }));

/** Fails unless lists and counts of the folders agree with the file's record. */
async function requireListed(store: MetadataStore, file: StoredFile): Promise<void> {
  const found = await store.files.find(file.project, file.id);
  for (const path of ['old', 'new']) {
    const filter = { type: null, path, terms: [], metadata: [] };
    const { files, total } = await store.files.list(file.project, {
      filter,
      from: { offset: 0 },
      limit: 100,
    });
    const expected = found?.path === path ? [file.id] : [];
    assert.deepEqual([files.map(({ id }) => id), total], [expected, expected.length], path);
  }
  const query = { below: '', namesBegin: '', type: null, limit: 100 };
  const folders = (await store.files.listFolders(file.project, query)).map(({ path, files, bytes }) => {
    return [path, files, bytes];
  });
  assert.deepEqual(folders, found === null ? [] : [[found.path, 1, file.sizeBytes]]);
}

const removals: [title: string, remove: (store: MetadataStore, file: StoredFile) => Promise<unknown>][] = [
  ['a deletion', (store, file) => store.files.remove(file, 1)],
  ['a move to the trash', (store, file) => store.files.trash(file, 1)],
];

export const fileRaceCases: readonly ConformanceCase[] = [
  ...removals.map(
    ([title, remove]): ConformanceCase => ({
      title: `${title} while the file changes its folder`,
      run: async ({ store }) => {
        await insertDefaultProject(store);
        for (let round = 0; round < rounds; round += 1) {
          const file = sampleFile({ id: `raced${round}`, key: `old/raced${round}.png`, path: 'old' });
          await store.files.insert(file);
          await Promise.all([moveTo(store, file, 'new'), remove(store, file)]);
          assert.equal(await store.files.find(file.project, file.id), null);
          await requireListed(store, file);
          if (!(await store.files.restore(file))) continue;
          await requireListed(store, file);
          for (const path of ['new', 'old']) assert.equal((await moveTo(store, file, path))?.path, path);
          await requireListed(store, file);
          await store.files.remove(file, 2);
        }
      },
    }),
  ),
  {
    title: 'a restoration while the bytes of the file move',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      for (let round = 0; round < rounds; round += 1) {
        const file = sampleFile({ id: `kept${round}`, key: `old/kept${round}.png`, path: 'old' });
        await store.files.insert(file);
        await store.files.trash(file, 1);
        const [isMoved] = await Promise.all([
          store.files.relocate(file, 'secret'),
          store.files.restore(file),
        ]);
        const [found] = await store.files.findMany([file.id]);
        assert.equal(found?.blobSecret, isMoved ? 'secret' : null);
        await store.files.remove(file, 2);
      }
    },
  },
];
