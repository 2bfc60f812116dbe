/** A search for any of many texts takes as many statements as there are kinds of places, and reads only what the indexes name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, runOnShards, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { Binder, queryRows } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';
import { matchAll } from './entries.ts';
import { commonSettings } from './querySettings.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const entries = 4_000;

let store: TestStore;
before(async () => {
  store = await startTestStore();
  const stored = Array.from({ length: entries }, (_, index) => {
    const timestampMicros = startMicros + index;
    const traceId = composeTraceId(timestampMicros, `8${index.toString(16).padStart(15, '0')}`);
    const metadata = index === 2_500 ? { map: 'the quarry' } : { request: `7d0c-${100_000 + index}-11` };
    const body = index === 700 ? 'A zeppelin lands' : index === 701 ? 'See ab7zeppelin9' : 'The round begins';
    const facts = { dataset: 'game', level: 'info', parentId: '', resource: 'test' } as const;
    return { project: 'many', entry: { traceId, timestampMicros, ...facts, metadata, body } };
  });
  await insertEntries(store, stored);
  await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
});
after(() => store[Symbol.asyncDispose]());

/** Returns the statements of the search, the entries found and those read. */
async function search(query: string): Promise<{ statements: number; found: number; read: number }> {
  const filter = { ...matchAll({ project: 'many', datasets: null }), condition: asks(query) };
  const binder = new Binder();
  const none = () => [];
  const known = {
    areMerged: true,
    mayHold: () => true,
    parts: 1,
    listWithoutPairs: none,
    listWithoutLetters: none,
  };
  const clauses = formatConditionsApart({ table: localTable, known }, filter, binder);
  const ask = (sql: string) =>
    queryRows(store.shards[0], { sql, parameters: binder.parameters, settings: commonSettings });
  let found = 0;
  let read = 0;
  for (const clause of clauses) {
    const [[count] = []] = await ask(`SELECT count() FROM ${localTable} ${clause}`);
    const estimates = await ask(`EXPLAIN ESTIMATE SELECT count() FROM ${localTable} ${clause}`);
    found += Number(count);
    read += estimates.reduce((sum, row) => sum + Number(row[3]), 0);
  }
  return { statements: clauses.length, found, read };
}

const absentWords = ['airship', 'blimp', 'glider', 'kite', 'balloon', 'rocket'].join(' OR ');
const absentCodes = [...'123456'].map(digit => `7d0c-90000${digit}-11`).join(' OR ');

for (const [title, query, statements, found] of [
  ['six absent words', absentWords, 3, 0],
  ['six absent identifiers', absentCodes, 1, 0],
  ['both', `${absentWords} OR ${absentCodes}`, 4, 0],
  ['words of bodies, of values and in identifiers', `${absentWords} OR zeppelin OR quarry`, 3, 3],
  ['two identifiers', '7d0c-100001-11 OR 7d0c-103999-11', 1, 2],
] as const)
  test(title, async () => {
    const result = await search(query);
    assert.deepEqual({ ...result, read: 0 }, { statements, found, read: 0 });
    assert.ok(result.read <= (found === 0 ? 0 : entries / 2), `${result.read} entries read`);
  });
