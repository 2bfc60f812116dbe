/** The folders directly below a folder, each with the files in it and below it, whatever lies deeper or beside it. */
import assert from 'node:assert/strict';
import type { FolderQuery } from '@tapedeck/domain/ports/files';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';

const paths = [
  '',
  'clips',
  'clips-old',
  'clips/a',
  'clips/a/deep/er',
  'clips/b',
  'clips0',
  'Ünder',
  '日本/x',
];

/** More than one read takes, and not in sorted order. */
const players = Array.from({ length: 150 }, (_, index) => `players/${(index * 7) % 150}`);

const rows: readonly [string, Partial<FolderQuery>, readonly [string, number][]][] = [
  [
    'top-level folders',
    {},
    [
      ['clips', 4],
      ['clips-old', 1],
      ['clips0', 1],
      ['players', 150],
      ['Ünder', 1],
      ['日本', 1],
    ],
  ],
  [
    'those below one',
    { below: 'clips' },
    [
      ['clips/a', 2],
      ['clips/b', 1],
    ],
  ],
  ['a folder that contains only folders', { below: 'clips/a' }, [['clips/a/deep', 1]]],
  ['a folder without any', { below: 'clips/b' }, []],
  ['an unknown folder', { below: 'nowhere' }, []],
  [
    'names with a prefix',
    { namesBegin: 'clips' },
    [
      ['clips', 4],
      ['clips-old', 1],
      ['clips0', 1],
    ],
  ],
  ['a type without files', { type: 'audio' }, []],
  [
    'as many as requested',
    { limit: 2 },
    [
      ['clips', 4],
      ['clips-old', 1],
    ],
  ],
];

export const fileFolderCases: readonly ConformanceCase[] = rows.map(([title, listing, expected]) => ({
  title,
  run: async ({ store }) => {
    await insertDefaultProject(store);
    await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
    const files = [...paths, ...players, 'gone/for/good'].map((path, index) =>
      sampleFile({ id: `folderfile${index}`, key: `${path}/folderfile${index}.png`, path, type: 'image' }),
    );
    for (const file of files) await store.files.insert(file);
    await store.files.insert(sampleFile({ id: 'elsewhere', project: 'other', path: 'theirs' }));
    await store.files.remove(files.at(-1)!, 1);
    const query = { below: '', namesBegin: '', type: null, limit: 1000, ...listing };
    const folders = await store.files.listFolders('default', query);
    assert.deepEqual(
      folders.map(({ path, files: count }) => [path, count]),
      expected,
    );
    const all = await store.files.listFolders('default', { ...query, below: 'players', namesBegin: '' });
    const wanted = [...new Set(players)].sort().slice(0, query.limit);
    assert.deepEqual(
      all.map(({ path }) => path),
      query.type === null ? wanted : [],
    );
  },
}));
