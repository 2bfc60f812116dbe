/** Entries are spread over two shards. Each is stored on one of them, once, and a shard that dies delays only its own entries. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeCluster } from '../../tests/clickhouse.ts';
import { silentLog, smallDisk, storeMessages } from '../../tests/rows.ts';
import { queryRows } from '../writer/engine/statements.ts';
import { type SupervisedEngine, superviseEngine } from '../writer/engine/supervision.ts';
import { localTable, nameReadTable } from '../writer/schema/schema.ts';
import { createSchema } from '../writer/schema/tables.ts';
import { openLogIntake } from './intake.ts';
import type { LogIntake } from './logIntake.ts';

const shardCount = 2;
const memoryBytesMax = 800_000_000;
const flushTimeMs = 20_000;
let opened: AsyncDisposableStack;
let directory = '';
let engines: SupervisedEngine[] = [];
let clusterName = '';

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-shards-'));
  opened.defer(() => rm(directory, { recursive: true }));
  engines = [];
  for (const [index, cluster] of (await makeCluster(shardCount)).entries()) {
    clusterName = cluster.name;
    const options = { directory: path.join(directory, `shard-${index}`), memoryBytesMax, cluster };
    engines.push(opened.use(await superviseEngine(options, silentLog)));
  }
  for (const access of engines) await createSchema({ access, clusterName });
});

afterEach(() => opened.disposeAsync());

type Intake = LogIntake & AsyncDisposable;

function openIntake(order: readonly number[] = [0, 1]): Promise<Intake> {
  const shards = order.map(index => ({ url: `http://shard-${index}`, access: engines[index]! }));
  return openLogIntake(
    { disk: smallDisk, log: silentLog },
    { directory: path.join(directory, 'journal'), shards, engineDirectory: null },
  );
}

/** Counts how often the table over all shards has each message. */
async function countAll(): Promise<Map<string, number>> {
  const sql = `SELECT body, count() FROM ${nameReadTable(clusterName)} GROUP BY body`;
  const rows = await queryRows(engines[0]!, { sql });
  return new Map(rows.map(([body, count]) => [String(body), Number(count)]));
}

async function countOn(index: number): Promise<number> {
  const rows = await queryRows(engines[index]!, { sql: `SELECT count() FROM ${localTable}` });
  return Number(rows[0]?.[0]);
}

test('shards take turns, and together they hold every entry once', async () => {
  await using intake = await openIntake();
  const messages: string[] = [];
  for (let round = 0; round < 20; round++) {
    const batch = Array.from({ length: 5 }, (_, index) => `${round}/${index}`);
    await storeMessages(intake, batch);
    await intake.flush(flushTimeMs); // closes the segment
    messages.push(...batch);
  }
  assert.deepEqual(await countAll(), new Map((await countAll()).keys().map(message => [message, 1])));
  assert.equal((await countAll()).size, messages.length);
  assert.deepEqual([await countOn(0), await countOn(1)], [50, 50]);
});

test('a shard that is killed repeatedly gets its entries once', async () => {
  await using intake = await openIntake();
  const stored: string[] = [];
  let isDone = false;
  const writer = async (name: string) => {
    for (let number = 0; !isDone; number++) {
      const messages = [`${name}/${number}/a`, `${name}/${number}/b`];
      await storeMessages(intake, messages);
      stored.push(...messages);
    }
  };
  const writers = ['one', 'two', 'three'].map(writer);
  for (let round = 0; round < 4; round++) {
    await intake.flush(flushTimeMs); // so that each death comes at another point
    const up = Promise.withResolvers<void>();
    const victim = engines[round % shardCount]!;
    const unsubscribe = victim.onUp(up.resolve);
    process.kill(victim.processId() ?? 0, 'SIGKILL');
    await up.promise;
    unsubscribe();
  }
  isDone = true;
  await Promise.all(writers);
  await intake.flush(flushTimeMs);
  const found = await countAll();
  assert.deepEqual(
    stored.filter(message => found.get(message) !== 1),
    [],
  );
  assert.equal(found.size, stored.length);
});

test('journalled entries go to their own shard, even if the shards are listed in another order', async () => {
  const messages: string[] = [];
  {
    await using intake = await openIntake();
    for (const engine of engines) process.kill(engine.processId() ?? 0, 'SIGSTOP');
    for (let round = 0; round < 6; round++) {
      await storeMessages(intake, [`${round}`]);
      await intake.flush(1).catch(() => {}); // closes the segment
      messages.push(`${round}`);
    }
  }
  for (const engine of engines) process.kill(engine.processId() ?? 0, 'SIGCONT');
  await using intake = await openIntake([1, 0]);
  await intake.flush(flushTimeMs);
  assert.deepEqual(await countAll(), new Map((await countAll()).keys().map(message => [message, 1])));
  assert.deepEqual([...(await countAll()).keys()].sort(), messages);
});
