/** Times in lists of files never rise, whatever the clocks did. */
import assert from 'node:assert/strict';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { sql } from 'kysely';
import { fillListedTimes } from '../../src/migrations/0014_listed_times.ts';
import { openMetadataDatabase } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleFile, sampleProject } from './samples.ts';

const clocks = [5, 9, 3, 9, 12, 1];
const listed = [12, 12, 9, 9, 9, 5];

const everything = { filter: { type: null, path: '', terms: [], metadata: [] }, limit: 100 } as const;

async function listTimes(store: MetadataStore) {
  const { files } = await store.files.list('default', { ...everything, from: { offset: 0 } });
  return { listed: files.map(({ listedAt }) => listedAt), created: files.map(({ createdAt }) => createdAt) };
}

async function insertAll(store: MetadataStore): Promise<void> {
  await insertDefaultProject(store);
  await store.manage(records => records.projects.insert(sampleProject({ slug: 'other' })));
  await store.files.insert(sampleFile({ id: 'elsewhere', project: 'other', createdAt: 99 }));
  for (const [index, createdAt] of clocks.entries())
    await store.files.insert(sampleFile({ id: `timed${index}`, createdAt }));
}

export const fileTimeCases: readonly ConformanceCase[] = [
  {
    title: 'a file after one with a later clock is listed by its time, and keeps its own',
    run: async ({ store }) => {
      await insertAll(store);
      assert.deepEqual(await listTimes(store), { listed, created: clocks.toReversed() });
      const found = await store.files.find('default', 'timed2');
      assert.deepEqual([found?.listedAt, found?.createdAt], [9, 3]);
    },
  },
  {
    title: 'of a hundred concurrent files, too',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const inserts = Array.from({ length: 100 }, (_, index) =>
        store.files.insert(sampleFile({ id: `many${index}`, createdAt: 1000 + ((index * 37) % 100) })),
      );
      await Promise.all(inserts);
      const { listed: times } = await listTimes(store);
      assert.equal(times.length, 100);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      );
    },
  },
  {
    title: 'files of an older version get such times',
    run: async ({ store, config }) => {
      await insertAll(store);
      await using database = await openMetadataDatabase(config);
      await database.transact(async queries => {
        await sql`update files set listed_at = null`.execute(queries);
        await fillListedTimes(queries);
      });
      assert.deepEqual(await listTimes(store), { listed, created: clocks.toReversed() });
    },
  },
];
