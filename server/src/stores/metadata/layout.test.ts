/** The documented tables match the migrated schema: a forgotten table would be left behind by a move. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { layout } from './layout.ts';
import { openMetadataStore } from './store.ts';

test('every table and every column stands in the layout', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-layout-'));
  try {
    const file = path.join(directory, 'tapedeck.db');
    await (await openMetadataStore({ kind: 'sqlite', file }))[Symbol.asyncDispose]();
    using database = new DatabaseSync(file);
    const made = database
      .prepare(
        `select t.name as name, group_concat(c.name) as columns, group_concat(iif(c.pk > 0, c.name, null)) as keys
         from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table' and t.name not in ('migrations', 'migration_additions') group by t.name`,
      )
      .all();
    const sorted = (names: readonly string[]) => names.toSorted().join();
    const found = made.map(({ name, columns, keys }) => [
      String(name),
      sorted(String(columns).split(',')),
      sorted(String(keys).split(',')),
    ]);
    const said = [...layout.tables, ...layout.unsaved].map(({ table, columns, key }) => [
      table,
      sorted(columns),
      sorted(key),
    ]);
    assert.deepEqual(said.toSorted(), found.toSorted());
  } finally {
    await rm(directory, { recursive: true });
  }
});
