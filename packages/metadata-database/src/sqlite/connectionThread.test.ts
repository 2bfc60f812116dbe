/** Kills threads: pending requests fail, and later ones get a new thread. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { ConnectionThread } from './connectionThread.ts';
import type { Statement, ThreadOptions } from './protocol.ts';

const crashing = new URL('../../samples/crashingThread.worker.ts', import.meta.url);
const fault: Statement = { sql: 'SELECT fault', parameters: [] };
const count: Statement = { sql: 'SELECT count(*) AS count FROM kept', parameters: [] };
const keep: Statement = { sql: 'INSERT INTO kept VALUES (1)', parameters: [] };
const failure = { code: 'unavailable', retryAfterSeconds: 1 };

async function openThreads(): Promise<AsyncDisposable & Record<ThreadOptions['role'], ConnectionThread>> {
  const directory = await mkdtemp(join(tmpdir(), 'tapedeck-thread-'));
  const options = { file: join(directory, 'thread.db'), lockWaitMsMax: 1000 };
  const writer = await ConnectionThread.open({ ...options, role: 'writer' }, crashing);
  await writer.runBatch([{ sql: 'CREATE TABLE kept (x INTEGER) STRICT', parameters: [] }]);
  const reader = await ConnectionThread.open({ ...options, role: 'reader' }, crashing);
  const snapshot = await ConnectionThread.open({ ...options, role: 'snapshot' }, crashing);
  return {
    writer,
    reader,
    snapshot,
    [Symbol.asyncDispose]: async () => {
      for (const thread of [snapshot, reader, writer]) await thread[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

it('a crashed reader fails its pending queries and is replaced at the next one', async () => {
  await using threads = await openThreads();
  const asked = await Promise.allSettled([
    threads.reader.read(count),
    threads.reader.read(fault),
    threads.reader.read(count),
  ]);
  for (const outcome of asked)
    assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'unavailable');
  assert.deepEqual((await threads.reader.read(count)).rows, [[0]]);
});

it('a crashed writer undoes its transactions, informs their owners and is replaced', async () => {
  await using threads = await openThreads();
  const lost = Promise.withResolvers<Error>();
  const transaction = threads.writer.beginTransaction(5000, lost.resolve);
  await threads.writer.runInTransaction(transaction, keep);
  const waiting = threads.writer.runBatch([keep]);
  const fatal = threads.writer.runInTransaction(transaction, fault);
  await assert.rejects(waiting, failure);
  await assert.rejects(fatal, failure);
  assert.equal(Reflect.get(await lost.promise, 'code'), 'unavailable');
  await assert.rejects(threads.writer.endTransaction(transaction, true), /is over/);
  await threads.writer.runBatch([keep]);
  assert.deepEqual((await threads.reader.read(count)).rows, [[1]]);
});

it('does not replace a crashed snapshot, since another one would show another instant', async () => {
  await using threads = await openThreads();
  await assert.rejects(threads.snapshot.read(fault), failure);
  await assert.rejects(threads.snapshot.read(count), failure);
});
