/** Tests that cached words of parts save statements and change no results, whatever arrives, is merged or is deleted meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from '../../tests/clickhouse.ts';
import { asks } from '../../tests/randomConditions.ts';
import { Binder, queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditionsApart } from './conditions.ts';
import { countEntries } from './counts.ts';
import { matchAll } from './entries.ts';
import type { KnownWords } from './knownWords.ts';
import { PartWords } from './partWords.ts';
import { createRunner, type Runner } from './queryRunner.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
const signal = new AbortController().signal;

let store: TestStore;
let runner: Runner;
before(async () => {
  store = await startTestStore();
  const [access] = store.shards;
  runner = createRunner({ access, memoryBytesMax: 400_000_000, waitForWholeBatches: async () => {} });
});
after(() => store[Symbol.asyncDispose]());

let entries = 0;

function makeEntry(body: string, metadata: Record<string, string> = {}): StoredEntry {
  const number = ++entries;
  const timestampMicros = startMicros + number * 1_000;
  const traceId = composeTraceId(timestampMicros, `8${number.toString(16).padStart(15, '0')}`);
  const facts = { parentId: '', dataset: 'game', level: 'info', resource: 'test' } as const;
  return { project: 'one', entry: { traceId, timestampMicros, ...facts, metadata, body } };
}

const merge = () => runCommand(store.shards[0], `OPTIMIZE TABLE ${localTable} FINAL`);
const ask = (query: string) => ({
  ...matchAll({ project: 'one', datasets: null }),
  condition: asks(query),
});

function countStatements(query: string, known: KnownWords | null): number {
  return formatConditionsApart({ table: localTable, known }, ask(query), new Binder()).length;
}

/** Waits until all words are loaded. */
async function know(words: PartWords): Promise<KnownWords> {
  await words.look(signal);
  await words.waitUntilLoaded();
  return words.look(signal);
}

test('leaves out columns in which no part holds the word', async () => {
  await insertEntries(store, [
    makeEntry('a harbour and a pier'),
    makeEntry('nothing but a lake', { place: 'the lighthouse' }),
    makeEntry('ab7harbourmaster9 was here'),
  ]);
  await merge();
  const words = new PartWords(runner, store.shards[0]);
  const atFirst = await words.look(signal);
  assert.equal(countStatements('harbour', atFirst), 3); // nothing is known yet
  assert.equal((await know(words)).areMerged, true);
  const statements = {
    harbour: 2, // in bodies and identifiers
    lighthouse: 2, // in values and identifiers
    zeppelin: 1, // in identifiers
    'lighthouse zeppelin': 1, // the search uses the shorter word: no part holds it
    '"by zeppelin yes"': 1, // as a parent
    'body:"by zeppelin yes"': 0,
  };
  for (const [query, expected] of Object.entries(statements))
    assert.equal(countStatements(query, await words.look(signal)), expected, query);
  assert.equal(countStatements('harbour', null), 4);
  const found = { harbour: 2, lighthouse: 1, arbo: 2, harbourmaster: 1, zeppelin: 0, '"but a lake"': 1 };
  for (const [query, expected] of Object.entries(found))
    assert.equal(
      await countEntries({ runner, table: localTable, words }, ask(query), signal),
      expected,
      query,
    );
});

test('a query looks up four words, and leaves more to the engine', async () => {
  const words = new PartWords(runner, store.shards[0]);
  const known = await know(words);
  const looks = ['zeppelin', 'zeppelins', 'blimp', 'balloon'].flatMap(word => [
    known.mayHold('bodyWords', word),
    known.mayHold('restWords', word),
  ]);
  assert.deepEqual(looks, Array(8).fill(false));
  assert.equal(known.mayHold('bodyWords', 'airship'), true);
  assert.equal(known.mayHold('bodyWords', 'zeppelin'), false); // the same word costs nothing again
});

test('finds later entries at once, merged or not', async () => {
  const words = new PartWords(runner, store.shards[0]);
  const deps = { runner, table: localTable, words };
  const count = (query: string) => countEntries(deps, ask(query), signal);
  await know(words);
  assert.equal(await count('zeppelin'), 0);
  await insertEntries(store, [makeEntry('a zeppelin'), makeEntry('cd8zeppelin')]);
  assert.equal(await count('zeppelin'), 2);
  await merge();
  assert.equal(await count('zeppelin'), 2); // before the new part is read
  assert.equal((await know(words)).mayHold('bodyWords', 'zeppelin'), true);
  assert.equal(await count('zeppelin'), 2);
  assert.equal(await count('body:"by zeppelin yes"'), 0);
});

test('finds entries that are merged between look and query', async () => {
  const words = new PartWords(runner, store.shards[0]);
  await merge();
  assert.equal((await know(words)).mayHold('bodyWords', 'blimp'), false);
  await insertEntries(store, [
    makeEntry('a blimp'),
    makeEntry('cd9blimp'),
    makeEntry('gone', { by: 'blimp' }),
  ]);
  const known = await words.look(signal);
  await merge();
  const binder = new Binder();
  const counts = formatConditionsApart({ table: localTable, known }, ask('blimp'), binder).map(
    clause => `SELECT count() FROM ${localTable} ${clause}`,
  );
  const statement = { sql: counts.join(' UNION ALL '), parameters: binder.parameters };
  const found = await queryRows(store.shards[0], statement);
  assert.equal(
    found.reduce((sum, [count]) => sum + Number(count), 0),
    3,
  );
});

test('loses no word while entries arrive and parts are merged', async () => {
  const words = new PartWords(runner, store.shards[0]);
  const deps = { runner, table: localTable, words };
  for (let round = 1; round <= 8; round++) {
    await insertEntries(store, [makeEntry('a dirigible'), makeEntry(`ef${round}dirigible`)]);
    let isMerged = false;
    const merging = merge().finally(() => {
      isMerged = true;
    });
    do assert.equal(await countEntries(deps, ask('dirigible'), signal), 2 * round);
    while (!isMerged);
    await merging;
  }
});
