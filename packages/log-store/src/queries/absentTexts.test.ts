/** Tests that a query for a text that nothing has does not ask the engine, and that the text is found as soon as an entry has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeDirectory } from '../../tests/directory.ts';
import { type OpenedStore, openStore } from '../../tests/engines.ts';
import { asks } from '../../tests/randomConditions.ts';
import { storeMessages } from '../../tests/rows.ts';
import { queryRows, runCommand } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { countEntries } from './counts.ts';
import { matchAll } from './entries.ts';
import { PartWords } from './partWords.ts';
import { createRunner } from './queryRunner.ts';

const signal = new AbortController().signal;
const flushTimeMs = 10_000;

async function insert({ intake }: OpenedStore, value: string, message = 'text'): Promise<void> {
  await storeMessages(intake, [message], { nameValue: () => value });
  await intake.flush(flushTimeMs);
}

function openCounter({ engine, inserted, intake }: OpenedStore) {
  const { waitForWholeBatches } = intake;
  const runner = createRunner({ access: engine, memoryBytesMax: 400_000_000, waitForWholeBatches });
  const words = new PartWords(runner, engine, { inserted });
  const count = (query: string) => {
    const filter = { ...matchAll({ project: 'arena', datasets: null }), condition: asks(query) };
    return countEntries({ runner, table: localTable, words }, filter, signal);
  };
  return { count, words };
}

const merge = ({ engine }: OpenedStore) => runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);

/** Counts the statements that the engine receives during the work. */
async function countStatements({ engine }: OpenedStore, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const sql = "SELECT value FROM system.events WHERE event = 'Query'";
    const [[count] = []] = await queryRows(engine, { sql });
    return Number(count);
  };
  const before = await read();
  await work();
  return (await read()) - before - 1;
}

test('asks the engine only for values that an entry may have', async () => {
  await using directory = await makeDirectory();
  await using store = await openStore(directory.path);
  const { count } = openCounter(store);
  for (let number = 0; number < 5; number++) await insert(store, `player ${number}`);
  await merge(store);
  await insert(store, 'player 5');
  assert.equal(await count('name:"nobody"'), 0); // lists the parts
  const statements = {
    nobody: 0,
    'player 6': 0,
    'PLAYER 3': 0,
    'player 3': 1,
    'player 5': 1,
    no: 1, // too short to be known
  };
  for (const [value, expected] of Object.entries(statements))
    assert.equal(await countStatements(store, () => count(`name:"${value}"`)), expected, value);
  await insert(store, 'nobody');
  assert.equal(await count('name:"nobody"'), 1);
  assert.equal(await count('name:"player 3"'), 1);
});

test('asks the engine only for letters that an entry may have', async () => {
  await using directory = await makeDirectory();
  await using store = await openStore(directory.path);
  const { count, words } = openCounter(store);
  await insert(store, 'near a lighthouse', 'a harbour');
  await insert(store, 'Lake7Constance', 'k7Harbourmaster was here');
  await merge(store);
  await count('zeppelin');
  await words.waitUntilLoaded();
  const found = {
    zeppelin: { statements: 0, entries: 0 },
    harbourmasters: { statements: 0, entries: 0 },
    '"a zeppelin flew"': { statements: 0, entries: 0 },
    lighthouse: { statements: 1, entries: 1 }, // in values
    constance: { statements: 1, entries: 1 }, // in identifiers
    harbour: { statements: 1, entries: 2 }, // one statement for bodies and one for identifiers, sent together
    con: { statements: 1, entries: 1 }, // too short to be known
    lake7: { statements: 1, entries: 1 },
    lakes7: { statements: 0, entries: 0 },
    '"zeppelin7 was here"': { statements: 0, entries: 0 },
    '"harbourmaster was here"': { statements: 1, entries: 1 },
    'zeppelin7 lake7': { statements: 0, entries: 0 },
    'zeppelin7 OR lake7': { statements: 1, entries: 1 },
    'zeppelin7 OR zeppelin8': { statements: 0, entries: 0 },
    'NOT zeppelin7': { statements: 1, entries: 2 },
  };
  for (const [query, expected] of Object.entries(found)) {
    let entries = 0;
    const work = async () => {
      entries = await count(query);
    };
    assert.deepEqual({ statements: await countStatements(store, work), entries }, expected, query);
  }
  await insert(store, 'none', 'x8Zeppelin'); // not merged
  assert.equal(await count('8zeppelin'), 1);
  assert.equal(await countStatements(store, () => count('lakes7')), 0);
  assert.equal(await count('zeppelin'), 1);
  assert.equal(await count('harbour'), 2);
  await merge(store);
  assert.equal(await count('zeppelin'), 1);
});
