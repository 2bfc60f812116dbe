/** Each acknowledged entry reaches ClickHouse exactly once, whichever process is killed. `KILL_ROUNDS` makes the test longer. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { countMessages, openStore } from '../../tests/engines.ts';
import { storeMessages } from '../../tests/rows.ts';

const rounds = Number(process.env.KILL_ROUNDS ?? 3);
const flushTimeMs = 60_000; // CI machines are slow
const dayMicros = 86_400_000_000;
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-kills-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

test('an engine that is killed repeatedly delays no request and gets every entry once', async () => {
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
  for (let round = 0; round < rounds; round++) {
    const up = Promise.withResolvers<void>();
    const unsubscribe = store.engine.onUp(up.resolve);
    await wait(150 + ((round * 70) % 500)); // somewhere within an insert
    process.kill(store.engine.processId() ?? 0, 'SIGKILL');
    await up.promise;
    unsubscribe();
  }
  isDone = true;
  await Promise.all(writers);
  await store.intake.flush(flushTimeMs);
  const found = await countMessages(store.engine);
  assert.deepEqual(
    stored.filter(message => found.get(message) !== 1),
    [],
  );
  assert.equal(found.size, stored.length);
  assert.ok(slowestMs < 3_000, `an acknowledgement took ${slowestMs} ms`); // CONTRACT.md, 4.5
});

type Running = { service: ChildProcess; closed: Promise<unknown[]> };

/** Resolves once the service accepts entries. */
async function startKilledService(round: number, answersFile: string): Promise<Running> {
  const program = path.join(import.meta.dirname, '../../tests/killedService.ts');
  const service = spawn(process.execPath, [program, directory, String(round), answersFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(service, 'close');
  await Promise.race([once(service.stdout, 'data'), closed]);
  return { service, closed };
}

test('a service that is killed repeatedly loses, doubles and splits no batch', async () => {
  const answersFile = path.join(directory, 'answers');
  for (let round = 0; round < rounds; round++) {
    const { service, closed } = await startKilledService(round, answersFile);
    await wait(300 + ((round * 90) % 700)); // somewhere within a group, an insert or a removal
    service.kill('SIGKILL');
    const [, signal] = await closed;
    assert.equal(signal, 'SIGKILL');
  }
  // The last line may be half written.
  const lines = (await readFile(answersFile, 'utf8')).split('\n').slice(0, -1);
  const acknowledged = lines.map(line => {
    const [name = '', rows] = line.split(' ');
    return { name, rows: Number(rows) };
  });
  await using store = await openStore(directory);
  await store.intake.flush(flushTimeMs);
  const found = await countMessages(store.engine);
  assert.ok(acknowledged.length > 0);
  const incomplete = acknowledged.filter(({ name, rows }) => {
    const counts = Array.from({ length: rows }, (_, index) => found.get(`${name}/${index}/${rows}`));
    return counts.some(count => count !== 1);
  });
  assert.deepEqual(incomplete, []);
  // Batches without an answer are stored wholly or not at all.
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
