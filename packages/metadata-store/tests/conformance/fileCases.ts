/** Files: inserted, found, listed, counted, expired and removed, with everything that counts them. */
import assert from 'node:assert/strict';
import type { ExpiredQuery, FileFilter, FileRemoval, StoredFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';

const everything: FileFilter = { type: null, path: '', terms: [], metadata: [] };
const idOf = (index: number) => `file${String(index).padStart(16, '0')}`;

async function insertMany(
  store: MetadataStore,
  count: number,
  change: (index: number) => Partial<StoredFile>,
): Promise<StoredFile[]> {
  const files = Array.from({ length: count }, (_, index) => {
    const changes = change(index);
    const id = changes.id ?? idOf(index);
    return sampleFile({ id, key: `${changes.path ? `${changes.path}/` : ''}${id}.png`, ...changes });
  });
  for (const file of files) await store.files.insert(file);
  return files;
}

const listIds = async (store: MetadataStore, filter: Partial<FileFilter>, limit = 100): Promise<string[]> => {
  const page = await store.files.list('default', {
    filter: { ...everything, ...filter },
    limit,
    from: { offset: 0 },
  });
  assert.equal(page.total, page.files.length);
  return page.files.map(({ id }) => id);
};

export const fileCases: readonly ConformanceCase[] = [
  {
    title: 'a file is read back as inserted, by id and by key',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const file = sampleFile({
        key: 'a b/ü-file00000000000000000.mov',
        path: 'a b',
        filename: 'Ü "x"\\%_\u{1f600}',
        type: 'video',
        metadata: { nested: { list: [1, null, 'x', { deep: true }] }, 'a.b': 1e-7, empty: {} },
        sizeBytes: 2 ** 40,
        retentionExempt: true,
        width: null,
        height: null,
        durationSeconds: 1.234,
      });
      await store.files.insert(file);
      assert.deepEqual(await store.files.find('default', file.id), file);
      assert.deepEqual(await store.files.find('default', file.key), file);
      assert.deepEqual(await store.files.findMany([file.id, 'none']), [file]);
      assert.equal(await store.files.find('other', file.id), null);
      assert.equal(await store.files.find('default', 'a\0b'), null);
      assert.deepEqual(await store.files.usage('default'), { files: 1, bytes: 2 ** 40 });
      assert.deepEqual(await store.files.usage('other'), { files: 0, bytes: 0 });
    },
  },
  {
    title: 'inserts nothing into an unknown or deleted project',
    run: async ({ store }) => {
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'gone', deletedAt: 5 })));
      for (const project of ['gone', 'never'])
        await assert.rejects(store.files.insert(sampleFile({ project })), { code: 'not_found' });
      assert.deepEqual(await store.files.listAll({ afterId: '', limit: 10 }), []);
      assert.deepEqual(await store.files.usage('gone'), { files: 0, bytes: 0 });
    },
  },
  {
    title: 'enforces quotas of files and bytes, also between two processes',
    run: async ({ store, config }) => {
      await store.manage(records => records.projects.insert(sampleProject({ filesMax: 10, bytesMax: 750 })));
      await using other = await openMetadataStore(config);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          (index % 2 === 0 ? store : other).files.insert(sampleFile({ id: idOf(index) })),
        ),
      );
      const refused = outcomes.filter(outcome => outcome.status === 'rejected');
      assert.equal(outcomes.length - refused.length, 7, 'seven times a hundred bytes');
      for (const { reason } of refused) assert.equal(reason.code, 'quota_exceeded');
      assert.deepEqual(await store.files.usage('default'), { files: 7, bytes: 700 });
      assert.equal((await store.files.listAll({ afterId: '', limit: 100 })).length, 7);
    },
  },
  {
    title: 'pages by offset and by position agree over several buckets, with an exact total',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const count = 2100; // a little more than two buckets
      const files = Array.from({ length: count }, (_, index) =>
        sampleFile({
          id: idOf(index),
          path: index % 3 === 0 ? 'a/b' : '',
          type: index % 5 === 0 ? 'audio' : 'image',
        }),
      );
      for (let start = 0; start < count; start += 50)
        await Promise.all(files.slice(start, start + 50).map(file => store.files.insert(file)));
      for (const id of [3, 6, 1500, 2099].map(idOf)) {
        assert.equal(await store.files.remove((await store.files.find('default', id))!, 1), true);
      }
      const filters: [Partial<FileFilter>, (file: StoredFile) => boolean][] = [
        [{}, () => true],
        [{ path: 'a' }, file => file.path === 'a/b'],
        [{ type: 'audio' }, file => file.type === 'audio'],
        [{ path: 'a/b', type: 'audio' }, file => file.path === 'a/b' && file.type === 'audio'],
        [{ terms: ['99'] }, file => file.filename.includes('99')],
      ];
      for (const [filter, isMeant] of filters) {
        const query = { filter: { ...everything, ...filter }, limit: 100 };
        const byOffset: string[] = [];
        const byPosition: string[] = [];
        let below = Number.MAX_SAFE_INTEGER;
        for (let offset = 0; ; offset += 100) {
          const page = await store.files.list('default', { ...query, from: { offset } });
          const same = await store.files.list('default', { ...query, from: { belowPosition: below } });
          byOffset.push(...page.files.map(({ id }) => id));
          byPosition.push(...same.files.map(({ id }) => id));
          const removed = [3, 6, 1500, 2099].map(idOf);
          const meant = files.filter(file => isMeant(file) && !removed.includes(file.id)).length;
          assert.deepEqual([page.total, same.total], [meant, meant]);
          if (page.files.length < 100) break;
          below = same.positions.at(-1)!;
        }
        assert.deepEqual(byOffset, byPosition);
        assert.equal(new Set(byOffset).size, byOffset.length);
      }
    },
  },
  {
    title: 'folders are whole segments, terms are literal, and metadata is compared as text',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await insertMany(store, 5, index => ({
        path: ['', 'a', 'a/b', 'ab', 'ä%'][index]!,
        filename: ['Straße 100%', 'B_x', 'bÄx', 'back\\slash', "quo'te"][index]!,
        metadata: [{}, { a: { b: 1 } }, { 'a.b': '1' }, { a: { b: true } }, { a: [null] }][index]!,
      }));
      const rows: [Partial<FileFilter>, number[]][] = [
        [{ path: 'a' }, [2, 1]],
        [{ path: 'a/b' }, [2]],
        [{ path: 'ä%' }, [4]],
        [{ terms: ['%'] }, [0]],
        [{ terms: ['b_X'] }, [1]],
        [{ terms: ['bäX'] }, [2]],
        [{ terms: ['\\'] }, [3]],
        [{ terms: ["'"] }, [4]],
        [{ terms: ['b', 'x'] }, [2, 1]],
        [{ metadata: [{ path: 'a.b', value: '1' }] }, [2, 1]],
        [{ metadata: [{ path: 'a.b', value: 'true' }] }, [3]],
        [{ metadata: [{ path: 'a.0', value: 'null' }] }, [4]],
        [
          {
            metadata: [
              { path: 'a.b', value: '1' },
              { path: 'a.b', value: 'true' },
            ],
          },
          [],
        ],
        [{ path: 'a', terms: ['x'], metadata: [{ path: 'a.b', value: '1' }], type: 'image' }, [2, 1]],
      ];
      for (const [filter, expected] of rows)
        assert.deepEqual(await listIds(store, filter), expected.map(idOf), JSON.stringify(filter));
    },
  },
  {
    title: 'one of many concurrent removals succeeds; counts are exact and the bytes are scheduled',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      await using other = await openMetadataStore(config);
      const files = await insertMany(store, 4, index => ({ path: 'a/b', metadata: { index } }));
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).files.remove(files[1]!, 7),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.deepEqual(await store.files.usage('default'), { files: 3, bytes: 300 });
      assert.deepEqual(await listIds(store, { path: 'a' }), [3, 2, 0].map(idOf));
      assert.deepEqual(await listIds(store, { metadata: [{ path: 'index', value: '1' }] }), []);
      const start = { after: null, limit: 10 };
      assert.deepEqual(await store.files.listRemovals(start), [{ file: files[1], removedAt: 7 }]);
      await store.files.finishRemoval(files[1]!.id);
      assert.deepEqual(await store.files.listRemovals(start), []);
      await store.files.insert(sampleFile({ id: idOf(9) }));
      assert.equal((await listIds(store, {}))[0], idOf(9), 'positions continue');
    },
  },
  {
    title: 'lists bytes to delete in pages, the longest waiting first',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const files = await insertMany(store, 5, () => ({}));
      for (const [index, removedAt] of [8, 7, 7, 9, 8].entries())
        await store.files.remove(files[index]!, removedAt);
      const pages: string[][] = [];
      for (let after: { removedAt: number; fileId: string } | null = null; ; ) {
        const page: FileRemoval[] = await store.files.listRemovals({ after, limit: 2 });
        const last = page.at(-1);
        if (last === undefined) break;
        pages.push(page.map(({ file }) => file.id));
        after = { removedAt: last.removedAt, fileId: last.file.id };
      }
      const found = await store.files.findRemovals([0, 3, 9].map(idOf));
      assert.deepEqual(found.sort(), [0, 3].map(idOf));
      assert.deepEqual(await store.files.findRemovals([]), []);
      assert.deepEqual(pages, [[1, 2].map(idOf), [0, 4].map(idOf), [3].map(idOf)]);
    },
  },
  {
    title: 'lists expired files by age, in pages, within the folder and without its exceptions',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await insertMany(store, 8, index => ({
        path: ['', 'a', 'a/b', 'ab', 'a/b/c', '', 'a%', 'ü'][index]!,
        createdAt: 1000 + Math.floor(index / 2),
        retentionExempt: index === 5,
        type: index === 7 ? 'audio' : 'image',
      }));
      const query: ExpiredQuery = {
        project: 'default',
        type: null,
        path: '',
        exceptPaths: [],
        uploadedBefore: 5000,
        exemptToo: false,
        after: null,
        limit: 100,
      };
      const rows: [Partial<ExpiredQuery>, number[]][] = [
        [{}, [0, 1, 2, 3, 4, 6, 7]],
        [{ exemptToo: true }, [0, 1, 2, 3, 4, 5, 6, 7]],
        [{ uploadedBefore: 1001 }, [0, 1]],
        [{ path: 'a' }, [1, 2, 4]],
        [{ path: 'a', exceptPaths: ['a/b'] }, [1]],
        [{ exceptPaths: ['a', 'ü'] }, [0, 3, 6]],
        [{ type: 'audio' }, [7]],
        [{ limit: 2 }, [0, 1]],
        [{ after: { createdAt: 1000, id: idOf(0) }, limit: 2 }, [1, 2]],
        [{ project: 'other' }, []],
      ];
      for (const [change, expected] of rows) {
        const found = await store.files.listExpired({ ...query, ...change });
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.map(idOf),
          JSON.stringify(change),
        );
      }
    },
  },
];
