/** Cases for tests: a copy ends equal to its source, while entries come and go, and after any interruption. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { LogCopy, type LogCopyPass } from '../../src/operations/copying/logCopy.ts';
import { digestSpan, divideSpan, foreverMicros } from '../../src/operations/copying/windows.ts';
import { queryRows } from '../../src/writer/engine/statements.ts';
import { localTable } from '../../src/writer/schema/schema.ts';
import { runOnShards, startTestStore, type TestStore } from '../clickhouse.ts';

let source: TestStore;
let target: TestStore;

before(async () => {
  source = await startTestStore();
  target = await startTestStore();
});
after(async () => {
  await source[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});
beforeEach(async () => {
  for (const store of [source, target]) await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
});

const everything = { from: 0, to: foreverMicros };
const hourMicros = 3_600_000_000;
const begunMicros = 1_760_000_000_000_000;

type Arrived = { dataset?: string; count: number; arrivedMicros: number; stepMicros?: number };

/** Adds to each shard of the source entries of random identities over a few days. */
async function fill({ dataset = 'game', count, arrivedMicros, stepMicros = 0 }: Arrived): Promise<void> {
  const arrival = `fromUnixTimestamp64Micro(toInt64(${arrivedMicros} + number * ${stepMicros}), 'UTC')`;
  await runOnShards(
    source,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, retentionDays, level, resource, body, metadata, arrivedAt)
     SELECT 'one', '${dataset}', ${arrival} - INTERVAL number % 100 HOUR, rand64(), number % 2 ? 30 : 0, 'warn', 'r', concat('entry ', toString(number), ' ä'),
       map('n', toString(number), 'deep.text', 'x'), ${arrival} FROM numbers(${count})`,
  );
}

const digest = ({ shards }: TestStore) => digestSpan(shards, everything);

function pass(copy: LogCopy, isLast = true): Promise<LogCopyPass> {
  return copy.pass(source.shards, { isLast }, () => undefined);
}

async function requireEqual(): Promise<void> {
  assert.equal(await digest(target), await digest(source));
}

const shards = () => source.shards.length;

test('copies everything once, to all shards, and a second pass copies nothing', async () => {
  await fill({ count: 4_000, arrivedMicros: begunMicros });
  await fill({ count: 2_000, arrivedMicros: begunMicros + 300 * hourMicros, stepMicros: hourMicros });
  const copy = new LogCopy(target.shards);
  const told: number[] = [];
  const first = await copy.pass(source.shards, { isLast: false }, ({ entries }) => told.push(entries));
  assert.equal(first.entries, 6_000 * shards());
  assert.equal(told.at(-1), first.entries);
  assert.ok(first.bytes > 10_000);
  await requireEqual();
  for (const access of target.shards) {
    const [row] = await queryRows(access, { sql: `SELECT count(), uniqExact(identity) FROM ${localTable}` });
    const share = 6_000 * 0.8;
    assert.ok(Number(row?.[0]) > share && Number(row?.[0]) === Number(row?.[1]), `${row}`);
  }
  const again = await pass(copy);
  assert.deepEqual([again.entries, again.removed], [0, 0]);
});

test('a later pass copies new entries and removes deleted ones', async () => {
  await fill({ count: 3_000, arrivedMicros: begunMicros });
  await fill({ count: 500, arrivedMicros: begunMicros, dataset: 'gone' });
  const copy = new LogCopy(target.shards);
  await pass(copy, false);
  await requireEqual();
  const now = Date.now() * 1000;
  await fill({ count: 700, arrivedMicros: now });
  await runOnShards(source, `DELETE FROM ${localTable} WHERE dataset = 'gone' OR identity % 100 = 7`);
  await fill({ count: 50, arrivedMicros: now + 24 * hourMicros, dataset: 'clock ahead' });
  const last = await pass(copy);
  assert.equal(last.removed, 500 * shards());
  await requireEqual();
});

test('repairs a copy that was cut off, has too much, or was changed independently', async () => {
  await fill({ count: 3_000, arrivedMicros: begunMicros, stepMicros: 1_000_000 });
  await pass(new LogCopy(target.shards), false);
  await runOnShards(target, `DELETE FROM ${localTable} WHERE identity % 3 = 0`);
  await runOnShards(target, `INSERT INTO ${localTable} SELECT * FROM ${localTable} WHERE identity % 3 = 1`);
  assert.equal((await pass(new LogCopy(target.shards))).entries, 3_000 * shards());
  await requireEqual();

  const change = `ALTER TABLE ${localTable} UPDATE body = 'damaged' WHERE identity = (SELECT min(identity) FROM ${localTable}) SETTINGS mutations_sync = 2`;
  await runOnShards(target, change);
  assert.notEqual(await digest(target), await digest(source));
  await pass(new LogCopy(target.shards));
  await requireEqual();
});

test('ignores columns that the engine computes later', async () => {
  await fill({ count: 100, arrivedMicros: begunMicros });
  await pass(new LogCopy(target.shards));
  await runOnShards(
    source,
    `ALTER TABLE ${localTable} UPDATE pattern = 7 WHERE 1 SETTINGS mutations_sync = 2`,
  );
  assert.equal((await pass(new LogCopy(target.shards))).entries, 0);
});

test('rejects a copy that never becomes equal', async () => {
  await fill({ count: 100, arrivedMicros: begunMicros });
  // These servers store what they get, but never show all of it.
  const losing = target.shards.map(access => ({
    ...access,
    endpoint: () => {
      const { url, headers } = access.endpoint()!;
      const filters = `{'${localTable}': 'identity % 5 != 0'}`;
      return { url: `${url}/?${new URLSearchParams({ additional_table_filters: filters })}`, headers };
    },
  }));
  await assert.rejects(pass(new LogCopy(losing)), {
    code: 'unavailable',
    message: /^The copy of the \d+ log entries that arrived between .* differs from the original/,
  });
});

test('divides many entries into limited spans, at borders that the next copy finds again', async () => {
  const stepMicros = 1_000_000;
  const count = 21_000;
  const entriesMax = 10_000;
  await runOnShards(
    source,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, arrivedAt)
     SELECT 'one', 'game', now64(6), number, fromUnixTimestamp64Micro(toInt64(${begunMicros} + number * ${stepMicros}), 'UTC') FROM numbers(${count})`,
  );
  const borders = await divideSpan([source.shards[0]], everything, { entriesMax });
  const spans = [0, ...borders].map((from, index) => ({ from, to: borders[index] ?? foreverMicros }));
  let sum = 0;
  for (const span of spans) {
    const entries = Number((await digestSpan([source.shards[0]], span)).split(' ')[0]);
    assert.ok(entries <= entriesMax, `${entries}`);
    sum += entries;
  }
  assert.equal(sum, count);
  assert.ok(spans.length <= 8, `${spans.length}`);
  const earlier = { from: 0, to: begunMicros + (count - 1) * stepMicros };
  const again = await divideSpan([source.shards[0]], earlier, { entriesMax });
  assert.deepEqual(again, borders.slice(0, again.length));
  assert.ok(again.length >= 2);
});
