/** The gate lets as many pass as it may, in order of arrival, and forgets those who left the line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from './gate.ts';

const { signal } = new AbortController();

test('those who come late wait for those who came early, in order', async () => {
  const gate = new Gate(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const pass = await gate.enter(signal);
    entered.push(name);
    return pass;
  };
  const [one, two] = [await enter('one'), await enter('two')];
  const [three, four] = [enter('three'), enter('four')];
  assert.deepEqual(entered, ['one', 'two']);
  two[Symbol.dispose]();
  (await three)[Symbol.dispose]();
  await four;
  one[Symbol.dispose]();
  assert.deepEqual(entered, ['one', 'two', 'three', 'four']);
});

test('who gives up leaves the line, and the next one is let in', async () => {
  const gate = new Gate(1);
  const first = await gate.enter(signal);
  const leaver = new AbortController();
  const second = gate.enter(leaver.signal);
  const third = gate.enter(signal);
  leaver.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  first[Symbol.dispose]();
  await third;
});

test('a pass is given back once, however often it is disposed of', async () => {
  const gate = new Gate(1);
  const first = await gate.enter(signal);
  const second = gate.enter(signal);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  const third = await gate.enter(signal);
  const fourth = gate.enter(AbortSignal.timeout(1));
  await assert.rejects(fourth);
  third[Symbol.dispose]();
});

test('where the line is full, who comes is told so, until somebody has been let in', async () => {
  const gate = new Gate(1, { waitingMax: 1, refuse: () => new Error('full') });
  const first = await gate.enter();
  const second = gate.enter();
  await assert.rejects(gate.enter(), /full/);
  first[Symbol.dispose]();
  const passing = await second;
  const third = gate.enter();
  passing[Symbol.dispose]();
  await third;
});

test('who waits only so long is refused then, leaves the line, or is gone before', async () => {
  const gate = new Gate(1);
  const refuse = () => new Error('too long');
  const first = await gate.enterWithin(1, refuse);
  await assert.rejects(gate.enterWithin(1, refuse), /too long/);
  await assert.rejects(gate.enterWithin(60_000, refuse, AbortSignal.abort(new Error('gone'))), /gone/);
  const second = gate.enterWithin(60_000, refuse);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
});
