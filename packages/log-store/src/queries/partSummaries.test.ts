/** Tests that summaries of parts' values skip parts and change no results, whatever is inserted, merged or deleted meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { Binder, queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';
import { countEntries } from './counts.ts';
import { findEntries, matchAll, openEntryDeps } from './entries.ts';
import type { KnownWords } from './knownWords.ts';
import { PartSpans } from './pageGuesses.ts';
import { listPairs, listPartsWithout } from './partConditions.ts';
import { PartWords } from './partWords.ts';
import { createRunner, type Runner } from './queryRunner.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const signal = new AbortController().signal;
const everyPart = { entriesMin: 1, restSeconds: 0, bytesMax: 64 * 1024 ** 2 };

let store: TestStore;
let runner: Runner;
before(async () => {
  store = await startTestStore();
  const [access] = store.shards;
  runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
  await insertEntries(
    store,
    Array.from({ length: entriesOfFirst }, (_, player) => makeEntry({ 'player.id': `player${player}` })),
  );
  await merge();
});
after(() => store[Symbol.asyncDispose]());

const entriesOfFirst = 2_000;
let entries = 0;

function makeEntry(metadata: Record<string, string>, body = 'text'): StoredEntry {
  const number = ++entries;
  const timestampMicros = startMicros + number * 1_000;
  const traceId = composeTraceId(timestampMicros, `8${number.toString(16).padStart(15, '0')}`);
  const facts = { parentId: '', dataset: 'game', level: 'info', resource: 'test' } as const;
  return { project: 'one', entry: { traceId, timestampMicros, ...facts, metadata, body } };
}

const merge = () => runCommand(store.shards[0], `OPTIMIZE TABLE ${localTable} FINAL`);
const openParts = (limits = everyPart) => new PartWords(runner, store.shards[0], { limits });
const ask = (query: string) => ({ ...matchAll({ project: 'one', datasets: null }), condition: asks(query) });

function look(parts: PartWords, query: string): Promise<KnownWords> {
  return parts.look(signal, { pairs: listPairs(asks(query)), asksLetters: true, asksWords: false });
}

/** Makes summaries: each query for a pair starts one, for the largest part without one. */
async function summarise(parts: PartWords, summaries = 1): Promise<void> {
  for (let made = 0; made < summaries; made++) {
    await look(parts, 'player.id:nobody');
    await parts.waitUntilLoaded();
  }
}

function count(parts: PartWords | null, query: string): Promise<number> {
  return countEntries({ runner, table: localTable, words: parts }, ask(query), signal);
}

async function countStatements(parts: PartWords, query: string): Promise<number> {
  const known = await look(parts, query);
  return formatConditionsApart({ table: localTable, known }, ask(query), new Binder()).length;
}

async function countPage(parts: PartWords, query: string): Promise<number> {
  const spans = new PartSpans(async () => []);
  const sizes = { windowEntries: 1, slicedEntries: 1_000_000, sliceEntries: 1_000 };
  const deps = openEntryDeps({ runner, table: localTable, words: parts, spans, minutes: null, ...sizes });
  const page = { order: 'desc', limit: 10, offset: 0, after: null, signal } as const;
  return (await findEntries(deps, ask(query), page)).entries.length;
}

test('searches no part for a value that it does not hold', async () => {
  const parts = openParts();
  assert.equal(await countStatements(parts, 'player.id:nobody'), 1); // no summary yet
  await parts.waitUntilLoaded();
  const statements = {
    'player.id:nobody': 0,
    'player.id:player77': 1,
    'player.name:player77': 0, // the same value under another path
    'player.id:PLAYER77': 0, // letter case counts
    'player.id:nobody player.id:player77': 0,
    'player.id:nobody level:info': 0,
    '(player.id:nobody OR player.id:nothing)': 0,
    '(player.id:nobody OR player.id:player77)': 1,
    '(player.id:nobody OR level:info)': 1,
    '-player.id:nobody': 1,
    'player.id:nob*': 1, // not a value
  };
  for (const [query, expected] of Object.entries(statements))
    assert.equal(await countStatements(parts, query), expected, query);
  for (const query of Object.keys(statements)) {
    const expected = await count(null, query);
    assert.equal(await count(parts, query), expected, query);
    assert.equal(await countPage(parts, query), Math.min(expected, 10), query);
  }
});

