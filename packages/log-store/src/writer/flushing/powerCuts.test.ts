/**
 * Tests power cuts while entries are visible but not synced in the engine. Copies the directories as the cut would leave
 * them, and harms the parts of the copy in the ways in which a disk loses unsynced data. A start then finds every entry
 * once.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { countMessages, openStore } from '../../../tests/engines.ts';
import { interceptDisk } from '../../../tests/interceptedDisk.ts';
import { silentLog, storeMessages } from '../../../tests/rows.ts';
import { openLogIntake } from '../../intake/intake.ts';
import { localDisk } from '../../journal/disk/disk.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { listBroken } from '../ledger/brokenRemains.ts';
import { type Ledger, writeLedger } from '../ledger/ledgerFile.ts';
import { PartLedger } from '../ledger/partLedger.ts';
import { localTable } from '../schema/schema.ts';
import { repairBrokenParts } from './brokenParts.ts';

const flushTimeMs = 20_000;
const messages = Array.from({ length: 6 }, (_, index) => `entry ${index}`);
let root = '';
let cut = '';

/** Makes six parts that no checkpoint has synced: the journal still has all of their entries. */
before(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-cuts-'));
  const directory = path.join(root, 'running');
  await using store = await openStore(directory);
  await runCommand(store.engine, `SYSTEM STOP MERGES ${localTable}`);
  await runCommand(store.engine, 'SYSTEM STOP CLEANUP');
  // No segment leaves this journal, as if no checkpoint had come yet.
  let isKept = true;
  const keeping = interceptDisk(localDisk, ({ name, path: file }) => {
    if (isKept && name === 'remove' && file.endsWith('.journal')) throw new Error('not before a checkpoint');
  });
  const intake = await openLogIntake(
    { disk: keeping, log: silentLog },
    {
      directory: path.join(directory, 'cut journal'),
      shards: [{ url: 'embedded', access: store.engine }],
      engineDirectory: path.join(directory, 'engine'),
    },
  );
  for (const message of messages) {
    await storeMessages(intake, [message]);
    await intake.flush(flushTimeMs);
  }
  assert.equal((await countMessages(store.engine)).size, messages.length, 'visible before any checkpoint');
  cut = path.join(root, 'cut');
  await cp(path.join(directory, 'cut journal'), path.join(cut, 'journal'), {
    recursive: true,
    filter: file => !/reserve$|lock$/.test(file),
  });
  await cp(path.join(directory, 'engine'), path.join(cut, 'engine'), { recursive: true });
  isKept = false;
  await intake[Symbol.asyncDispose]();
});

after(async () => {
  await rm(root, { recursive: true });
});

/** Finds the directories of the parts that inserts left. */
async function findParts(engine: string): Promise<string[]> {
  const found = await readdir(path.join(engine, 'data', 'store'), { recursive: true });
  return found.filter(name => /_\d+_\d+_0$/.test(name)).map(name => path.join(engine, 'data', 'store', name));
}

