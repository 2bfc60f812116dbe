/** Which answers get room for their lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBudget } from './lineBudget.ts';

const megabyte = 1024 ** 2;
const heapBytes = 64 * megabyte; // 16 MiB for all answers, and 8 for one
const line = { micros: 0, text: 'x'.repeat(megabyte), stream: [], metadata: [], parsed: [] };

type Step = readonly [answer: string, megabytes: number];

/** Adds lines to answers of projects, whose names begin with the project's letter. Returns the step that was refused, and how. */
function fill(steps: readonly Step[]): string {
  const budget = new LineBudget(heapBytes);
  const answers = new Map<string, ReturnType<LineBudget['open']>>();
  for (const [name, megabytes] of steps) {
    const answer = answers.get(name) ?? budget.open(name.slice(0, 1));
    answers.set(name, answer);
    if (megabytes === 0) answer[Symbol.dispose]();
    try {
      for (let added = 0; added < megabytes; added++) answer.add(line);
    } catch (error) {
      return `${name}: ${(error as Error).name}`; // both errors are
    }
  }
  return 'room';
}

for (const [title, steps, expected] of [
  ['a single answer up to its limit', [['a', 8]], 'room'],
  ['no longer answer', [['a', 9]], 'a: LogqlMistake'],
  [
    'answers of a project up to half of the room',
    [
      ['a1', 4],
      ['a2', 3],
    ],
    'room',
  ],
  [
    'no more than that',
    [
      ['a1', 4],
      ['a2', 5],
    ],
    'a2: LokiFailure',
  ],
  [
    'another project',
    [
      ['a1', 4],
      ['a2', 3],
      ['b', 7],
    ],
    'room',
  ],
  [
    'nobody once all of it is taken',
    [
      ['a', 7],
      ['b', 7],
      ['c', 5],
    ],
    'c: LokiFailure',
  ],
  [
    'the next one after an answer is written',
    [
      ['a', 7],
      ['b', 7],
      ['a', 0],
      ['c', 5],
    ],
    'room',
  ],
] as const)
  test(`gives room to ${title}`, () => assert.equal(fill(steps), expected));

test('never refuses short answers', () => {
  const budget = new LineBudget(heapBytes);
  const short = { ...line, text: 'x'.repeat(1000) };
  for (let added = 0; added < 8; added++) budget.open('a').add(line);
  assert.throws(() => budget.open('a').add({ ...line, text: line.text.repeat(4) }));
  for (let answer = 0; answer < 100; answer++) {
    const held = budget.open('a');
    for (let added = 0; added < 100; added++) held.add(short);
  }
});
