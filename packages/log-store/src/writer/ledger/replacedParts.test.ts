/** Tests that the engine keeps replaced parts until those that replaced them are synced, and no longer. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../../../tests/directory.ts';
import { type OpenedStore, openStore } from '../../../tests/engines.ts';
import { silentLog, storeMessages } from '../../../tests/rows.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { activeParts, localTable } from '../schema/schema.ts';
import { PartLedger } from './partLedger.ts';
import { ReplacedParts } from './replacedParts.ts';

const flushTimeMs = 10_000;
const waitMsMax = 30_000;

/** Makes an engine that removes replaced parts after a second, if it may. */
async function openImpatient(directory: string): Promise<OpenedStore> {
  const store = await openStore(directory);
  const seconds = { old_parts_lifetime: 1, cleanup_delay_period: 1, max_cleanup_delay_period: 1 };
  const assignments = Object.entries(seconds).map(([name, value]) => `${name} = ${value}`);
  await runCommand(store.engine, `ALTER TABLE ${localTable} MODIFY SETTING ${assignments.join(', ')}`);
  return store;
}

const openLedger = ({ engine }: OpenedStore, directory: string) =>
  new PartLedger({
    access: engine,
    log: silentLog,
    dataDir: directory,
    directory: path.join(directory, 'engine'),
  });

async function mergeTwo({ engine, intake }: OpenedStore): Promise<void> {
  for (const message of ['one', 'two']) {
    await storeMessages(intake, [message]);
    await intake.flush(flushTimeMs);
  }
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
}

async function count({ engine }: OpenedStore, condition: string): Promise<number> {
  const sql = `SELECT count() FROM system.parts WHERE concat(database, '.', table) = '${localTable}' AND ${condition}`;
  const [[found] = []] = await queryRows(engine, { sql });
  return Number(found);
}

const replaced = 'NOT active AND rows > 0';

async function until(name: string, isReached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!(await isReached())) {
    assert.ok(performance.now() < deadline, name);
    await wait(50);
  }
}

/** Resolves when an engine that may remove replaced parts would have done so twice. */
const untilOld = (store: OpenedStore) =>
  until(
    'replaced parts are old',
    async () => (await count(store, `${replaced} AND remove_time < now() - 4`)) > 0,
  );

test('an engine left to itself removes replaced parts', async () => {
  await using place = await makeDirectory();
  await using store = await openImpatient(place.path);
  await mergeTwo(store);
  await until('they are gone', async () => (await count(store, replaced)) === 0);
});

test('replaced parts stay until the next sync, also in a restarted engine', async () => {
  await using place = await makeDirectory();
  await using store = await openImpatient(place.path);
  await using ledger = openLedger(store, place.path);
  await ledger.settled;
  await mergeTwo(store);
  await untilOld(store);
  await ledger.sync();
  await until('they are gone', async () => (await count(store, replaced)) === 0);
  const killed = store.engine.processId() ?? 0;
  process.kill(killed, 'SIGKILL');
  const isUp = () => store.engine.endpoint() !== null && ![null, killed].includes(store.engine.processId());
  await until('the engine is up again', async () => isUp());
  await ledger.settled;
  await mergeTwo(store);
  await untilOld(store);
  await ledger.sync();
  await until('they are gone', async () => (await count(store, replaced)) === 0);
});

test('a part that was emptied on purpose goes, too', async () => {
  await using place = await makeDirectory();
  await using store = await openImpatient(place.path);
  await using ledger = openLedger(store, place.path);
  await mergeTwo(store);
  const [[name] = []] = await queryRows(store.engine, { sql: `SELECT name FROM ${activeParts}` });
  await runCommand(store.engine, `ALTER TABLE ${localTable} DROP PART '${name}'`);
  await until('no part is left', async () => {
    await ledger.sync();
    return (await count(store, '1')) === 0;
  });
  assert.deepEqual(ledger.lost, []);
});

test('a sync that began long ago does not count', async () => {
  await using place = await makeDirectory();
  await using store = await openImpatient(place.path);
  const parts = new ReplacedParts(store.engine);
  await parts.hold();
  await mergeTwo(store);
  await parts.removeOld(performance.now() - 60_000);
  await untilOld(store);
  await parts.removeOld(performance.now());
  await until('they are gone', async () => (await count(store, replaced)) === 0);
});
