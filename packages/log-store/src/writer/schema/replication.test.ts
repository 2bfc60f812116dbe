/** Tests statements for copies of shards: an engine parses them, but none here can run them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestStore } from '../../../tests/clickhouse.ts';
import { queryRows } from '../engine/statements.ts';
import { choosePlace, ownPlace, placeOnCluster } from './replication.ts';
import { listCreation } from './tables.ts';

const store = await startTestStore();
after(() => store[Symbol.asyncDispose]());
const [access] = store.shards;

for (const cluster of ['logs', "it's \\ odd"]) {
  test(`the engine parses the statements for the tables of the cluster ${cluster}`, async () => {
    const statements = listCreation(placeOnCluster(cluster));
    for (const sql of statements) {
      const [row] = await queryRows(access, { sql: 'SELECT formatQuery({sql:String})', parameters: { sql } });
      assert.match(String(row?.[0]), /ON CLUSTER/);
    }
    const [, table = ''] = statements;
    assert.match(
      table,
      /ReplicatedMergeTree\('\/clickhouse\/tables\/\{shard\}\/tapedeck\/logs', '\{replica\}'\)/,
    );
    assert.match(table, /replicated_deduplication_window = 10000/);
  });
}

test('a single server, or one without macros, gets separate tables', async () => {
  assert.equal(await choosePlace(access, null, undefined), ownPlace);
  assert.equal(await choosePlace(access, 'nosuch', undefined), ownPlace);
  assert.doesNotMatch(listCreation(ownPlace).join(), /ON CLUSTER|Replicated|[ ,]replicated_/);
});
