/** The memory that followers share: who is ended when it is short. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowerMemory } from '@tapedeck/domain/logs/tails/followerMemory';

const bytesMax = 1_000;
const readersMax = 6; // with a heap of the usual size

type Holdings = Record<string, readonly [bytes: number, stalledMs: number | null]>;
type Outcome = { hasRoom: boolean; ended: readonly string[] };

/** Adds followers that hold so many bytes, and whose clients have read nothing for so long (null: they read). */
function fill(holdings: Holdings): Outcome {
  const memory = new FollowerMemory(bytesMax);
  const ended: string[] = [];
  const now = performance.now();
  for (const [name, [bytes, stalledMs]] of Object.entries(holdings))
    memory.add({
      countWaiting: () => 0,
      countUnsent: () => bytes,
      stalledSince: () => (stalledMs === null ? null : now - stalledMs),
      end: () => ended.push(name),
    });
  const taken = Object.values(holdings).reduce((sum, [bytes]) => sum + bytes, 0);
  memory.recordTaken(taken);
  return { hasRoom: memory.hasRoom, ended };
}

for (const [title, holdings, expected] of [
  ['nobody while there is room', { one: [500, 9_000], two: [500, null] }, { hasRoom: true, ended: [] }],
  [
    'those that stand still, the largest first, until there is room for a while',
    { small: [200, 5_000], large: [400, 5_000], reading: [500, null] },
    { hasRoom: true, ended: ['large'] },
  ],
  [
    'the one that has stood still for longer',
    { recent: [500, 2_000], long: [400, 60_000], reading: [300, null] },
    { hasRoom: true, ended: ['long', 'recent'] },
  ],
  ['nobody who reads', { one: [600, null], two: [600, null] }, { hasRoom: false, ended: [] }],
  ['nobody who paused for a moment', { one: [600, 300], two: [600, null] }, { hasRoom: false, ended: [] }],
  [
    'even those that read, when the heap is in danger',
    { small: [900, null], paused: [1_000, 300], large: [2_200, null] },
    { hasRoom: false, ended: ['paused'] },
  ],
] as const satisfies readonly [string, Holdings, Outcome][])
  test(`a shortage ends ${title}`, () => assert.deepEqual(fill(holdings), expected));

/** Adds one follower, and asks for a turn to read. */
function queueBehind(holding: { waiting: number; unsent: number }) {
  const memory = new FollowerMemory(bytesMax);
  const left = new AbortController();
  const lookedAgain = Promise.withResolvers<string>();
  let looks = 0;
  const held = memory.add({
    countWaiting: () => holding.waiting,
    countUnsent: () => {
      if (++looks === 2) lookedAgain.resolve('still waiting');
      return holding.unsent;
    },
    stalledSince: () => null,
    end: () => {},
  });
  const turn = memory.enter('one', left.signal);
  return { held, left, turn, lookedAgain: lookedAgain.promise, memory };
}

test('a follower that wants to read waits until others have sent what they read', async () => {
  const holding = { waiting: 0, unsent: bytesMax + 1 };
  const { turn, lookedAgain } = queueBehind(holding);
  assert.equal(await Promise.race([turn, lookedAgain]), 'still waiting');
  holding.unsent = bytesMax;
  await turn;
});

test('it does not wait for those that only wait to be evaluated, and may itself be one of them', async () => {
  await queueBehind({ waiting: 10 * bytesMax, unsent: 0 }).turn;
});

test('it gives its turn to the next one if its client leaves', async () => {
  const { turn, left, held, memory } = queueBehind({ waiting: 0, unsent: bytesMax + 1 });
  left.abort();
  await assert.rejects(turn, { name: 'AbortError' });
  held[Symbol.dispose]();
  const { signal } = new AbortController();
  const projects = Array.from({ length: readersMax }, (_, number) => `project ${number}`);
  await Promise.all(projects.map(project => memory.enter(project, signal)));
});
