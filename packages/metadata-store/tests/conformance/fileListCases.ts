/** Lists and counts of files that a fault damaged: the check names each, and a repair makes them what they would be without the fault. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ListFinding } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { openMetadataStore } from '../../src/store.ts';
import type { Adapter, ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';
import { passThroughJson, readAllRows } from './snapshotCases.ts';

type Rows = Awaited<ReturnType<typeof readAllRows>>;
type Row = Rows[number]['row'];

const dayMs = 86_400_000;

const metadata = { map: 'ü', player: { id: 7 } };

const files = [
  sampleFile({ id: 'listed1', path: 'clips/a', sizeBytes: 100, createdAt: 5 * dayMs, metadata }),
  sampleFile({ id: 'listed2', path: 'clips', sizeBytes: 20, createdAt: 5 * dayMs }),
  sampleFile({ id: 'listed3', path: 'Ünder', sizeBytes: 3, createdAt: 6 * dayMs, type: 'audio' }),
  sampleFile({ id: 'listed4', path: '', sizeBytes: 7, createdAt: 6 * dayMs }),
];

async function insertFiles(store: MetadataStore): Promise<void> {
  await insertDefaultProject(store);
  for (const file of files) await store.files.insert(file);
  await store.files.trash(files[3]!, 1);
}

const check = (store: MetadataStore, repair = false) =>
  Array.fromAsync(store.files.checkLists({ repair }), tell);

function tell(finding: ListFinding): string {
  const end = finding.repaired ? ' repaired' : '';
  if (finding.problem === 'folder')
    return `"${finding.folder}" ${finding.unlisted} ${finding.stray} ${finding.miscounted}${end}`;
  if (finding.problem === 'metadata') return `metadata ${finding.missed} ${finding.wrong}${end}`;
  const { of, counted, actual } = finding;
  return `${of} ${counted.files} ${counted.bytes} for ${actual.files} ${actual.bytes}${end}`;
}

const isOf = (table: string, wanted: Row) => (one: Rows[number]) =>
  one.table === table &&
  Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(one.row[name], value));

const remove = (table: string, wanted: Row) => (rows: Rows) => {
  const kept = rows.filter(one => !isOf(table, wanted)(one));
  assert.notEqual(kept.length, rows.length, 'a damage that damages nothing');
  return kept;
};
const change = (table: string, wanted: Row, to: Row) => (rows: Rows) => {
  assert.ok(rows.some(isOf(table, wanted)), 'a damage that damages nothing');
  return rows.map(one => (isOf(table, wanted)(one) ? { ...one, row: { ...one.row, ...to } } : one));
};
const add = (table: string, row: Row) => (rows: Rows) => [...rows, { table, row }];
const list = (folder: string, position: number, type = 'image') =>
  add('file_folders', { project: 'default', folder, position, type });

const describe = (position: number) =>
  add('file_metadata', { project: 'default', entry: 'an entry that nobody made', position });

const damages: readonly [title: string, damage: (rows: Rows) => Rows, found: string[]][] = [
  ['a file that a folder still lists', list('gone', 1), ['"gone" 0 1 0']],
  ['a file beside those of its folder', list('clips/a', 2), ['"clips/a" 0 1 0']],
  ['a list of a file that never was', list('clips', 9), ['"clips" 0 1 0']],
  ['a trashed file that is still listed', list('', 4), ['"" 0 1 0']],
  [
    'a file that its folder does not list',
    remove('file_folders', { folder: 'clips/a' }),
    ['"clips/a" 1 0 0'],
  ],
  [
    'as many files as there are, but another one',
    rows => list('Ünder', 2, 'audio')(remove('file_folders', { folder: 'Ünder' })(rows)),
    ['"Ünder" 1 1 0'],
  ],
  [
    'a file under another type',
    change('file_folders', { folder: 'clips', position: 2 }, { type: 'video' }),
    ['"clips" 1 1 0'],
  ],
  ['a count below zero', change('file_counts', { folder: 'clips/a' }, { files: -1 }), ['"clips/a" 0 0 1']],
  ['too many bytes', change('file_counts', { folder: '', type: 'audio' }, { bytes: 4 }), ['"" 0 0 1']],
  ['a missing count', remove('file_counts', { folder: 'clips' }), ['"clips" 0 0 1']],
  [
    'a count of a folder without files',
    add('file_counts', { project: 'default', folder: 'gone', bucket: 3, type: 'video', files: -1, bytes: 0 }),
    ['"gone" 0 0 1'],
  ],
  ['the usage', change('file_usage', {}, { files: 7 }), ['usage 7 130 for 4 130']],
  ['the trash', change('file_usage', {}, { trashed_bytes: 0 }), ['trash 1 0 for 1 7']],
  ['a day', change('file_days', { day: 5 }, { bytes: 1 }), ['1970-01-06 2 1 for 2 120']],
  [
    'a day without files',
    add('file_days', { project: 'default', day: 9, files: 1, bytes: 1 }),
    ['1970-01-10 1 1 for 0 0'],
  ],
  ['metadata that no search finds', remove('file_metadata', { position: 1 }), ['metadata 1 0']],
  ['metadata that a file no longer has', describe(2), ['metadata 0 1']],
  ['metadata of a file that never was', describe(900), ['metadata 0 1']],
  [
    'other metadata than that of the file',
    rows => describe(1)(remove('file_metadata', { position: 1 })(rows)),
    ['metadata 1 1'],
  ],
];

const tables = ['file_folders', 'file_counts', 'file_usage', 'file_days', 'file_metadata'];

/** Counts of zero are as good as none. */
const readLists = async (store: MetadataStore) =>
  (await readAllRows(store))
    .filter(({ table, row }) => tables.includes(table) && row.files !== 0)
    .map(({ table, row }) => JSON.stringify([table, ...Object.entries(row).sort()]))
    .sort();

