/** Merges run wide, except after large inserts; then they run narrow until little is left without indexes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../../../tests/directory.ts';
import { openStore } from '../../../tests/engines.ts';
import { silentLog } from '../../../tests/rows.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { activeParts, indexSettings, localTable, mergedBytesMax } from '../schema/schema.ts';
import { adaptMergeConcurrency, chooseConcurrency, limitBytes, widths } from './mergeConcurrency.ts';

await using opened = new AsyncDisposableStack();
const directory = opened.use(await makeDirectory());
const { engine } = opened.use(await openStore(directory.path));
const running = opened.move();
after(() => running.disposeAsync());

const forEver = 3_600; // seconds
const settings = Object.entries(indexSettings).map(([name, value]) => `${name} = ${value}`);

/** Inserts rows as the journal hands them over. */
function insertRows(count: number): Promise<void> {
  return runCommand(
    engine,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, body)
     SELECT 'p', 'd', now(), number, 'entry' FROM numbers(${count}) SETTINGS ${settings.join(', ')}`,
  );
}

async function choose(calmSeconds: number): Promise<[base: number, isSettled: boolean]> {
  const { base, isSettled } = await chooseConcurrency(engine, { many: calmSeconds, few: calmSeconds });
  return [base, isSettled];
}

const settled = [widths.wide, true];
const burst = [widths.wide, false];
const calm = [widths.narrow, false];

test('follows what inserts leave without indexes', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`); // otherwise the engine's own merges would interfere
  assert.deepEqual(await choose(forEver), settled, 'nothing is stored');
  await insertRows(1_000);
  await insertRows(150_000);
  assert.deepEqual(await choose(forEver), settled, 'a single large part is stored');
  await insertRows(30_000);
  assert.deepEqual(await choose(forEver), burst, 'a second one came just now');
  assert.deepEqual(await choose(0), calm, 'a second one came, and nothing after it');
  assert.equal((await chooseConcurrency(engine, { many: 0, few: forEver })).base, widths.wide);
  await insertRows(120_000);
  assert.deepEqual(await choose(forEver), burst, 'much came just now');
  assert.deepEqual(await choose(0), calm, 'much came, and nothing after it');
  await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  assert.deepEqual(await choose(0), settled, 'all has indexes');
});

test('ignores parts that are already being merged', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
  for (let part = 0; part < 4; part++) await insertRows(400_000);
  assert.deepEqual(await choose(0), calm);
  await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
  const merged = runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  const counted = 'SELECT sum(num_parts) FROM system.merges';
  const deadline = performance.now() + 10_000;
  while ((await queryRows(engine, { sql: counted }))[0]?.[0] !== 5)
    assert.ok(performance.now() < deadline, 'no merge took them up');
  assert.deepEqual(await choose(0), settled);
  await merged;
  await runCommand(engine, `TRUNCATE TABLE ${localTable}`);
  await insertRows(1_000);
  await insertRows(300_000);
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
});

test('narrow merges leave out parts with indexes', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
  await insertRows(120_000);
  await insertRows(120_000);
  const [merged, left] = await listBytes();
  let inserted = 300_000;
  await using adapting = adaptMergeConcurrency(
    { access: engine, log: silentLog, countInsertedRows: () => inserted++ },
    500,
  );
  // They begin with the look that finds the engine calm, and the test does not wait for that look.
  const deadline = performance.now() + 30_000;
  while ((await listBytes())[1] !== 0) {
    assert.ok(performance.now() < deadline, 'what came last has no indexes');
    await wait(50);
  }
  const parts = await queryRows(engine, { sql: `SELECT rows FROM ${activeParts} ORDER BY rows` });
  assert.deepEqual(parts, [[240_000], [301_000]]);
  assert.ok(merged! > 0 && left! > 0 && adapting);
});

/** Lists the bytes in merged and in unmerged parts. */
async function listBytes(): Promise<number[]> {
  const sql = `SELECT sumIf(bytes_on_disk, level > 0), sumIf(bytes_on_disk, level = 0) FROM ${activeParts}`;
  return (await queryRows(engine, { sql }))[0] as number[]; // as selected
}

const narrow = {
  base: widths.narrow,
  isSettled: false,
  unmergedBytes: 1_000,
  isMerging: false,
  isMuch: true,
};
const limits: [string, Parameters<typeof limitBytes>, number][] = [
  ['wide', [{ ...narrow, base: widths.wide }, null], mergedBytesMax],
  ['narrow, at first', [narrow, null], 1_000],
  ['narrow, at first, during a merge', [{ ...narrow, isMerging: true }, null], 1_000],
  ['narrow, during a merge', [{ ...narrow, isMerging: true }, 1_000], 1_000],
  ['narrow, after a merge took some', [{ ...narrow, unmergedBytes: 300, isMerging: true }, 1_000], 300],
  ['narrow, with parts left that are not adjacent', [narrow, 1_000], 4_000],
  ['narrow, with more than any merge takes', [narrow, mergedBytesMax / 2], mergedBytesMax],
];

for (const [name, [width, before], bytes] of limits) {
  test(`limits the bytes merged at once: ${name}`, () => assert.equal(limitBytes(width, before), bytes));
}

for (const [name, ...rows] of [
  ['few', 60_000, 20_000],
  ['many', 300_000, 20_000],
] as const) {
  test(`gives up narrow merges for ${name} rows in parts of too different sizes`, async () => {
    await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
    for (const count of rows) await insertRows(count);
    await using adapting = adaptMergeConcurrency(
      { access: engine, log: silentLog, countInsertedRows: () => 0 },
      100,
    );
    const deadline = performance.now() + 60_000;
    await waitForBase(widths.narrow, deadline);
    await waitForBase(widths.wide, deadline);
    assert.ok(adapting);
    await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
    await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  });
}

async function readBase(): Promise<number> {
  const sql = `SELECT toUInt32(extract(engine_full, 'merge_selector_base = ([0-9]+)')) FROM system.tables WHERE name = 'logs'`;
  return (await queryRows(engine, { sql }))[0]?.[0] as number; // as selected
}

async function waitForBase(base: number, deadline: number): Promise<void> {
  while ((await readBase()) !== base) {
    assert.ok(performance.now() < deadline, `the base never became ${base}`);
    await wait(20);
  }
}

test('restores the width that an earlier run left, even if nothing arrives', async () => {
  await runCommand(engine, `ALTER TABLE ${localTable} MODIFY SETTING merge_selector_base = ${widths.narrow}`);
  await using adapting = adaptMergeConcurrency(
    { access: engine, log: silentLog, countInsertedRows: () => 0 },
    1,
  );
  const wide = `%merge_selector_base = ${widths.wide}%`;
  const sql = `SELECT engine_full LIKE '${wide}' FROM system.tables WHERE name = 'logs'`;
  const deadline = performance.now() + 10_000;
  while ((await queryRows(engine, { sql }))[0]?.[0] !== 1) {
    assert.ok(performance.now() < deadline, 'the width is still that of the earlier run');
    await wait(20);
  }
  assert.ok(adapting);
});
