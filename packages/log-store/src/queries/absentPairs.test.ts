/** Tests that a query for a value that nothing has does not ask the engine, and that the value is found as soon as an entry has it. */
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

async function insert({ intake }: OpenedStore, value: string): Promise<void> {
  await storeMessages(intake, ['text'], { nameValue: () => value });
  await intake.flush(flushTimeMs);
}

function openCounter({ engine, pairs, intake }: OpenedStore): (value: string) => Promise<number> {
  const { waitForWholeBatches } = intake;
  const runner = createRunner({ access: engine, memoryBytesMax: 400_000_000, waitForWholeBatches });
  const words = new PartWords(runner, engine, { inserted: pairs });
  const filter = (value: string) => ({
    ...matchAll({ project: 'arena', datasets: null }),
    condition: asks(`name:"${value}"`),
  });
  return value => countEntries({ runner, table: localTable, words }, filter(value), signal);
}

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
  const count = openCounter(store);
  for (let number = 0; number < 5; number++) await insert(store, `player ${number}`);
  await runCommand(store.engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  await insert(store, 'player 5');
  assert.equal(await count('nobody'), 0); // lists the parts
  const statements = {
    nobody: 0,
    'player 6': 0,
    'PLAYER 3': 0,
    'player 3': 1,
    'player 5': 1,
    no: 1, // too short to be known
  };
  for (const [value, expected] of Object.entries(statements))
    assert.equal(await countStatements(store, () => count(value)), expected, value);
  await insert(store, 'nobody');
  assert.equal(await count('nobody'), 1);
  assert.equal(await count('player 3'), 1);
});
