/** Tables of version 4 have indexes on computed columns. Searches use these indexes by the expressions of the columns. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { queryRows } from '../engine/statements.ts';
import { foldColumn } from './folding.ts';
import { indexedTexts, localTable, restText, slowColumn } from './schema.ts';
import { createSchema, readTableState } from './tables.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
  await runOnShards(store, `ALTER TABLE ${localTable} ${[...dropped, ...columns, ...indexes].join(', ')}`);
  await createSchema({ access: store.shards[0], clusterName: null });
});
after(() => store[Symbol.asyncDispose]());

const grams = { tokens: 'ngrambf_v1(4, 24576, 1, 0)', codes: 'ngrambf_v1(6, 49152, 1, 0)' };
const words = "text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking')";
const names = ['wordsOfBody', 'wordsOfRest', 'gramsOfTokens', 'gramsOfCodes'];
const dropped = names.map(name => `DROP INDEX ${name}`);

const all = `concat(bodyFolded, '\\0', restFolded, '\\0', ${foldColumn('parentId')})`;
const token = '[a-z]*[0-9][a-z0-9]*';
const slowTokens = `arrayStringConcat(extractAll(${all}, '[a-z]+[0-9][a-z0-9]*|[0-9]+[a-z][a-z0-9]*'), ' ')`;
const columns = [
  `ADD COLUMN bodyFolded String ALIAS ${foldColumn('body')}`,
  `ADD COLUMN restFolded String ALIAS ${foldColumn(restText)}`,
  `ADD COLUMN bodyWords String ALIAS replaceRegexpAll(bodyFolded, '${token}', ' ')`,
  `ADD COLUMN restWords String ALIAS replaceRegexpAll(restFolded, '${token}', ' ')`,
  `ADD COLUMN tokens String ALIAS ${slowTokens}`,
  `ADD COLUMN codes String ALIAS arrayStringConcat(extractAll(${all}, '[a-f.:-]*[0-9][0-9a-f.:-]*'), ' ')`,
];
const indexes = [
  `ADD INDEX wordsOfBody bodyWords TYPE ${words}`,
  `ADD INDEX wordsOfRest restWords TYPE ${words}`,
  `ADD INDEX gramsOfTokens tokens TYPE ${grams.tokens} GRANULARITY 4`,
  `ADD INDEX gramsOfCodes codes TYPE ${grams.codes} GRANULARITY 4`,
];

test('replaces a slow computed column and keeps the parts complete', async () => {
  const sql = `SELECT position(default_expression, '${slowColumn.text}') FROM system.columns
    WHERE concat(database, '.', table) = '${localTable}' AND name = '${slowColumn.name}'`;
  assert.deepEqual(await queryRows(store.shards[0], { sql }), [[0]]);
  const { signal } = new AbortController();
  assert.deepEqual(await readTableState(store.shards[0], signal), { isWhole: true });
});

const stored = Array.from({ length: 2_000 }, (_, index) => {
  const timestampMicros = Date.UTC(2026, 2, 1) * 1000 + index;
  const traceId = composeTraceId(timestampMicros, `8${index.toString(16).padStart(15, '0')}`);
  const facts = { dataset: 'game', level: 'info', parentId: '', body: 'The round begins' } as const;
  const metadata = index === 0 ? { map: 'harbour', player: 'steam:11000011' } : { map: 'lake' };
  const body = index === 1 ? 'A zeppelin of 7k9x4q2z lands' : facts.body;
  return {
    project: 'computed',
    entry: { traceId, timestampMicros, ...facts, resource: 'test', metadata, body },
  };
});

test('searches use indexes on computed columns', async () => {
  await insertEntries(store, stored);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  for (const [name, index, text] of [
    ['bodyWords', 'wordsOfBody', 'zeppelin'],
    ['restWords', 'wordsOfRest', 'harbour'],
    ['tokens', 'gramsOfTokens', '7k9x4q2z'],
    ['codes', 'gramsOfCodes', '11000011'],
  ] as const) {
    const condition = `project = 'computed' AND ${indexedTexts[name]} LIKE '%${text}%'`;
    const select = `SELECT count() FROM ${localTable} WHERE ${condition}`;
    assert.deepEqual(await queryRows(store.shards[0], { sql: select }), [[1]], name);
    const plan = await queryRows(store.shards[0], { sql: `EXPLAIN indexes = 1 ${select}` });
    const lines = plan.flat().join('\n');
    const [, used = ''] = lines.split(`Name: ${index}`);
    const [, found, total] = /Granules: (\d+)\/(\d+)/.exec(used) ?? [];
    assert.ok(Number(found) < Number(total), lines);
  }
});
