/** Background jobs never overlap themselves, retry after a failure, and stop promptly. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import pino, { type Logger } from 'pino';
import { startJobs } from './scheduler.ts';

function makeLog() {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  return { log, lines };
}

/** Returns a function to stop. */
function repeat(log: Logger, intervalMs: number, ...works: ((signal: AbortSignal) => Promise<unknown>)[]) {
  const started = startJobs(
    { log, spans: { note() {} } },
    works.map(work => ({ name: 'test', intervalMs, work })),
  );
  return () => started[Symbol.asyncDispose]();
}

/** Waits for some turns of the event loop, for work that takes no time. */
async function passTurns(count: number): Promise<void> {
  const passed = Promise.withResolvers<void>();
  let turns = 0;
  const stop = repeat(makeLog().log, 1, async () => {
    turns += 1;
    if (turns === count) passed.resolve();
  });
  await passed.promise;
  await stop();
}

test('skips turns that are due while one is running, and stopping waits only for that one', async () => {
  const { log, lines } = makeLog();
  const begun = Promise.withResolvers<AbortSignal>();
  const over = Promise.withResolvers<void>();
  let turns = 0;
  const stop = repeat(log, 1, async signal => {
    turns += 1;
    begun.resolve(signal);
    await over.promise;
  });
  const signal = await begun.promise;
  await passTurns(50);
  assert.equal(turns, 1);
  assert.equal(signal.aborted, false);
  const stopped = stop();
  assert.equal(signal.aborted, true);
  over.resolve();
  await stopped;
  assert.deepEqual([turns, lines], [1, []]);
});

test('logs failures and retries, even after a synchronous throw', async () => {
  const { log, lines } = makeLog();
  const again = Promise.withResolvers<void>();
  let turns = 0;
  const stop = repeat(log, 1, () => {
    turns += 1;
    if (turns === 1) throw new Error('not a promise yet');
    if (turns === 2) return Promise.reject(new Error('no luck'));
    again.resolve();
    return Promise.resolve();
  });
  await again.promise;
  await stop();
  const failed = 'background work failed; it will be tried again';
  assert.deepEqual(lines, [failed, failed]);
});

test('stopping with the reason of the signal is not a failure', async () => {
  const { log, lines } = makeLog();
  const stop = repeat(log, 1_000, async signal => {
    await once(signal, 'abort');
    signal.throwIfAborted();
  });
  await stop();
  assert.deepEqual(lines, []);
});

test('signals all jobs to stop, and after one timeout abandons those that ignore the signal', async () => {
  const { log, lines } = makeLog();
  const deaf = () => new Promise(() => undefined);
  const signals: AbortSignal[] = [];
  const listen = async (signal: AbortSignal) => {
    await once(signal, 'abort');
    signals.push(signal);
  };
  const stop = repeat(log, 1_000, deaf, listen, deaf, deaf, listen, deaf);
  const startedAt = performance.now();
  await stop();
  assert.ok(performance.now() - startedAt < 5_000);
  assert.equal(signals.length, 2);
  assert.deepEqual(lines, ['background work did not end in time; it is no longer waited for']);
});