test('searches no part for an identifier whose letters it does not hold', async () => {
  const parts = openParts();
  assert.equal(await countStatements(parts, 'qlayer77'), 1);
  await parts.waitUntilLoaded();
  const statements = {
    qlayer77: 0,
    layer77: 1,
    '"with qlayer77 in it"': 0,
    'qlayer77 OR qlayer78': 0,
    'qlayer77 OR player78': 1,
    '-qlayer77': 1,
    'player.name:qlayer77': 0,
  };
  for (const [query, expected] of Object.entries(statements)) {
    assert.equal(await countStatements(parts, query), expected, query);
    assert.equal(await count(parts, query), await count(null, query), query);
  }
  await insertEntries(store, [makeEntry({}, 'the Qlayer77s')]);
  assert.equal(await count(parts, 'qlayer77'), 1);
  await merge();
  assert.equal(await count(parts, 'qlayer77'), 1);
  await summarise(parts);
  assert.equal(await count(parts, 'qlayer77'), 1);
});

test('a summary holds every value, and seems to hold few others', async () => {
  const parts = openParts();
  await summarise(parts);
  const isLeftOut = async (query: string) => (await countStatements(parts, query)) === 0;
  let wrongly = 0;
  for (let player = 0; player < entriesOfFirst; player += 10) {
    assert.equal(await isLeftOut(`player.id:player${player}`), false, `player${player}`);
    if (!(await isLeftOut(`player.id:qlayer${player}`))) wrongly++;
  }
  assert.ok(wrongly <= 20, `${wrongly} of ${entriesOfFirst / 10}`); // usually about five
});

test('finds later entries at once, merged or not, and reads only their part', async () => {
  const parts = openParts();
  await summarise(parts);
  await insertEntries(store, [makeEntry({ 'player.id': 'later' })]);
  assert.equal(listPartsWithout(asks('player.id:later'), await look(parts, 'player.id:later')).size, 1);
  assert.equal(await count(parts, 'player.id:later'), 1);
  await merge();
  assert.equal(await count(parts, 'player.id:later'), 1); // the summarised parts are gone
  await summarise(parts);
  assert.equal(await count(parts, 'player.id:later'), 1);
  assert.equal(await countStatements(parts, 'player.id:nobody'), 0);
});

test('finds entries that are merged between look and query', async () => {
  const parts = openParts();
  await summarise(parts);
  await insertEntries(store, [makeEntry({ 'player.id': 'between' })]);
  const known = await look(parts, 'player.id:between');
  assert.equal(listPartsWithout(asks('player.id:between'), known).size, 1);
  await merge();
  const binder = new Binder();
  const [clause] = formatConditionsApart({ table: localTable, known }, ask('player.id:between'), binder);
  const sql = `SELECT count() FROM ${localTable} ${clause}`;
  assert.deepEqual(await queryRows(store.shards[0], { sql, parameters: binder.parameters }), [[1]]);
});

test('loses no value while entries arrive and parts are merged', async () => {
  const parts = openParts();
  for (let round = 1; round <= 8; round++) {
    await insertEntries(store, [makeEntry({ 'player.id': 'often' })]);
    let isMerged = false;
    const merging = merge().finally(() => {
      isMerged = true;
    });
    do assert.equal(await count(parts, 'player.id:often'), round);
    while (!isMerged);
    await merging;
  }
});

test('treats a part changed by a deletion as one without a summary', async () => {
  const parts = openParts();
  await merge();
  await summarise(parts);
  await runCommand(store.shards[0], `DELETE FROM ${localTable} WHERE metadata['player.id'] = 'often'`);
  assert.equal(await countStatements(parts, 'player.id:nobody'), 1);
  assert.equal(await count(parts, 'player.id:often'), 0);
  await parts.waitUntilLoaded();
  assert.equal(await count(parts, 'player.id:player3'), 1);
});

const withoutSummaries = {
  'small parts': { ...everyPart, entriesMin: 1_000_000 },
  'young parts': { ...everyPart, restSeconds: 10_000 },
  'no memory left': { ...everyPart, bytesMax: 1_000 },
};

for (const [name, limits] of Object.entries(withoutSummaries))
  test(`${name}: makes no summary`, async () => {
    const parts = openParts(limits);
    await summarise(parts);
    assert.equal(await countStatements(parts, 'player.id:nobody'), 1);
    assert.equal(await count(parts, 'player.id:nobody'), 0);
  });
