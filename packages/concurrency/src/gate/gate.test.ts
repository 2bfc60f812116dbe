/** Tests that the gate admits callers up to its limit, in order of arrival, and forgets those who leave the queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from './gate.ts';

const { signal } = new AbortController();

test('admits waiting callers in order of arrival', async () => {
  const gate = new Gate(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const pass = await gate.enter('one', signal);
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

test('admits the next caller when a waiting one gives up', async () => {
  const gate = new Gate(1);
  const first = await gate.enter('one', signal);
  const leaver = new AbortController();
  const second = gate.enter('one', leaver.signal);
  const third = gate.enter('one', signal);
  leaver.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  first[Symbol.dispose]();
  await third;
});

test('releases a pass only once, however often it is disposed of', async () => {
  const gate = new Gate(1);
  const first = await gate.enter('one', signal);
  const second = gate.enter('one', signal);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  const third = await gate.enter('one', signal);
  const fourth = gate.enter('one', AbortSignal.timeout(1));
  await assert.rejects(fourth);
  third[Symbol.dispose]();
});

test('rejects callers while the queue is full', async () => {
  const gate = new Gate(1, { queueLimit: { waitingMax: 1, refuse: () => new Error('full') } });
  const first = await gate.enter('one');
  const second = gate.enter('one');
  await assert.rejects(gate.enter('one'), /full/);
  first[Symbol.dispose]();
  const passing = await second;
  const third = gate.enter('one');
  passing[Symbol.dispose]();
  await third;
});

test('rejects a caller after its maximum wait, or at once when it is aborted', async () => {
  const gate = new Gate(1);
  const refuse = () => new Error('too long');
  const first = await gate.enterWithin('one', { timeMsMax: 1, refuse });
  await assert.rejects(gate.enterWithin('one', { timeMsMax: 1, refuse }), /too long/);
  await assert.rejects(
    gate.enterWithin('one', { timeMsMax: 60_000, refuse, signal: AbortSignal.abort(new Error('gone')) }),
    /gone/,
  );
  const second = gate.enterWithin('one', { timeMsMax: 60_000, refuse });
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
});

test('holders take turns, however many callers wait for one of them', async () => {
  const gate = new Gate(1);
  const order: string[] = [];
  const pass = async (holder: string) => {
    using _pass = await gate.enter(holder);
    order.push(holder);
  };
  const first = await gate.enter('one');
  const all = ['one', 'one', 'one', 'two', 'two', 'three'].map(pass);
  first[Symbol.dispose]();
  await Promise.all(all);
  assert.deepEqual(order, ['one', 'two', 'three', 'one', 'two', 'one']);
});

test('a gate that leaves room limits one holder to half, and each further holder to less', () => {
  for (const [passesMax, ...expected] of [
    [8, 4, 2, 1, 1, 0],
    [3, 2, 1, 0],
    [1, 1, 0],
    [1000, 500, 250, 125],
  ]) {
    const gate = new Gate(passesMax!, { leavesRoom: true });
    const counts = expected.map((_, holder) => {
      let count = 0;
      while (gate.tryEnter(`holder ${holder}`) !== null) count++;
      return count;
    });
    assert.deepEqual(counts, expected, `of ${passesMax}`);
  }
});

test('with room left, a returned pass goes to the first caller who may have it', async () => {
  const gate = new Gate(2, { leavesRoom: true });
  const first = await gate.enter('one');
  const entered: string[] = [];
  const [second, other] = ['one', 'other'].map(async holder => {
    const pass = await gate.enter(holder);
    entered.push(holder);
    return pass;
  });
  const otherPass = await other!;
  assert.deepEqual(entered, ['other'], 'one has half');
  otherPass[Symbol.dispose]();
  first[Symbol.dispose]();
  await second;
});

test('in a full queue, the holder with the most waiting callers gives a place to one with fewer', async () => {
  const gate = new Gate(1, { queueLimit: { waitingMax: 4, refuse: () => new Error('full') } });
  const first = await gate.enter('crowd');
  const crowd = [1, 2, 3, 4].map(() => gate.enter('crowd'));
  const settled = Promise.allSettled(crowd);
  const others = [gate.enter('other'), gate.enter('third')];
  await assert.rejects(gate.enter('crowd'), /full/);
  await assert.rejects(gate.enter('other'), /full/, 'nobody has more than the others then would');
  first[Symbol.dispose]();
  for (const pass of [crowd[0]!, ...others, crowd[1]!]) (await pass)[Symbol.dispose]();
  const outcomes = (await settled).map(({ status }) => status);
  assert.deepEqual(outcomes, ['fulfilled', 'fulfilled', 'rejected', 'rejected']);
});
