/** File searches: for any query and order, the database agrees with the single-file matcher. */
import assert from 'node:assert/strict';
import type { FileFilter, FilePlace, FileSearch, FileSort, StoredFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { fileSorts } from '@tapedeck/domain/vocabulary';
import { everything, parseFileQuery } from '@tapedeck/log-query-language';
import type { ConformanceCase } from './cases.ts';
import {
  answerByHand,
  type Chance,
  makeChance,
  makeChanges,
  makeFiles,
  makeQuestion,
} from './randomFiles.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';

const filesCount = 250;
const questionsCount = 400;
export const wholeFilter: FileFilter = { type: null, path: '', terms: [], metadata: [] };
export const whole = { filter: wholeFilter, times: null, limit: 1000, from: { offset: 0 } } as const;

export async function insertFiles(
  store: MetadataStore,
  chance: Chance,
  count = filesCount,
): Promise<StoredFile[]> {
  await insertDefaultProject(store);
  const files = makeFiles(chance, count).map(sampleFile);
  // Concurrent inserts keep their order and share syncs.
  await Promise.all(files.map(file => store.files.insert(file)));
  return files;
}

function chooseSort(chance: Chance): FileSort {
  return { by: chance.pick(fileSorts), order: chance.pick(['asc', 'desc']) };
}

async function compareAnswers(
  store: MetadataStore,
  files: readonly StoredFile[],
  { text, sort, search }: { text: string; sort: FileSort; search: 'search' | 'searchTrash' },
): Promise<void> {
  const query = parseFileQuery(text) ?? everything;
  const expected = answerByHand(files, query, sort);
  const found = await store.files[search]('default', { ...whole, query, sort });
  const ids = found.files.map(one => ('file' in one ? one.file.id : one.id));
  const description = `${text} by ${sort.by} ${sort.order}`;
  assert.deepEqual({ ids, total: found.total }, { ids: expected, total: expected.length }, description);
}

async function readByCursor(store: MetadataStore, sort: FileSort, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let from: FileSearch['from'] = { offset: 0 };
  for (;;) {
    const page = await store.files.search('default', { ...whole, query: null, sort, from, limit });
    ids.push(...page.files.map(({ id }) => id));
    const last: FilePlace | undefined = page.places.at(-1);
    if (last === undefined || page.files.length < limit) return ids;
    from = { after: last };
  }
}

/** Queries from the contract and the help texts. */
const peoplesQuestions = [
  'name:*crash*',
  'player.id:43',
  'size:>5000000',
  '-path:*',
  'path:clips/* -exempt:true',
  'type:(video,audio) duration:>=4.5',
  '-duration:*',
];

/** Compares a page by offset with the same page by cursor. */
async function comparePages(
  store: MetadataStore,
  files: readonly StoredFile[],
  { text, sort, offset, limit }: { text: string; sort: FileSort; offset: number; limit: number },
): Promise<void> {
  const query = parseFileQuery(text) ?? everything;
  const expected = answerByHand(files, query, sort);
  const read = async (from: FileSearch['from'], count: number) => {
    const page = await store.files.search('default', { ...whole, query, sort, from, limit: count });
    return { ids: page.files.map(({ id }) => id), total: page.total, last: page.places.at(-1) };
  };
  const description = `${text} by ${sort.by} ${sort.order}, ${limit} from ${offset}`;
  const { ids, total } = await read({ offset }, limit);
  assert.deepEqual(
    { ids, total },
    { ids: expected.slice(offset, offset + limit), total: expected.length },
    description,
  );
  const { last } = await read({ offset: Math.max(0, offset - 1) }, 1);
  if (last === undefined || offset === 0) return;
  assert.deepEqual((await read({ after: last }, limit)).ids, ids, `${description}, by cursor`);
}

export const fileSearchCases: readonly ConformanceCase[] = [
  {
    title: 'random queries, in random orders',
    run: async ({ store }) => {
      const chance = makeChance(31);
      const files = await insertFiles(store, chance);
      for (let index = 0; index < questionsCount; index++) {
        const text = makeQuestion(chance, files);
        await compareAnswers(store, files, { text, sort: chooseSort(chance), search: 'search' });
      }
    },
  },
  {
    title: 'pages of random queries over several blocks, across ties and files without a value',
    run: async ({ store }) => {
      const chance = makeChance(19);
      const files = await insertFiles(store, chance, 1_100);
      for (let index = 0; index < 60; index++) {
        const text = index % 4 === 0 ? '*' : makeQuestion(chance, files);
        const page = { offset: chance.below(1_050), limit: 1 + chance.below(80) };
        await comparePages(store, files, { text, sort: chooseSort(chance), ...page });
      }
    },
  },
  {
    title: 'common queries, in every order, of files and of the trash',
    run: async ({ store }) => {
      const chance = makeChance(23);
      const files = await insertFiles(store, chance, 120);
      const trashed = files.filter((_, index) => index % 3 === 0);
      for (const file of trashed) assert.ok(await store.files.trash(file, 1));
      // Restores every other file.
      const back = new Set(trashed.filter((_, index) => index % 2 === 0));
      for (const file of back) assert.ok(await store.files.restore(file));
      const removed = trashed.filter(file => !back.has(file));
      const left = files.filter(file => !removed.includes(file));
      for (const by of fileSorts)
        for (const order of ['asc', 'desc'] as const)
          for (const text of peoplesQuestions) {
            const request = { text, sort: { by, order } };
            await compareAnswers(store, left, { ...request, search: 'search' });
            await compareAnswers(store, removed, { ...request, search: 'searchTrash' });
          }
    },
  },
  {
    title: 'queries between uploads, changes, removals, and moves to the trash and back',
    run: async ({ store }) => {
      const chance = makeChance(7);
      let files = await insertFiles(store, chance);
      const trashed = new Map<string, StoredFile>();
      for (let round = 0; round < 120; round++) {
        const file = chance.pick(files);
        const without = files.filter(other => other !== file);
        const way = chance.below(5);
        if (way === 0) {
          const [made] = makeFiles(chance, 1);
          const id = `laterfile${round}`;
          const added = sampleFile({ ...made, id, key: `${id}.bin`, createdAt: 1_800_000_000_000 + round });
          await store.files.insert(added);
          files = [...files, added];
        } else if (way === 1) {
          assert.ok(await store.files.remove(file, 1));
          files = without;
        } else if (way === 2) {
          assert.ok(await store.files.trash(file, 1000 + round));
          trashed.set(file.id, file);
          files = without;
        } else if (way === 3 && trashed.size > 0) {
          const back = chance.pick([...trashed.values()]);
          assert.ok(await store.files.restore(back));
          trashed.delete(back.id);
          files = [...files, back].toSorted((one, other) => one.createdAt - other.createdAt);
        } else {
          const changed = await store.files.update(file, now => makeChanges(chance, now));
          assert.ok(changed);
          files = files.map(other => (other === file ? changed : other));
        }
        const text = makeQuestion(chance, files);
        await compareAnswers(store, files, { text, sort: chooseSort(chance), search: 'search' });
      }
      const inTrash = [...trashed.values()].toSorted((one, other) => one.createdAt - other.createdAt);
      assert.ok(inTrash.length > 5);
      for (let index = 0; index < 100; index++) {
        const text = makeQuestion(chance, inTrash);
        await compareAnswers(store, inTrash, { text, sort: chooseSort(chance), search: 'searchTrash' });
      }
      const usage = await store.files.usage('default');
      assert.equal(usage.files, files.length + inTrash.length, 'the trash counts towards quotas');
      const listed = await store.files.list('default', { ...whole });
      assert.equal(listed.total, files.length);
      await compareFolders(store, files);
      await compareFilter(store, files);
    },
  },
  {
    title: 'pages by cursor in every order, while files are added and removed',
    run: async ({ store }) => {
      const chance = makeChance(11);
      const files = await insertFiles(store, chance);
      for (const by of fileSorts)
        for (const order of ['asc', 'desc'] as const) {
          const expected = answerByHand(files, everything, { by, order });
          assert.deepEqual(await readByCursor(store, { by, order }, 23), expected, `${by} ${order}`);
          const second = await store.files.search('default', {
            ...whole,
            query: null,
            sort: { by, order },
            from: { offset: 37 },
            limit: 5,
          });
          assert.deepEqual(
            second.files.map(({ id }) => id),
            expected.slice(37, 42),
            `${by} ${order} by offset`,
          );
        }
      const sort = { by: 'name', order: 'asc' } as const;
      const first = await store.files.search('default', { ...whole, query: null, sort, limit: 50 });
      const after = first.places.at(-1);
      assert.ok(after);
      await Promise.all(first.files.map(file => store.files.remove(file, 1)));
      const next = await store.files.search('default', {
        ...whole,
        query: null,
        sort,
        from: { after },
        limit: 50,
      });
      const expected = answerByHand(files, everything, sort);
      assert.deepEqual(
        next.files.map(({ id }) => id),
        expected.slice(50, 100),
      );
    },
  },
  {
    title: 'other filters with a query',
    run: async ({ store }) => {
      const files = await insertFiles(store, makeChance(5));
      const sort = { by: 'createdAt', order: 'asc' } as const;
      const rows: [Partial<FileFilter>, string][] = [
        [{ type: 'video' }, 'type:video'],
        [{ path: 'clips' }, '(path:clips OR path:clips/*) -path:Clips'],
        [{ terms: ['crash', 'png'] }, 'name:*crash* name:*png*'],
        [{ metadata: [{ path: 'player.id', value: '43' }] }, 'player.id:43'],
      ];
      for (const [filter, text] of rows) {
        const query = parseFileQuery('size:>0');
        const request = { ...whole, filter: { ...wholeFilter, ...filter }, query, sort };
        const { files: found } = await store.files.search('default', request);
        const same = parseFileQuery(`size:>0 ${text}`) ?? everything;
        assert.deepEqual(
          found.map(({ id }) => id),
          answerByHand(files, same, sort),
          text,
        );
      }
    },
  },
];

/** Compares the folders directly below the root, with all files in them. */
async function compareFolders(store: MetadataStore, files: readonly StoredFile[]): Promise<void> {
  const folders = await store.files.listFolders('default', {
    below: '',
    namesBegin: '',
    type: null,
    limit: 100,
  });
  const sums = new Map<string, { files: number; bytes: number }>();
  for (const { path, sizeBytes } of files) {
    if (path === '') continue;
    const [folder = ''] = path.split('/');
    const sum = sums.get(folder) ?? { files: 0, bytes: 0 };
    sums.set(folder, { files: sum.files + 1, bytes: sum.bytes + sizeBytes });
  }
  assert.deepEqual(new Map(folders.map(({ path, ...sum }) => [path, sum])), sums);
}

/** Compares a filter with the query that means the same. */
async function compareFilter(store: MetadataStore, files: readonly StoredFile[]): Promise<void> {
  for (const { path, value } of [{ path: 'player.id', value: '43' }]) {
    const filter = { ...wholeFilter, metadata: [{ path, value }] };
    const byFilter = await store.files.list('default', { ...whole, filter });
    const query = parseFileQuery(`${path}:${value}`) ?? everything;
    const usual = { by: 'createdAt', order: 'desc' } as const;
    assert.deepEqual(
      byFilter.files.map(({ id }) => id),
      answerByHand(files, query, usual),
    );
  }
}
