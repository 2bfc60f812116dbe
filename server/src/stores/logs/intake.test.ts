/** From the acknowledgement to ClickHouse: each entry arrives as it was stored, once, and in time for the next query. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { countMessages, openStore } from '../../../tests/logs/engines.ts';
import { storeMessages } from '../../../tests/logs/rows.ts';
import type { AcknowledgedRows } from '../../domain/ports/logs.ts';
import { queryRows } from './query/statements.ts';
import { localTable } from './schema.ts';

const settleTimeMs = 10_000;
const dayMicros = 86_400_000_000;
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-intake-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

test('an acknowledged entry is visible to the next query, as it was stored', async () => {
  await using store = await openStore(directory);
  const target = { project: 'arena', dataset: 'späte-runde', retentionDays: 30 };
  const messages = ['', 'plain', 'ünï\0cödé 🎮', 'x'.repeat(65_536)];
  await storeMessages(store.intake, messages, { target });
  await store.intake.settle(settleTimeMs);
  const sql = `SELECT project, dataset, retentionDays, level, resource, parentId, body, metadata, timestamp FROM ${localTable} ORDER BY timestamp, identity`;
  const rows = await queryRows(store.engine, { sql });
  assert.deepEqual(
    rows.map(row => row.slice(0, -1)),
    messages.map((message, index) => [
      'arena',
      'späte-runde',
      30,
      'info',
      'test',
      '',
      message,
      { index: String(index) },
    ]),
  );
});

test('queries under load find every batch whole, though each becomes several parts', async () => {
  await using store = await openStore(directory);
  let acknowledged = 0;
  let isDone = false;
  const writer = async () => {
    while (!isDone) {
      // Of three months, so that each batch becomes several parts.
      const timestampsMicros = [0, 40, 80].map(days => Date.now() * 1000 - days * dayMicros);
      await storeMessages(store.intake, ['a', 'b', 'c'], { timestampsMicros });
      acknowledged += 3;
    }
  };
  const writers = Array.from({ length: 4 }, writer);
  for (let round = 0; round < 25; round++) {
    const before = acknowledged;
    await store.intake.settle(settleTimeMs);
    const [[count] = []] = await queryRows(store.engine, { sql: `SELECT count() FROM ${localTable}` });
    assert.ok(Number(count) >= before, `${count} found, ${before} acknowledged`);
    assert.equal(Number(count) % 3, 0, 'part of a batch is visible');
  }
  isDone = true;
  await Promise.all(writers);
});

test('a segment that comes back after it was inserted is not inserted again', async () => {
  const journal = path.join(directory, 'journal');
  {
    await using store = await openStore(directory);
    process.kill(store.engine.processId() ?? 0, 'SIGSTOP'); // so that the segment stays until it is copied
    await storeMessages(store.intake, ['only once']);
    for (const name of await readdir(journal)) {
      if (name.endsWith('.journal')) await copyFile(path.join(journal, name), path.join(directory, name));
    }
    process.kill(store.engine.processId() ?? 0, 'SIGCONT');
    await store.intake.settle(settleTimeMs);
  }
  for (const name of await readdir(directory)) {
    if (name.endsWith('.journal')) await copyFile(path.join(directory, name), path.join(journal, name));
  }
  await using store = await openStore(directory);
  await store.intake.settle(settleTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['only once', 1]]));
});

test('an engine that is away for longer than one waits is told apart from an empty result', async () => {
  await using store = await openStore(directory);
  process.kill(store.engine.processId() ?? 0, 'SIGSTOP');
  await storeMessages(store.intake, ['kept']);
  await assert.rejects(store.intake.settle(100), { code: 'engine_unavailable' });
  process.kill(store.engine.processId() ?? 0, 'SIGCONT');
  await store.intake.settle(settleTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['kept', 1]]));
});

test('who listens hears of every acknowledged entry once, in order', async () => {
  await using store = await openStore(directory);
  const heard: AcknowledgedRows[] = [];
  const unsubscribe = store.intake.subscribe(acknowledged => void heard.push(acknowledged));
  const traceIds = [
    ...(await storeMessages(store.intake, ['one', 'two'])),
    ...(await storeMessages(store.intake, ['three'])),
  ];
  unsubscribe();
  await storeMessages(store.intake, ['unheard']);
  const rows = heard.flatMap(acknowledged => [...acknowledged.decode()]);
  assert.deepEqual(
    rows.map(row => row.message),
    ['one', 'two', 'three'],
  );
  assert.deepEqual(
    rows.map(row => row.traceId),
    traceIds,
  );
});
