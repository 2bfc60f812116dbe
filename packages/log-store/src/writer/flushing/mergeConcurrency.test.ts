/** Merges run wide, except after large inserts; then they run narrow until little is left without indexes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../../../tests/directory.ts';
import { openStore } from '../../../tests/engines.ts';
import { silentLog } from '../../../tests/rows.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { activeParts, indexSettings, localTable, mergedBytesMax } from '../schema/schema.ts';
import {
  adaptMergeConcurrency,
  chooseWidth,
  readState,
  settledBytesMax,
  widths,
} from './mergeConcurrency.ts';

await using opened = new AsyncDisposableStack();
const directory = opened.use(await makeDirectory());
const { engine } = opened.use(await openStore(directory.path));
const running = opened.move();
after(() => running.disposeAsync());

const forEver = 3_600; // seconds
const settings = Object.entries(indexSettings).map(([name, value]) => `${name} = ${value}`);

/** Inserts rows as the journal hands them over. */
function insertRows(count: number, body = "'entry'"): Promise<void> {
  return runCommand(
    engine,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, body)
     SELECT 'p', 'd', now(), number, ${body} FROM numbers(${count}) SETTINGS ${settings.join(', ')}`,
  );
}

/** Bodies that hardly compress: parts of a few megabytes are all alike to the engine. */
const insertLarge = (count: number) => insertRows(count, 'lower(hex(randomString(20)))');

async function readKind(calmSeconds: number): Promise<string> {
  const { kind } = await readState(engine, { many: calmSeconds, few: calmSeconds });
  return kind;
}

test('follows what inserts leave without indexes', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`); // otherwise the engine's own merges would interfere
  assert.equal(await readKind(forEver), 'settled', 'nothing is stored');
  await insertRows(1_000);
  await insertRows(150_000);
  assert.equal(await readKind(forEver), 'settled', 'a single large part is stored');
  await insertRows(30_000);
  assert.equal(await readKind(forEver), 'burst', 'a second one came just now');
  assert.equal(await readKind(0), 'calm', 'a second one came, and nothing after it');
  assert.equal((await readState(engine, { many: 0, few: forEver })).kind, 'burst');
  await insertRows(120_000);
  const state = await readState(engine, { many: forEver, few: forEver });
  assert.ok(state.kind === 'burst', 'much came just now');
  assert.deepEqual([state.rows, state.indexedParts], [301_000, 0]);
  assert.ok(state.largestBytes > 0);
  assert.equal(await readKind(0), 'calm', 'much came, and nothing after it');
  await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  assert.equal(await readKind(0), 'settled', 'all has indexes');
});

test('ignores parts that are already being merged', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
  for (let part = 0; part < 4; part++) await insertRows(400_000);
  assert.equal(await readKind(0), 'calm');
  await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
  const merged = runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
  const counted = 'SELECT sum(num_parts) FROM system.merges';
  const deadline = performance.now() + 10_000;
  while ((await queryRows(engine, { sql: counted }))[0]?.[0] !== 5)
    assert.ok(performance.now() < deadline, 'no merge took them up');
  assert.equal(await readKind(0), 'settled');
  await merged;
  await startAnew();
});

test('limits merges during a burst, and no longer once it has been merged', async () => {
  await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
  await insertRows(120_000);
  await insertRows(120_000);
  let inserted = 0;
  let step = 100_000;
  await using adapting = adaptMergeConcurrency(
    { access: engine, log: silentLog, countInsertedRows: () => (inserted += step) },
    200,
  );
  const deadline = performance.now() + 60_000;
  const limit = 'max_bytes_to_merge_at_max_space_in_pool';
  while ((await readSetting(limit)) >= settledBytesMax) {
    assert.ok(performance.now() < deadline, 'the burst has a limit');
    await wait(20);
  }
  assert.equal(await readSetting('merge_selector_base'), widths.wide);
  step = 0;
  while ((await readSetting(limit)) !== settledBytesMax || (await listBytes())[1] !== 0) {
    assert.ok(performance.now() < deadline, 'all is merged, and the limit is lifted');
    await wait(20);
  }
  assert.ok(adapting);
  await startAnew();
});

/** Leaves one part with indexes. */
async function startAnew(): Promise<void> {
  await runCommand(engine, `TRUNCATE TABLE ${localTable}`);
  await insertRows(1_000);
  await insertRows(300_000);
  await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
}

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

for (const [name, rows, left] of [
  ['much', [160_000, 50_000], 210_000],
  ['little', [130_000, 40_000], 170_000],
] as const) {
  test(`${name} that is left in parts of too different sizes for narrow merges is merged`, async () => {
    await runCommand(engine, `TRUNCATE TABLE ${localTable}`);
    await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
    for (const count of [250_000, 250_000]) await insertLarge(count);
    await runCommand(engine, `SYSTEM START MERGES ${localTable}`);
    await runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);
    await runCommand(engine, `SYSTEM STOP MERGES ${localTable}`);
    for (const count of rows) await insertLarge(count);
    await using adapting = adaptMergeConcurrency(
      { access: engine, log: silentLog, countInsertedRows: () => 0 },
      500,
    );
    const deadline = performance.now() + 60_000;
    while ((await listBytes())[1] !== 0) {
      assert.ok(performance.now() < deadline, 'all has indexes');
      await wait(50);
    }
    await waitForBase(widths.wide, deadline);
    const parts = await queryRows(engine, { sql: `SELECT rows FROM ${activeParts} ORDER BY rows` });
    assert.deepEqual(parts, [[left], [500_000]]);
    assert.ok(adapting);
    await startAnew();
  });
}

