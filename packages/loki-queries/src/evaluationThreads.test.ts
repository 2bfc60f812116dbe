/** Tests that a query gets a thread that works, whatever happened to threads that earlier queries used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type EvaluationThreads, openEvaluationThreads } from './evaluationThreads.ts';

const { signal } = new AbortController();

/** Lets a thread prepare a query, and then idle. */
async function use(threads: EvaluationThreads): Promise<void> {
  using thread = await threads.enter('one', signal);
  const query = { kind: 'log' as const, matchers: [], stages: [] };
  assert.deepEqual(await thread.ask({ kind: 'open', task: { kind: 'lines', query } }), { kind: 'opened' });
}

/** Lists the threads that start from now on. */
function watchStarts(): Disposable & { started: Worker[] } {
  const started: Worker[] = [];
  const add = (worker: Worker) => started.push(worker);
  process.on('worker', add);
  return { started, [Symbol.dispose]: () => void process.off('worker', add) };
}

test('a query uses the thread of an earlier one', async () => {
  using watch = watchStarts();
  await using threads = openEvaluationThreads();
  await use(threads);
  await use(threads);
  assert.equal(watch.started.length, 1);
});

test('a query gets another thread if one ended while idle', async () => {
  using watch = watchStarts();
  await using threads = openEvaluationThreads();
  await use(threads);
  await watch.started[0]?.terminate();
  await use(threads);
  assert.equal(watch.started.length, 2);
});
