/** Tests that the texts of inserted parts are known, and that no part is ever said to lack a pair or letters that it contains. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeBlock } from '../../../tests/blocks.ts';
import { makeDirectory } from '../../../tests/directory.ts';
import { type OpenedStore, openStore } from '../../../tests/engines.ts';
import { createRandom } from '../../../tests/randomEntries.ts';
import { storeMessages } from '../../../tests/rows.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import { activeParts, indexedTexts, localTable } from '../schema/schema.ts';
import type { InsertedTextsLimits } from './insertedTexts.ts';
import { letterBytes } from './letterGrams.ts';
import { hashPair } from './pairHash.ts';

const flushTimeMs = 10_000;
const daysMicros = 86_400_000_000;
const startMicros = Date.UTC(2026, 2, 1) * 1000;
const smallSetBytes = 1024 + letterBytes;
const smallFilters: InsertedTextsLimits = {
  filterBytesMin: 64,
  filterBytesMax: 1024,
  bytesMax: 100 * smallSetBytes,
  spansMax: 1_000,
};

type Known = { parts: number; known: number; held: number; seeming: number };

const absentLetters = 'zzzz';

/** Compares with every text in every part. Fails if a part is said to lack one that it contains. */
async function checkParts({ engine, inserted }: OpenedStore): Promise<Known> {
  const rows = await queryRows(engine, { sql: `SELECT name FROM ${activeParts} AND rows > 0` });
  const known: Known = { parts: rows.length, known: 0, held: 0, seeming: 0 };
  for (const [name] of rows as [string][]) {
    const part = { name };
    if (inserted.isKnown(part)) known.known++;
    const sql = `SELECT DISTINCT concat(path, '\\0', metadata[path])
      FROM ${localTable} ARRAY JOIN mapKeys(metadata) AS path WHERE _part = '${name}'`;
    for (const [pair] of (await queryRows(engine, { sql })) as [string][]) {
      const hash = hashPair(pair);
      if (hash === null) continue;
      known.held++;
      assert.ok(inserted.mayContainPairs(part, [hash]), `${name} contains ${pair}`);
      if (inserted.mayContainPairs(part, [hashPair(`${pair} but another`) ?? 0])) known.seeming++;
    }
    const tokens = `SELECT DISTINCT arrayJoin(extractAll(${indexedTexts.tokens}, '[a-z]{4,}'))
      FROM ${localTable} WHERE _part = '${name}'`;
    for (const [letters] of (await queryRows(engine, { sql: tokens })) as [string][])
      assert.ok(inserted.mayContainLetters(part, letters), `${name} contains ${letters}`);
    assert.equal(inserted.mayContainLetters(part, absentLetters), !inserted.isKnown(part));
  }
  return known;
}

let stored = 0;

/** Returns a text with an identifier that has unique letters. */
function nameValue(number: number): string {
  const letters = [...String(number).padStart(4, '0')].map(digit => 'abcdefghij'[Number(digit)]);
  return `value ${number} of x7${letters.join('')}`;
}

/** Stores entries with values of their own as one insert. */
async function insert(
  { intake }: OpenedStore,
  entries: number,
  { days = [0], padding = '' }: { days?: readonly number[]; padding?: string } = {},
): Promise<void> {
  const timestampsMicros = Array.from(
    { length: entries },
    (_, index) => startMicros + days[index % days.length]! * daysMicros + stored * 1_000 + index,
  );
  const texts = timestampsMicros.map(() => nameValue(stored++));
  const target = { project: 'arena', dataset: 'game', retentionDays: 30 };
  const messages = texts.map(text => `${text} ${padding}`);
  await storeMessages(intake, messages, {
    timestampsMicros,
    target,
    nameValue: message => message.slice(0, 100),
  });
  await intake.flush(flushTimeMs);
}

const merge = ({ engine }: OpenedStore) => runCommand(engine, `OPTIMIZE TABLE ${localTable} FINAL`);

/** Drops the latest part. */
async function dropPart({ engine }: OpenedStore): Promise<void> {
  // The engine merges nothing across the empty part that it leaves, until that part has this age.
  await runCommand(engine, `ALTER TABLE ${localTable} MODIFY SETTING old_parts_lifetime = 1`);
  const sql = `SELECT name FROM ${activeParts} AND rows > 0 ORDER BY max_block_number DESC LIMIT 1`;
  const [[name] = []] = await queryRows(engine, { sql });
  await runCommand(engine, `ALTER TABLE ${localTable} DROP PART '${name}'`);
}

/** Merges all parts into one, as soon as the engine can. */
async function mergeWhole(store: OpenedStore): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    await merge(store);
    if ((await queryRows(store.engine, { sql: `SELECT 1 FROM ${activeParts}` })).length === 1) return;
    await wait(100);
  }
  assert.fail('The engine does not merge the parts.');
}

type Case = {
  title: string;
  limits?: InsertedTextsLimits;
  make(store: OpenedStore): Promise<void>;
  known: (parts: number) => number;
};

const all = (parts: number) => parts;
const none = () => 0;

const names = new Map([
  [all, 'is known'],
  [none, 'is not known'],
]);

