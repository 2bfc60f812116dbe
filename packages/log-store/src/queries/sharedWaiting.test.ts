/** Tests which equal statements in line share a result, and what happens when callers leave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from '@tapedeck/concurrency/gate';
import { SharedWaiting } from './queryRunner.ts';

const unhurried = new AbortController().signal;

/** Opens a line with one place, which is taken until `open` is called. It counts the statements. */
async function openLine() {
  const gate = new Gate(1);
  const taken = await gate.enter('somebody', unhurried);
  const shared = new SharedWaiting<number>();
  let asked = 0;
  const ask = (key: string, signal = unhurried) =>
    shared.ask(key, signal, async (leaving, begin) => {
      using _pass = await gate.enter('somebody', leaving);
      begin();
      return ++asked;
    });
  return { ask, open: () => taken[Symbol.dispose](), count: () => asked };
}

test('sends equal waiting queries once, and others separately', async () => {
  const line = await openLine();
  const answers = [line.ask('one'), line.ask('one'), line.ask('other'), line.ask('one')];
  line.open();
  assert.deepEqual(await Promise.all(answers), [1, 1, 2, 1]);
});

test('does not join a query that was already sent', async () => {
  const line = await openLine();
  line.open();
  assert.equal(await line.ask('one'), 1);
  assert.equal(await line.ask('one'), 2);
});

test('a leaving caller does not affect the answer of others', async () => {
  const line = await openLine();
  const leaver = new AbortController();
  const left = line.ask('one', leaver.signal);
  const stays = line.ask('one');
  leaver.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  line.open();
  assert.equal(await stays, 1);
});

test('sends nothing once all callers have left, and sends a later query again', async () => {
  const line = await openLine();
  const leaver = new AbortController();
  const left = [line.ask('one', leaver.signal), line.ask('one', leaver.signal)];
  leaver.abort(new Error('gone'));
  for (const one of left) await assert.rejects(one, /gone/);
  const next = line.ask('one');
  line.open();
  assert.equal(await next, 1);
  assert.equal(line.count(), 1);
});

test('reports a failure to all waiting callers', async () => {
  const shared = new SharedWaiting<number>();
  const ask = () =>
    shared.ask('one', unhurried, async () => {
      throw new Error('the engine is away');
    });
  for (const one of [ask(), ask()]) await assert.rejects(one, /away/);
});
