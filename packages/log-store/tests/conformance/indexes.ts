/** Cases for tests: a query that can use an index reads few entries. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import { formatConditionsApart } from '../../src/queries/conditions.ts';
import { matchAll } from '../../src/queries/entries.ts';
import { createRunner } from '../../src/queries/queryRunner.ts';
import { Binder, queryRows } from '../../src/writer/engine/statements.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import {
  insertEntries,
  runOnShards,
  type StoredEntry,
  startTestStore,
  type TestStore,
} from '../clickhouse.ts';
import { asks } from '../randomConditions.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const entriesCount = 4_000;
const everything = matchAll({ project: 'one', datasets: ['game'] });

let store: TestStore;

function makeEntry(index: number, body: string, parentId = ''): StoredEntry {
  const timestampMicros = startMicros + index * 1_000_000;
  const traceId = composeTraceId(timestampMicros, `8${index.toString(16).padStart(15, '0')}`);
  const metadata = { index: String(index), tens: String(Math.floor(index / 10)) };
  const entry = {
    traceId,
    parentId,
    timestampMicros,
    dataset: 'game',
    level: 'info',
    resource: 'test',
    body,
    metadata,
  } as const;
  return { project: 'one', entry };
}

before(async () => {
  store = await startTestStore();
  const usual = Array.from({ length: entriesCount }, (_, index) =>
    makeEntry(index, `Entry ${index} of many words`),
  );
  const needle = makeEntry(entriesCount, 'Here is the needle7f3a9c and a привет');
  await insertEntries(store, [...usual, needle, makeEntry(entriesCount + 1, 'child', 'parent-1')]);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`); // unmerged parts have no indexes
});
after(() => store[Symbol.asyncDispose]());

const indexed: [string, Condition][] = [
  ['a word', asks('body:needle')],
  ['a word anywhere', asks('needle')],
  ['a phrase', asks('"is the needle"')],
  ['an identifier anywhere', asks('7f3a9c')],
  ['a part of a word', asks('body:eedl')],
  ['letters and digits', asks('body:needle7f')],
  ['digits', asks('body:7f3a9c')],
  ['another script', asks('body:приве')],
  ['metadata', asks('index:1234')],
  ['a parent', asks('parentId:parent-1')],
  ['one of several values', asks('index:(1234,1235)')],
  ['a value at either of two paths', asks('index:1234 OR tens:7')],
  ['a value at either of two paths, and more', asks('(index:1234 OR tens:7) level:info -body:needle')],
  [
    'values of several paths, some under conditions',
    asks('(index:1234 level:info) OR tens:7 OR index:(1,2)'),
  ],
  ['a word or another', asks('body:needle OR body:7f3a9c')],
  ['a word that numbers are compared with, too', asks('body:needle -index:>5')],
];

for (const [name, condition] of indexed) {
  test(`an index narrows down the search for ${name}`, async () => {
    const binder = new Binder();
    const { settings } = createRunner({
      access: store.shards[0],
      memoryBytesMax: 0,
      waitForWholeBatches: async () => {},
    });
    const shares = [];
    for (const clause of formatConditionsApart({ table: localTable }, { ...everything, condition }, binder)) {
      const sql = `EXPLAIN indexes = 1 SELECT count() FROM tapedeck.logs ${clause}`;
      for (const access of store.shards) {
        const lines = (await queryRows(access, { sql, parameters: binder.parameters, settings })).map(row =>
          String(row[0]),
        );
        const granules = lines
          .flatMap(line => /Granules: (\d+)\/(\d+)/.exec(line)?.slice(1) ?? [])
          .map(Number);
        // The granules that the last index leaves, as a share of all. A shard without any had nothing to read.
        shares.push((granules.at(-2) ?? 0) / (granules[1] ?? 1));
      }
    }
    assert.ok(Math.max(...shares) < 0.25, `${shares} of the granules are left`);
  });
}