/** Lists the bytes in merged and in unmerged parts. */
async function listBytes(): Promise<number[]> {
  const sql = `SELECT sumIf(bytes_on_disk, level > 0), sumIf(bytes_on_disk, level = 0) FROM ${activeParts}`;
  return (await queryRows(engine, { sql }))[0] as number[]; // as selected
}

const calm = {
  kind: 'calm',
  unmergedBytes: 1_000,
  largestBytes: 500,
  isMerging: false,
  isMuch: true,
  indexedParts: 9,
} as const;
const few = { ...calm, isMuch: false };
const merging = { ...calm, isMerging: true };
const burst = { kind: 'burst', rows: 1_000_000, largestBytes: 1_000, indexedParts: 9 } as const;
const unknown = { kind: 'unknown', base: 0, bytesMax: mergedBytesMax } as const;
const settled = { kind: 'settled', indexedParts: 60 } as const;
const settledWidth = { kind: 'settled', base: widths.wide, bytesMax: settledBytesMax } as const;
const burstWidth = { kind: 'burst', base: widths.wide, bytesMax: 16_384 } as const;
const calmWidth = (bytesMax: number) => ({ kind: 'calm', base: widths.narrow, bytesMax }) as const;
const lastWidth = (bytesMax: number) => ({ kind: 'calm', base: widths.last, bytesMax }) as const;

type Choice = [name: string, state: Parameters<typeof chooseWidth>[0], before: Width, due: Width];
type Width = ReturnType<typeof chooseWidth>;

const choices: Choice[] = [
  ['after a restart', settled, unknown, settledWidth],
  [
    'many indexed parts, long after a burst',
    { ...settled, indexedParts: 61 },
    settledWidth,
    { ...settledWidth, bytesMax: mergedBytesMax },
  ],
  ['a burst leaves out larger parts', burst, unknown, burstWidth],
  ['a burst that is all being merged', settled, { ...burstWidth, base: widths.narrow }, burstWidth],
  ['a backlog', { ...burst, rows: 2_000_000 }, burstWidth, { ...burstWidth, base: widths.medium }],
  ['a long backlog', { ...burst, rows: 4_000_000 }, burstWidth, { ...burstWidth, base: widths.narrow }],
  [
    'many indexed parts',
    { ...burst, indexedParts: 61 },
    burstWidth,
    { ...burstWidth, bytesMax: mergedBytesMax },
  ],
  ['calm, at first', calm, burstWidth, calmWidth(1_000)],
  ['calm, after a long burst', { ...calm, unmergedBytes: 50_000 }, burstWidth, calmWidth(8_192)],
  ['calm, at first, during a merge', merging, burstWidth, calmWidth(1_000)],
  ['calm, during a merge', merging, calmWidth(1_000), calmWidth(1_000)],
  ['calm, after a merge took some', { ...merging, unmergedBytes: 300 }, calmWidth(1_000), calmWidth(300)],
  ['calm, with parts left that are not adjacent', calm, calmWidth(1_000), lastWidth(4_000)],
  ['calm, with larger parts between them', calm, lastWidth(4_000), lastWidth(16_000)],
  [
    'calm, during a merge with a larger part',
    { ...merging, unmergedBytes: 300 },
    lastWidth(4_000),
    calmWidth(300),
  ],
  [
    'calm, with more than any merge takes',
    { ...calm, unmergedBytes: mergedBytesMax },
    lastWidth(mergedBytesMax / 2),
    lastWidth(mergedBytesMax),
  ],
  ['calm, when indexing what is left means to rewrite much more', calm, lastWidth(16_000), settledWidth],
  ['calm, with little left in parts of too different sizes', few, calmWidth(1_000), lastWidth(1_000)],
  ['calm, with little left, and more of it than the limit', few, lastWidth(600), lastWidth(1_000)],
  ['calm, when no merge takes the little that is left', few, lastWidth(1_000), settledWidth],
];

for (const [name, state, before, due] of choices) {
  test(`limits merges: ${name}`, () =>
    assert.deepEqual(chooseWidth(state, { before, isArriving: true }), due));
}

test('limits merges: after a burst that has all been merged', () =>
  assert.deepEqual(chooseWidth(settled, { before: burstWidth, isArriving: false }), settledWidth));

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

async function readSetting(name: string): Promise<number> {
  const sql = `SELECT toUInt64(extract(engine_full, '${name} = ([0-9]+)')) FROM system.tables WHERE name = 'logs'`;
  return Number((await queryRows(engine, { sql }))[0]?.[0]);
}

async function waitForBase(base: number, deadline: number): Promise<void> {
  while ((await readSetting('merge_selector_base')) !== base) {
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