async function repairCopy(adapter: Adapter, rows: Rows, work: (copy: MetadataStore) => Promise<void>) {
  await using database = await adapter.createMigrated();
  await using copy = await openMetadataStore(database.config);
  await copy.importRows(passThroughJson(rows));
  await work(copy);
}

export const fileListCases: readonly ConformanceCase[] = [
  ...damages.map(
    ([title, damage, found]): ConformanceCase => ({
      title: `finds and repairs ${title}`,
      run: async ({ store, adapter }) => {
        await insertFiles(store);
        assert.deepEqual(await check(store), []);
        await repairCopy(adapter, damage(await readAllRows(store)), async copy => {
          for (let round = 0; round < 2; round += 1) assert.deepEqual(await check(copy), found);
          assert.deepEqual(
            await check(copy, true),
            found.map(one => `${one} repaired`),
          );
          assert.deepEqual(await check(copy), []);
          assert.deepEqual(await readLists(copy), await readLists(store));
        });
      },
    }),
  ),
  {
    title: 'a repaired file can move to the folder that listed it',
    run: async ({ store, adapter }) => {
      await insertFiles(store);
      await repairCopy(adapter, list('gone', 1)(await readAllRows(store)), async copy => {
        const move = () => copy.files.update(files[0]!, file => ({ ...file, path: 'gone' }));
        await assert.rejects(move());
        await check(copy, true);
        assert.equal((await move())?.path, 'gone');
        assert.deepEqual(await check(copy), []);
      });
    },
  },
  {
    title: 'finds nothing while files come, move and go',
    run: async ({ store, config }) => {
      await insertFiles(store);
      await using other = await openMetadataStore(config);
      const writing = Array.from({ length: 60 }, async (_, index) => {
        const file = sampleFile({ id: `busy${index}`, path: `busy/${index % 7}`, metadata });
        await other.files.insert(file);
        await other.files.update(file, before => ({
          ...before,
          path: `moved/${index % 5}`,
          metadata: { map: `${index}` },
        }));
        if (index % 2 === 0) await other.files.remove(file, 1);
        else await other.files.trash(file, 1);
      });
      let isOver = false;
      const written = Promise.all(writing).finally(() => {
        isOver = true;
      });
      while (!isOver) assert.deepEqual(await check(store, true), []);
      await written;
      assert.deepEqual(await check(store), []);
    },
  },
  {
    title: 'finds the one unlisted file among thousands',
    run: async ({ store, adapter }) => {
      await insertDefaultProject(store);
      await store.files.insert(sampleFile({ path: 'a/b', metadata: { map: 'ü' } }));
      const rows = spread(await readAllRows(store), 3_000);
      const damage = remove('file_folders', { folder: 'a/b', position: 2_500 });
      const another = remove('file_metadata', { position: 1_500 });
      await repairCopy(adapter, damage(another(rows)), async copy => {
        assert.deepEqual(await check(copy, true), ['"a/b" 1 0 0 repaired', 'metadata 1 0 repaired']);
        assert.deepEqual(await check(copy), []);
      });
    },
  },
];

/** Writes the rows of one file as often as told, at the positions from 1, with their counts. */
function spread(rows: Rows, times: number): Rows {
  const positions = Array.from({ length: times }, (_, index) => index + 1);
  const buckets = Map.groupBy(positions, position => Math.floor(position / 1_024));
  return rows.flatMap(({ table, row }) => {
    const give = (changes: Row) => ({ table, row: { ...row, ...changes } });
    if (table === 'files')
      return positions.map(at => give({ id: `id${at}`, key: `${at}.png`, position: at }));
    if (table === 'file_folders' || table === 'file_metadata')
      return positions.map(position => give({ position }));
    if (table === 'file_usage') return [give({ files: times, bytes: times * 100, last_position: times })];
    if (table === 'file_days') return [give({ files: times, bytes: times * 100 })];
    if (table !== 'file_counts') return [{ table, row }];
    return [...buckets].map(([bucket, held]) =>
      give({ bucket, files: held.length, bytes: held.length * 100 }),
    );
  });
}
