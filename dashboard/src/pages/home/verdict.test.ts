/** What the first page concludes: the word for errors, how long room lasts, and whether all is well. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counts } from '../../queries/home.ts';
import { compareErrors } from './comparison.ts';
import { sayDays, sayPace } from './lasting.ts';
import { type Findings, reachVerdict } from './verdict.ts';

const none: Counts = { debug: 0, info: 0, warn: 0, error: 0 };
const hoursOfWeek = 169;

/** Some entries an hour since the oldest of them, and errors by how many hours ago they were. */
function makeHours(errors: Readonly<Record<number, number>>, { since = 168, info = 100 } = {}): Counts[] {
  return Array.from({ length: hoursOfWeek }, (_, index) => {
    const ago = hoursOfWeek - 1 - index;
    return { ...none, info: ago <= since ? info : 0, error: errors[ago] ?? 0 };
  });
}

const words: readonly (readonly [string, Readonly<Record<number, number>>, string, boolean, number?])[] = [
  ['nothing before', { 0: 90 }, 'nothing to compare with yet', false, 3],
  ['yesterday alone', { 0: 90, 24: 30 }, '3 times as many as usual', true, 30],
  ['the busier of both counts', { 0: 90, 24: 10, 168: 88 }, 'as usual', false],
  ['many where there were none', { 0: 12 }, 'where there are usually none', true],
  ['few where there were none', { 0: 2 }, 'usually none', false],
  ['none', {}, 'as usual', false],
  ['a few more than a few', { 0: 9, 24: 2 }, 'as usual', false],
  ['half as many again', { 0: 16, 24: 10 }, 'more than usual', false],
  ['five times', { 0: 50, 24: 10, 168: 9 }, '5 times as many as usual', true],
  ['a quarter', { 0: 5, 24: 20 }, 'fewer than usual', false],
];

for (const [title, errors, word, isAlarm, since] of words) {
  test(`errors: ${title}: ${word}`, () => {
    const found = compareErrors(makeHours(errors, since === undefined ? {} : { since }));
    assert.deepEqual([found.word, found.isAlarm], [word, isAlarm]);
    assert.equal(found.day.length, 24);
    assert.equal(found.now, errors[0] ?? 0);
  });
}

test('room lasts so long, in words', () => {
  for (const [days, said] of [
    [0.4, 'less than a day'],
    [1.9, 'about 1 day'],
    [40.2, 'about 40 days'],
    [100, 'about 3 months'],
    [800, 'about 2 years'],
    [9_999, 'more than ten years'],
  ] as const)
    assert.equal(sayDays(days), said);
  assert.equal(sayPace(1_200_000_000), '+1.2 GB a day');
  assert.equal(sayPace(-5_000), '−5 KB a day');
  assert.equal(sayPace(0), 'No growth');
});

const files = { files: 0, bytes: 0 };
const fine = {
  hours: makeHours({}),
  rules: [],
  sessions: { sessions: [], quiet: [] },
  storage: {
    kinds: { image: files, video: files, audio: files, logs: { entries: 0, bytes: 0 } },
    ...{ days: [], bytesMax: null, pace: null, quotaDaysLeft: null },
  },
} satisfies Findings;

const verdicts: readonly (readonly [string, Findings, string, string])[] = [
  ['nothing is known yet', { ...fine, hours: undefined }, 'looking', 'Looking around…'],
  ['all is well', fine, 'fine', 'All fine.'],
  ['something failed', { ...fine, storage: null }, 'unknown', 'Not everything could be looked at.'],
  ['errors', { ...fine, hours: makeHours({ 0: 50, 24: 10 }) }, 'bad', 'Errors are 5 times as many as usual.'],
  [
    'errors out of nothing, and a question that failed',
    { ...fine, hours: makeHours({ 0: 50 }), rules: null },
    'bad',
    'There are 50 errors where there are usually none. Not everything could be looked at.',
  ],
  [
    'silence',
    { ...fine, hours: [...makeHours({}).slice(1), none] },
    'bad',
    'Nothing was logged in the last hour, where 100 entries are usual.',
  ],
  [
    'a quota that fills',
    { ...fine, storage: { ...fine.storage, quotaDaysLeft: 5.5 } },
    'note',
    'The quota is full in about 5 days.',
  ],
  ['a full quota', { ...fine, storage: { ...fine.storage, quotaDaysLeft: 0 } }, 'bad', 'The quota is full.'],
];

for (const [title, findings, state, sentence] of verdicts) {
  test(`the verdict where there is ${title}: ${sentence}`, () => {
    const verdict = reachVerdict(findings, 'default');
    assert.deepEqual([verdict.state, verdict.sentence], [state, sentence]);
  });
}

test('the verdict names the bad first, and counts what is beyond three', () => {
  const hours = makeHours({ 0: 50, 24: 10 });
  const machine = {
    trouble: [{ name: 'logs', sentence: 'x' }],
    disk: {
      ...{ freeBytes: 1, totalBytes: 2, holds: { files: true, logs: true }, since: null },
      ...{ bytesADay: 1, daysLeft: 1.5 },
    },
  } as NonNullable<Findings['machine']>; // as far as a verdict looks
  const storage = { ...fine.storage, quotaDaysLeft: 10 };
  const verdict = reachVerdict({ ...fine, hours, storage, machine }, 'default');
  assert.equal(
    verdict.sentence,
    'The logs are in trouble, the disk is full in about 1 day, errors are 5 times as many as usual and 1 thing more.',
  );
  assert.deepEqual(
    verdict.reasons.map(({ weight }) => weight),
    ['bad', 'bad', 'bad', 'note'],
  );
});
