/** Tests threads that answer: their limits, and how they end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AnsweringThread, type ThreadOptions } from './index.ts';

/**
 * `fill` exceeds the memory after a few turns. V8 compiles a loop with many turns while it runs, and the compiled loop may never look whether the
 * thread was ended.
 */
const source = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', message => {
    if (message === 'crash') throw new Error('crashed');
    if (message === 'hang') for (;;);
    if (message === 'fill') for (const all = []; ; ) all.push(new Array(100_000).fill(all.length));
    if (message === 'exit') process.exit(0);
    parentPort.postMessage(message.byteLength ?? message);
  });`;

function openThread(options: Partial<ThreadOptions> = {}): AnsweringThread<string | ArrayBuffer, unknown> {
  return new AnsweringThread({
    module: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    name: 'test',
    oldSpaceMegabytesMax: 32,
    answerMsMax: 60_000,
    tooSlow: () => new Error('too slow'),
    tooMuchMemory: cause => new Error('too much memory', { cause }),
    ...options,
  });
}

it('answers one message after another, and takes over memory', async () => {
  const thread = openThread();
  assert.equal(await thread.ask('one'), 'one');
  const bytes = new ArrayBuffer(8);
  assert.equal(await thread.ask(bytes, [bytes]), 8);
  assert.equal(bytes.byteLength, 0);
  await thread.end();
});

const losses: readonly (readonly [message: string, answerMsMax: number, error: RegExp])[] = [
  ['crash', 60_000, /crashed/],
  ['exit', 60_000, /A thread ended/],
  ['fill', 60_000, /too much memory/],
  ['hang', 100, /too slow/],
];

for (const [message, answerMsMax, error] of losses)
  it(`is lost after: ${message}`, async () => {
    const thread = openThread({ answerMsMax });
    await assert.rejects(thread.ask(message), error);
    assert.ok(thread.isLost);
    await assert.rejects(thread.ask('one'), /The thread is lost/);
  });

it('ends with the given error', async () => {
  const thread = openThread();
  const asked = thread.ask('hang');
  const rejected = assert.rejects(asked, /closing/);
  await thread.end(new Error('closing'));
  await rejected;
});

it('ends after an idle time, unless it is woken before', async () => {
  const thread = openThread();
  assert.equal(await thread.ask('one'), 'one');
  thread.idle(50, () => assert.fail('it was woken'));
  thread.wake();
  assert.equal(await thread.ask('two'), 'two');
  const ended = Promise.withResolvers<void>();
  const patience = setTimeout(ended.reject, 10_000); // the idle timer alone keeps no process running
  thread.idle(1, ended.resolve);
  await ended.promise;
  clearTimeout(patience);
  assert.ok(thread.isLost);
});
