/** How wide the engine merges: wide while large inserts come, narrow behind them, as usual when little is left. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../../../tests/directory.ts';
import { openStore } from '../../../tests/engines.ts';
import { silentLog } from '../../../tests/rows.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { indexSettings, localTable } from '../schema/schema.ts';
import { adaptMergeConcurrency, chooseConcurrency, widths } from './mergeConcurrency.ts';

await using opened = new AsyncDisposableStack();
const directory = opened.use(await makeDirectory());
const { engine } = opened.use(await openStore(directory.path));
const running = opened.move();
after(() => running.disposeAsync());

const forEver = 3_600; // seconds
const settings = Object.entries(indexSettings).map(([name, value]) => `${name} = ${value}`);

/** As the journal hands entries over. */
function insertRows(count: number): Promise<void> {
  return runCommand(
    engine,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, body)
     SELECT 'p', 'd', now(), number, 'entry' FROM numbers(${count}) SETTINGS ${settings.join(', ')}`,
  );
}

test('follows what inserts leave without indexes', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`); // the engine's own would come in between
  assert.equal(await chooseConcurrency(engine, forEver), widths.usual, 'nothing is stored');
  await insertRows(1_000);
  await insertRows(150_000);
  assert.equal(await chooseConcurrency(engine, forEver), widths.usual, 'little is stored');
  await insertRows(150_000);
  assert.equal(await chooseConcurrency(engine, forEver), widths.wide, 'much came just now');
  assert.equal(await chooseConcurrency(engine, 0), widths.narrow, 'much came, and nothing after it');
  await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  assert.equal(await chooseConcurrency(engine, 0), widths.usual, 'all has indexes');
});

test('what an earlier run left is put right, though nothing comes in', async () => {
  await runCommand(engine, `ALTER TABLE ${localTable} MODIFY SETTING merge_selector_base = ${widths.wide}`);
  await using adapting = adaptMergeConcurrency(
    { access: engine, log: silentLog, countInsertedRows: () => 0 },
    1,
  );
  const usual = `%merge_selector_base = ${widths.usual}%`;
  const sql = `SELECT engine_full LIKE '${usual}' FROM system.tables WHERE name = 'logs'`;
  const deadline = performance.now() + 10_000;
  while ((await queryRows(engine, { sql }))[0]?.[0] !== 1) {
    assert.ok(performance.now() < deadline, 'the width is still that of the earlier run');
    await wait(20);
  }
  assert.ok(adapting);
});
