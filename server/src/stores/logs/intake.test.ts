/** From the acknowledgement to ClickHouse: each entry arrives exactly once, whichever side dies, and queries see it in time. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
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

test('what is settled again and again under load is complete each time', async () => {
  await using store = await openStore(directory);
  let acknowledged = 0;
  let isDone = false;
  const writer = async () => {
    while (!isDone) {
      await storeMessages(store.intake, ['a', 'b', 'c']);
      acknowledged += 3;
    }
  };
  const writers = Array.from({ length: 4 }, writer);
  for (let round = 0; round < 10; round++) {
    const before = acknowledged;
    await store.intake.settle(settleTimeMs);
    const [[count] = []] = await queryRows(store.engine, { sql: `SELECT count() FROM ${localTable}` });
    assert.ok(Number(count) >= before, `${count} found, ${before} acknowledged`);
    assert.equal(Number(count) % 3, 0, 'part of a batch is visible');
  }
  isDone = true;
  await Promise.all(writers);
});

test('an engine that is killed again and again delays nobody and gets every entry once', async () => {
  await using store = await openStore(directory);
  const stored: string[] = [];
  let slowestMs = 0;
  let isDone = false;
  const writer = async (name: string) => {
    for (let number = 0; !isDone; number++) {
      const message = `${name}/${number}`;
      const startedAt = performance.now();
      const timestampsMicros = [0, 1, 2, 3].map(day => Date.now() * 1000 - day * 40 * dayMicros);
      await storeMessages(store.intake, [message, `${message}+1`, `${message}+2`, `${message}+3`], {
        timestampsMicros,
      });
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      stored.push(message, `${message}+1`, `${message}+2`, `${message}+3`);
    }
  };
  const writers = ['one', 'two', 'three'].map(writer);
  for (let round = 0; round < 4; round++) {
    const up = Promise.withResolvers<void>();
    const unsubscribe = store.engine.onUp(up.resolve);
    await wait(150 + round * 70); // somewhere within an insert
    process.kill(store.engine.processId() ?? 0, 'SIGKILL');
    await up.promise;
    unsubscribe();
  }
  isDone = true;
  await Promise.all(writers);
  await store.intake.settle(settleTimeMs);
  const found = await countMessages(store.engine);
  assert.deepEqual(
    stored.filter(message => found.get(message) !== 1),
    [],
  );
  assert.equal(found.size, stored.length);
  assert.ok(slowestMs < 3_000, `an acknowledgement took ${slowestMs} ms`); // CONTRACT.md, 4.5
});

test('a service that is killed again and again loses and doubles nothing, and splits no batch', async () => {
  const acknowledged: { name: string; rows: number }[] = [];
  for (let round = 0; round < 4; round++) {
    const program = path.join(import.meta.dirname, '../../../tests/logs/killedService.ts');
    const service = spawn(process.execPath, [program, directory, String(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const ready = Promise.withResolvers<void>();
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.startsWith('ready\n')) ready.resolve();
    });
    await Promise.race([ready.promise, once(service, 'close')]);
    await wait(300 + round * 90); // somewhere within a group, an insert, a removal
    service.kill('SIGKILL');
    await once(service, 'close');
    for (const line of output.split('\n').slice(0, -1)) {
      const [word, name = '', rows] = line.split(' ');
      if (word === 'ok') acknowledged.push({ name, rows: Number(rows) });
    }
  }
  await using store = await openStore(directory);
  await store.intake.settle(settleTimeMs);
  const found = await countMessages(store.engine);
  assert.ok(acknowledged.length > 0);
  const incomplete = acknowledged.filter(({ name, rows }) => {
    const counts = Array.from({ length: rows }, (_, index) => found.get(`${name}/${index}/${rows}`));
    return counts.some(count => count !== 1);
  });
  assert.deepEqual(incomplete, []);
  // Batches that nobody answered are there wholly or not at all.
  for (const [message, count] of found) {
    const [round, writer, number, , rows] = message.split('/');
    const siblings = Array.from(
      { length: Number(rows) },
      (_, index) => `${round}/${writer}/${number}/${index}/${rows}`,
    );
    assert.ok(
      count === 1 && siblings.every(sibling => found.has(sibling)),
      `${message} is part of a split batch`,
    );
  }
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
