/** Files and bytes by the day of their upload. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from '../conformance.ts';
import { openMetadataStore } from '../store.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';
import { passThroughJson, readAllRows } from './snapshotCases.ts';

const dayMs = 86_400_000;
const always = { fromDay: 0, toDay: 40_000 };

/** Days, and how many bytes each file of theirs holds. */
const uploads: readonly (readonly [number, number])[] = [
  [20_000 * dayMs, 100],
  [20_000 * dayMs + dayMs - 1, 200],
  [20_001 * dayMs, 2 ** 40],
  [20_003 * dayMs + 5, 7],
];

const files = uploads.map(([createdAt, sizeBytes], index) =>
  sampleFile({ id: `dayfile${index}`, createdAt, sizeBytes }),
);

export const fileDayCases: readonly ConformanceCase[] = [
  {
    title: 'files are counted by the day of their upload, and no more once they are removed',
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
    title: 'many at once are counted each',
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
  {
    title: 'rows of a version that did not count days are counted when they come',
    run: async ({ store, adapter }) => {
      await insertDefaultProject(store);
      for (const file of files) await store.files.insert(file);
      const older = (await readAllRows(store)).filter(
        ({ table, row }) => table !== 'file_days' && !(table === 'migrations' && Number(row.version) > 6),
      );
      await using database = await adapter.createEmpty();
      await using copy = await openMetadataStore(database.config);
      await copy.importRows(passThroughJson(older));
      assert.deepEqual(
        await copy.files.usageByDay('default', always),
        await store.files.usageByDay('default', always),
      );
    },
  },
];