const cases: readonly Case[] = [
  { title: 'an insert', make: store => insert(store, 300), known: all },
  {
    title: 'an insert into several partitions',
    make: store => insert(store, 300, { days: [0, 3, 40] }),
    known: all,
  },
  {
    title: 'an insert of a block of six megabytes',
    make: store => insert(store, 600, { padding: 'x'.repeat(10_000) }),
    known: all,
  },
  {
    title: 'parts merged from inserts',
    make: async store => {
      for (let round = 0; round < 5; round++) await insert(store, 50, { days: [0, 2] });
      await merge(store);
      await insert(store, 50);
      await merge(store);
    },
    known: all,
  },
  {
    title: 'inserts over many small filters',
    limits: smallFilters,
    make: async store => {
      for (let round = 0; round < 12; round++) await insert(store, 100);
      await merge(store);
    },
    known: all,
  },
  {
    title: 'a part with rows of another program',
    make: async store => {
      await insert(store, 50);
      await runCommand(store.engine, copyRows(1_000));
      await merge(store);
    },
    known: none,
  },
  {
    title: 'an insert beside that of another program',
    make: async store => {
      const watched = await store.inserted.watch(); // as if its rows were among those that follow
      await insert(store, 50);
      await runCommand(store.engine, copyRows(3));
      await watched?.finish();
      await checkParts(store);
      await merge(store);
    },
    known: none,
  },
  {
    title: 'a part merged across a dropped one',
    make: async store => {
      for (let round = 0; round < 2; round++) await insert(store, 50);
      await dropPart(store);
      await insert(store, 50);
      await mergeWhole(store);
    },
    known: all,
  },
  {
    title: 'a part in which as many rows of another program replace a dropped part',
    make: async store => {
      for (let round = 0; round < 2; round++) await insert(store, 50);
      await dropPart(store);
      await runCommand(store.engine, copyRows(50));
      await mergeWhole(store);
    },
    known: none,
  },
  {
    title: 'a part from which entries were deleted',
    make: async store => {
      await insert(store, 50);
      await runCommand(store.engine, `DELETE FROM ${localTable} WHERE body LIKE '%7'`);
    },
    known: none,
  },
  {
    title: 'what an engine stored before it was started again',
    make: async store => {
      await insert(store, 50);
      const up = Promise.withResolvers<void>();
      const unsubscribe = store.engine.onUp(up.resolve);
      process.kill(store.engine.processId() ?? 0, 'SIGKILL');
      await up.promise;
      unsubscribe();
    },
    known: none,
  },
  {
    title: 'more than fits into memory',
    limits: { ...smallFilters, bytesMax: 2 * smallSetBytes },
    make: async store => {
      for (let round = 0; round < 12; round++) await insert(store, 250);
      await merge(store);
    },
    known: none,
  },
  {
    title: 'more inserts than are remembered, with others between them',
    limits: { ...smallFilters, spansMax: 4 },
    make: async store => {
      await runCommand(store.engine, `SYSTEM STOP MERGES ${localTable}`);
      for (let round = 0; round < 9; round++) {
        await insert(store, 10);
        await runCommand(store.engine, copyRows(1));
      }
    },
    known: () => 3,
  },
];

/** Inserts rows past the intake. */
function copyRows(rows: number): string {
  return `INSERT INTO ${localTable} (project, dataset, timestamp, traceId, retentionDays, level, resource, body, metadata)
    SELECT 'arena', 'game', fromUnixTimestamp64Micro(${startMicros} + toInt64(number)), generateUUIDv4(), 30, 'info', 'test', 'copied',
      map('name', concat('copied ', toString(number))) FROM numbers(${rows})`;
}

for (const { title, limits, make, known } of cases)
  test(`${title}: ${names.get(known) ?? 'is known in part'}`, async () => {
    await using directory = await makeDirectory();
    await using store = await openStore(directory.path, limits && { limits });
    await make(store);
    const found = await checkParts(store);
    assert.ok(found.parts > 0 && found.held > 0, 'something to compare');
    assert.equal(found.known, known(found.parts));
    if (known === all && !limits)
      assert.ok(found.seeming <= found.held * 0.06, `${found.seeming} of ${found.held}`);
  });

test('loses no pair while entries arrive, are merged, deleted and dropped', async () => {
  const random = createRandom(5);
  await using directory = await makeDirectory();
  await using store = await openStore(directory.path, {
    limits: { ...smallFilters, bytesMax: 8 * smallSetBytes },
  });
  let known = 0;
  for (let round = 0; round < 30; round++) {
    const chance = random();
    if (chance < 0.7) await insert(store, 1 + Math.floor(random() * 60), { days: [0, round % 4] });
    else if (chance < 0.8) await merge(store);
    else if (chance < 0.9) await runCommand(store.engine, copyRows(2));
    else if (chance < 0.96) await dropPart(store);
    else await runCommand(store.engine, `DELETE FROM ${localTable} WHERE body LIKE '%${round % 10}3'`);
    known += (await checkParts(store)).known;
  }
  assert.ok(known > 15, 'some parts were known');
});

test('does not grow while every insert fails', async () => {
  await using directory = await makeDirectory();
  await using store = await openStore(directory.path, {
    limits: { ...smallFilters, bytesMax: 8 * smallSetBytes },
  });
  const { inserted } = store;
  for (let round = 0; round < 30; round++) {
    const watched = await inserted.watch();
    const block = makeBlock(
      Array.from({ length: 500 }, (_, entry) => ({ leaves: [['name', `value ${round} ${entry}`]] as const })),
    );
    const blocks = watched?.read(
      (async function* () {
        yield block;
      })(),
    );
    for await (const sent of blocks ?? []) assert.equal(sent, block);
    assert.ok(inserted.bytes > 0 && inserted.bytes <= 8 * smallSetBytes, `${inserted.bytes} bytes`);
  }
});
