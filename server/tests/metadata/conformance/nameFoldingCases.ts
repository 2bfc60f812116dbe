/** Names of files are found in any letter case, also those that an older version folded in another way. */
import assert from 'node:assert/strict';
import { foldFileNames, nameFolding } from '../../../src/stores/metadata/migrations/0010_name_folding.ts';
import { openMetadataDatabase, openMetadataStore } from '../../../src/stores/metadata/store.ts';
import type { ConformanceCase } from '../conformance.ts';
import { insertDefaultProject, sampleFile } from './samples.ts';
import { passThroughJson, readAllRows } from './snapshotCases.ts';

const filename = 'Η ΟΔΟΣ ΜΟΥ';

/** As version 9 wrote it: a sigma at the end of a word became the letter that stands there. */
const foldedBefore = filename.toLowerCase();

const query = {
  filter: { type: null, path: '', terms: ['οδοσ'], metadata: [] },
  limit: 10,
  from: { offset: 0 },
};

export const nameFoldingCases: readonly ConformanceCase[] = [
  {
    title: 'rows of a version that folded names otherwise are folded when they come',
    run: async ({ store, adapter }) => {
      await insertDefaultProject(store);
      await store.files.insert(sampleFile({ id: 'named', filename }));
      assert.equal((await store.files.list('default', query)).total, 1);
      const older = (await readAllRows(store))
        .filter(({ table, row }) => !(table === 'migrations' && Number(row.version) >= nameFolding.version))
        .map(({ table, row }) =>
          table === 'files' ? { table, row: { ...row, filename_folded: foldedBefore } } : { table, row },
        );
      await using database = await adapter.createMigrated();
      await using copy = await openMetadataStore(database.config);
      await copy.importRows(passThroughJson(older));
      assert.equal((await copy.files.list('default', query)).total, 1);
    },
  },
  {
    title: 'names in a database that folded them otherwise are folded by the migration',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      // More than the migration reads at once.
      const ids = Array.from({ length: 1001 }, (_, index) => `named${String(index).padStart(15, '0')}`);
      await Promise.all(ids.map(id => store.files.insert(sampleFile({ id, filename }))));
      {
        await using database = await openMetadataDatabase(config);
        await database.transact(queries =>
          queries.updateTable('files').set({ filename_folded: foldedBefore }).execute(),
        );
        assert.equal((await store.files.list('default', query)).total, 0);
        await database.transact(foldFileNames);
      }
      assert.equal((await store.files.list('default', query)).total, ids.length);
    },
  },
];
