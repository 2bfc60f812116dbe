/** A log table that this version did not make is refused with a sentence, before anything is stored or asked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runOnShards, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { createSchema, localTable } from './schema.ts';

let store: TestStore;

before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

test('a table that is whole is left as it is, however often it is looked at', async () => {
  const target = { access: store.shards[0], clusterName: null };
  await createSchema(target);
  await createSchema(target);
});

const alterations: [string, string[]][] = [
  ['resource', ['DROP COLUMN resource']],
  ['arrivedAt', ['DROP INDEX arrivals', 'DROP COLUMN arrivedAt']],
  ['letters', ['DROP INDEX words', 'DROP COLUMN letters']],
];

for (const [column, steps] of alterations) {
  test(`a table without the column ${column} is refused`, async () => {
    for (const step of steps) await runOnShards(store, `ALTER TABLE ${localTable} ${step}`);
    await assert.rejects(createSchema({ access: store.shards[0], clusterName: null }), {
      code: 'unavailable',
      message: new RegExp(`^The table tapedeck\\.logs lacks the columns ${column}: `),
    });
    await runOnShards(store, `DROP TABLE ${localTable} SYNC`);
    await createSchema({ access: store.shards[0], clusterName: null });
  });
}
