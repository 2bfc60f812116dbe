/** Tests that blocks limit a query's memory: they shrink if entries are long, before a query fails. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runOnShards, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { localTable } from '../writer/schema/schema.ts';
import { Blocks } from './blockSizes.ts';
import { listParts } from './parts.ts';
import { createRunner, runQuery } from './queryRunner.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const entriesCount = 1_440;
const bodyBytes = 60_000;
const memoryBytesMax = 100_000_000; // the bodies take 86 MB, plus copies

const access = { endpoint: () => null, onUp: () => () => undefined };

const cases: readonly [string, { entries: number; bytes: number }[], number | undefined][] = [
  ['no parts', [], undefined],
  ['short entries', [{ entries: 1_000_000, bytes: 500_000_000 }], undefined],
  ['a small part of long entries', [{ entries: 100, bytes: 6_500_000 }], undefined],
  ['long entries', [{ entries: 10_000, bytes: 655_360_000 }], 95],
  [
    'long entries beside short ones',
    [
      { entries: 1_000_000, bytes: 500_000_000 },
      { entries: 1_000, bytes: 65_536_000 },
    ],
    95,
  ],
  ['entries longer than allowed', [{ entries: 100, bytes: 655_360_000 }], 64],
];

for (const [name, parts, expected] of cases) {
  test(`blocks beside ${name} hold ${expected ?? 'as many entries as the engine likes'}`, () => {
    const blocks = new Blocks(memoryBytesMax);
    blocks.recordParts(access, parts);
    assert.equal(blocks.settingsOf('one', access).max_block_size, expected);
  });
}

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

test('a first search of long bodies takes less memory than the bodies together', async () => {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, body)
      SELECT 'one', 'game', fromUnixTimestamp64Micro(${startMicros} + number), number, 'info', repeat('long ', ${bodyBytes / 5})
      FROM numbers(${entriesCount}) SETTINGS materialize_skip_indexes_on_insert = 0`,
  );
  const [shard] = store.shards;
  const runner = createRunner({ access: shard, memoryBytesMax, waitForWholeBatches: async () => {} });
  const signal = new AbortController().signal;
  await listParts(runner, shard, signal);
  const sql = `SELECT count() FROM ${localTable} WHERE project = 'one' AND positionCaseInsensitive(body, 'absent') = 0`;
  assert.deepEqual(await runQuery(runner, { weight: 'heavy', signal }, { sql }), [[entriesCount]]);
  assert.equal(runner.blocks.areSmall(''), false, 'nothing ran out of memory');
});