async function listFiles(part: string): Promise<string[]> {
  const found = await readdir(part, { recursive: true, withFileTypes: true });
  return found.filter(entry => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

type Harm = { title: string; harm(part: string): Promise<void> };

const dataFile = (part: string) => path.join(part, 'data.bin');

const harms: readonly Harm[] = [
  { title: 'is unchanged', harm: async () => {} },
  { title: 'is missing', harm: part => rm(part, { recursive: true }) },
  {
    title: 'has empty files',
    harm: async part => {
      for (const file of await listFiles(part)) await truncate(file);
    },
  },
  { title: 'has no list of checksums', harm: part => rm(path.join(part, 'checksums.txt')) },
  { title: 'has lost half of its entries', harm: async part => truncate(dataFile(part), 100) },
  {
    title: 'holds zeros of the right length',
    harm: async part => writeFile(dataFile(part), Buffer.alloc((await stat(dataFile(part))).size)),
  },
  { title: 'has zeroed counts', harm: part => fillCounts(part) },
  {
    title: 'has zeroed counts and has lost half of its entries',
    harm: async part => {
      await fillCounts(part);
      await truncate(dataFile(part), 100);
    },
  },
];

/** Fills the counts with zeros. */
async function fillCounts(part: string): Promise<void> {
  for (const file of await listFiles(part))
    if (file.includes('.proj')) await writeFile(file, Buffer.alloc((await stat(file)).size));
}

async function emptyCounts(part: string): Promise<void> {
  for (const file of await listFiles(part)) if (file.endsWith('.proj/columns.txt')) await truncate(file);
}

for (const { title, harm } of harms) {
  for (const [which, from, to] of [
    ['each', 0, messages.length],
    ['one', 2, 3],
  ] as const) {
    test(`${which} part ${title}: finds every entry once`, async () => {
      const directory = await mkdtemp(path.join(root, 'start-'));
      await cp(cut, directory, { recursive: true });
      const parts = await findParts(path.join(directory, 'engine'));
      assert.equal(parts.length, messages.length);
      for (const part of parts.slice(from, to)) await harm(part);
      await using store = await openStore(directory);
      await store.intake.flush(flushTimeMs);
      assert.deepEqual(await countMessages(store.engine), new Map(messages.map(message => [message, 1])));
    });
  }
}

const brokenCounts = `SELECT count() FROM system.projection_parts
  WHERE active AND is_broken AND concat(database, '.', table) = '${localTable}'`;

for (const [title, harm, since] of [
  ['are zeros', fillCounts, 0],
  ['name no columns', emptyCounts, 0],
  // An earlier start has emptied the journal and lost its power while it rebuilt them.
  ['name no columns, in parts older than the journal', emptyCounts, Date.now() + 3_600_000],
] as const) {
  test(`keeps entries no longer in the journal and rebuilds their counts when these ${title}`, async () => {
    const directory = await mkdtemp(path.join(root, 'counts-'));
    await cp(path.join(cut, 'engine'), path.join(directory, 'engine'), { recursive: true });
    for (const part of (await findParts(path.join(directory, 'engine'))).slice(2)) await harm(part);
    await using store = await openStore(directory);
    await runCommand(store.engine, `SYSTEM STOP MERGES ${localTable}`);
    const mended = repairBrokenParts(store.engine, silentLog, since);
    assert.deepEqual(await countMessages(store.engine), new Map(messages.map(message => [message, 1])));
    await runCommand(store.engine, `SYSTEM START MERGES ${localTable}`);
    await mended;
    assert.deepEqual(await queryRows(store.engine, { sql: brokenCounts }), [[0]]);
    assert.deepEqual(await countMessages(store.engine), new Map(messages.map(message => [message, 1])));
  });
}

test('removes broken parts at a checkpoint, unless one is missing or the ledger is new', async () => {
  const directory = await mkdtemp(path.join(root, 'remains-'));
  await cp(cut, directory, { recursive: true });
  for (const part of await findParts(path.join(directory, 'engine')))
    for (const file of await listFiles(part)) await truncate(file);
  await using store = await openStore(directory);
  await store.intake.flush(flushTimeMs);
  const [broken] = await listBroken(store.engine);
  const name = broken?.name.replace('broken-on-start_', '') ?? '';
  const missed = {
    name,
    entries: 1,
    fromSecond: 0,
    toSecond: 1,
    key: 'of before',
    loss: 'setAside',
  } as const;
  const ledger: Ledger = { engine: null, parts: [], lost: [], isRemoving: false, accepted: [] };
  for (const [before, left] of [
    [null, messages.length],
    [{ ...ledger, lost: [missed] }, messages.length],
    [{ ...ledger, accepted: [name] }, 1],
    [ledger, 0],
  ] as const) {
    const dataDir = await mkdtemp(path.join(root, 'ledger-'));
    if (before !== null) await writeLedger(dataDir, before);
    const deps = { access: store.engine, log: silentLog, dataDir, directory: path.join(directory, 'engine') };
    await using opened = new PartLedger(deps);
    await opened.sync();
    assert.equal((await listBroken(store.engine)).length, left);
  }
});

test('checkpoints happen by themselves, and a deletion waits for one', async () => {
  const directory = await mkdtemp(path.join(root, 'checkpoint-'));
  await using store = await openStore(directory);
  const journal = path.join(directory, 'journal');
  const listSegments = async () => (await readdir(journal)).filter(name => name.endsWith('.journal'));
  await storeMessages(store.intake, ['one']);
  await store.intake.flushAndForget(flushTimeMs);
  const [spare] = await listSegments();
  assert.equal((await listSegments()).length, 1, 'what is left is the segment for the entries to come');
  await storeMessages(store.intake, ['two']);
  await store.intake.flush(flushTimeMs);
  const deadline = performance.now() + flushTimeMs;
  while ((await listSegments()).includes(spare ?? '')) {
    assert.ok(performance.now() < deadline, 'no checkpoint came');
    await wait(20);
  }
  assert.equal((await queryRows(store.engine, { sql: `SELECT count() FROM ${localTable}` }))[0]?.[0], 2);
});
