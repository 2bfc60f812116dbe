/** Files and bytes by the day of their upload. */
import assert from 'node:assert/strict';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { storageDays } from '../../src/migrations/0020_storage_days.ts';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';
import { passThroughJson, readAllRows } from './snapshotCases.ts';

const dayMs = 86_400_000;
const always = { fromDay: 0, toDay: 40_000 };

/** Days, and the sizes of the files uploaded on them. */
const uploads: readonly (readonly [number, number])[] = [
  [20_000 * dayMs, 100],
  [20_000 * dayMs + dayMs - 1, 200],
  [20_001 * dayMs, 2 ** 40],
  [20_003 * dayMs + 5, 7],
];

const files = uploads.map(([createdAt, sizeBytes], index) =>
  sampleFile({ id: `dayfile${index}`, createdAt, sizeBytes }),
);

const typedFiles = [
  sampleFile({ id: 'typed0', sizeBytes: 100, path: 'a/b' }),
  sampleFile({ id: 'typed1', sizeBytes: 2 ** 40, path: 'a' }),
  sampleFile({ id: 'typed2', sizeBytes: 5, type: 'audio' }),
];

async function readTypes({ files: records }: MetadataStore): Promise<unknown[]> {
  const usages = [...(await records.usageByType('default'))].sort(([one], [other]) => (one < other ? -1 : 1));
  return usages
    .filter(([, usage]) => usage.files > 0)
    .map(([type, usage]) => [type, usage.files, usage.bytes]);
}

const bytes = { image: 2 ** 45, video: 2, audio: 3, logs: 4 };

export const fileDayCases: readonly ConformanceCase[] = [
  {
    title: 'counts files by the day of their upload, until they are removed',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
      await store.files.insert(sampleFile({ id: 'elsewhere', project: 'other' }));
      for (const file of files) await store.files.insert(file);
      const days = [
        { day: 20_000, files: 2, bytes: 300 },
        { day: 20_001, files: 1, bytes: 2 ** 40 },
        { day: 20_003, files: 1, bytes: 7 },
      ];
      assert.deepEqual(await store.files.usageByDay('default', always), days);
      const middle = await store.files.usageByDay('default', { fromDay: 20_001, toDay: 20_002 });
      assert.deepEqual(middle, [days[1]]);
      await store.files.remove(files[0]!, 1);
      assert.equal(await store.files.remove(files[0]!, 1), false);
      await store.files.remove(files[3]!, 1);
      assert.deepEqual(await store.files.usageByDay('default', always), [
        { day: 20_000, files: 1, bytes: 200 },
        days[1],
      ]);
      assert.deepEqual(await store.files.usageByDay('nobody', always), []);
    },
  },
  {
    title: 'counts files by type, until they are removed',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const [first, ...others] = typedFiles;
      for (const file of typedFiles) await store.files.insert(file);
      assert.deepEqual(await readTypes(store), [
        ['audio', 1, 5],
        ['image', 2, 2 ** 40 + 100],
      ]);
      await store.files.remove(first!, 1);
      for (const file of others) assert.equal(await store.files.remove(file, 1), true);
      assert.deepEqual(await readTypes(store), []);
    },
  },
  {
    title: 'counts bytes of a version that counted only files, when its rows are imported',
    run: async ({ store, adapter }) => {
      await insertDefaultProject(store);
      for (const file of typedFiles) await store.files.insert(file);
      const older = (await readAllRows(store))
        .filter(({ table, row }) => !(table === 'migrations' && Number(row.version) >= storageDays.version))
        .map(({ table, row }) => {
          const { bytes: _, ...counts } = row;
          return { table, row: table === 'file_counts' ? counts : row };
        });
      await using database = await adapter.createMigrated();
      await using copy = await openMetadataStore(database.config);
      await copy.importRows(passThroughJson(older));
      assert.deepEqual(await readTypes(copy), await readTypes(store));
      await copy.files.remove(typedFiles[1]!, 1);
      assert.deepEqual(await readTypes(copy), [
        ['audio', 1, 5],
        ['image', 1, 100],
      ]);
    },
  },
  {
    title: 'records the usage of a day once, and forgets it by day',
    run: async ({ store }) => {
      const day = { project: 'default', day: 20_000, at: 20_000 * dayMs, ...bytes };
      const next = { ...day, project: 'another', day: 20_001, at: 20_001 * dayMs };
      for (const each of [next, day, { ...day, at: day.at + 1, logs: 9 }])
        await store.write(records => records.storageDays.note(each));
      const list = (project: string | null, fromDay: number) =>
        store.read.storageDays.list({ project, fromDay });
      assert.deepEqual(await list(null, 0), [day, next]);
      assert.deepEqual(await list(null, 20_001), [next]);
      assert.deepEqual(await list('default', 0), [day]);
      await store.write(records => records.storageDays.removeBefore(20_001));
      assert.deepEqual(await list(null, 0), [next]);
    },
  },
  {
    title: 'counts each of many concurrent files',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      await using other = await openMetadataStore(config);
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 === 0 ? store : other).files.insert(
            sampleFile({ id: `many${index}`, createdAt: dayMs * 9 }),
          ),
        ),
      );
      assert.deepEqual(await store.files.usageByDay('default', always), [{ day: 9, files: 40, bytes: 4000 }]);
    },
  },
];
