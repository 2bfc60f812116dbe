/** Tests the conclusions on Home: the word for errors, the quota's forecast, and whether all is well. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counts } from '../../queries/home.ts';
import { compareErrors } from './comparison.ts';
import { formatDaysLeft, formatGrowth } from './forecast.ts';
import { type Findings, reachVerdict } from './verdict.ts';

const none: Counts = { debug: 0, info: 0, warn: 0, error: 0 };
const hoursOfWeek = 169;

/** Makes entries for each hour since `since` hours ago, and errors by hours ago. */
function makeHours(errors: Readonly<Record<number, number>>, { since = 168, info = 100 } = {}): Counts[] {
  return Array.from({ length: hoursOfWeek }, (_, index) => {
    const ago = hoursOfWeek - 1 - index;
    return { ...none, info: ago <= since ? info : 0, error: errors[ago] ?? 0 };
  });
}

const words: readonly (readonly [string, Readonly<Record<number, number>>, string, boolean, number?])[] = [
  ['nothing before', { 0: 90 }, 'no history to compare with yet', false, 3],
  ['yesterday alone', { 0: 90, 24: 30 }, '3× higher than usual', true, 30],
  ['compared with the higher of both counts', { 0: 90, 24: 10, 168: 88 }, 'as usual', false],
  ['many after none', { 0: 12 }, 'usually none', true],
  ['few after none', { 0: 2 }, 'usually none', false],
  ['none', {}, 'as usual', false],
  ['a small number above a smaller one', { 0: 9, 24: 2 }, 'as usual', false],
  ['60 % more', { 0: 16, 24: 10 }, 'higher than usual', false],
  ['five times', { 0: 50, 24: 10, 168: 9 }, '5× higher than usual', true],
  ['a quarter', { 0: 5, 24: 20 }, 'lower than usual', false],
];

for (const [title, errors, word, isAlarm, since] of words) {
  test(`errors: ${title}: ${word}`, () => {
    const found = compareErrors(makeHours(errors, since === undefined ? {} : { since }));
    assert.deepEqual([found.word, found.isAlarm], [word, isAlarm]);
    assert.equal(found.day.length, 24);
    assert.equal(found.now, errors[0] ?? 0);
  });
}

test('formats the days until storage is full and its growth a day', () => {
  for (const [days, said] of [
    [0.4, 'less than a day'],
    [1.9, 'about 1 day'],
    [40.2, 'about 40 days'],
    [100, 'about 3 months'],
    [800, 'about 2 years'],
    [9_999, 'more than ten years'],
  ] as const)
    assert.equal(formatDaysLeft(days), said);
  assert.equal(formatGrowth(1.2 * 2 ** 30), '+1.2 GiB a day');
  assert.equal(formatGrowth(-5 * 1024), '−5 KiB a day');
  assert.equal(formatGrowth(0), 'No growth');
});

const files = { files: 0, bytes: 0 };
const fine = {
  hours: makeHours({}),
  minutes: [],
  rules: [],
  sessions: { sessions: [], quiet: [] },
  storage: {
    kinds: { image: files, video: files, audio: files, logs: { entries: 0, bytes: 0 } },
    days: [],
    bytesMax: null,
    pace: null,
    quotaDaysLeft: null,
  },
} satisfies Findings;

const looked = { project: 'default', now: Date.parse('2026-11-23T15:50:00') };

/** Makes a number of entries a minute for six hours, and none in the last minutes. */
function makeMinutes({
  silent = 0,
  info = 114,
  errors = {} as Readonly<Record<number, number>>,
} = {}): Counts[] {
  return Array.from({ length: 360 }, (_, index) => {
    const ago = 359 - index;
    return { ...none, info: ago < silent ? 0 : info, error: errors[ago] ?? 0 };
  });
}

/** Spreads errors evenly over the minutes between two times, in minutes ago. */
function spread(errors: number, from: number, to: number): Record<number, number> {
  const each = Array.from({ length: from - to }, (_, index) => [to + index, errors / (from - to)] as const);
  return Object.fromEntries(each);
}

const verdicts: readonly (readonly [string, Findings, string, string])[] = [
  ['no data yet', { ...fine, hours: undefined }, 'looking', 'Checking…'],
  ['no problem', fine, 'fine', 'All good.'],
  ['a failed check', { ...fine, storage: null }, 'unknown', 'Some checks failed.'],
  ['errors', { ...fine, hours: makeHours({ 0: 50, 24: 10 }) }, 'bad', 'Errors are 5× higher than usual.'],
  [
    'errors after none, and a failed check',
    { ...fine, hours: makeHours({ 0: 50 }), rules: null },
    'bad',
    '50 errors in the last hour; usually none. Some checks failed.',
  ],
  [
    'silence',
    { ...fine, hours: [...makeHours({}).slice(1), none] },
    'bad',
    'No entries for 1 hour; usually about 100 an hour.',
  ],
  [
    'a quota that is filling up',
    { ...fine, storage: { ...fine.storage, quotaDaysLeft: 5.5 } },
    'note',
    'The quota is full in about 5 days.',
  ],
  [
    'a silence of minutes',
    { ...fine, hours: makeHours({}, { info: 6_840 }), minutes: makeMinutes({ silent: 7 }) },
    'bad',
    'No entries for 7 minutes; usually about 114 a minute.',
  ],
  [
    'an earlier quarter of an hour with many errors',
    { ...fine, minutes: makeMinutes({ errors: spread(1_100, 105, 90) }) },
    'note',
    '1,100 errors between 2:05 PM and 2:20 PM.',
  ],
  [
    'an hour with many errors in the morning',
    { ...fine, hours: makeHours({ 9: 1_100 }) },
    'note',
    '1,100 errors between 5:50 AM and 6:50 AM.',
  ],
  [
    'a firing rule, and errors',
    {
      ...fine,
      hours: makeHours({ 0: 70, 24: 10 }),
      rules: [{ name: 'Lag', state: 'firing', trouble: null }] as unknown as NonNullable<Findings['rules']>, // all that a verdict reads
    },
    'bad',
    '“Lag” is firing. Errors are 7× higher than usual.',
  ],
  [
    'a firing rule with a long name',
    {
      ...fine,
      rules: [{ name: 'W'.repeat(100), state: 'firing', trouble: null }] as unknown as NonNullable<
        Findings['rules']
      >, // all that a verdict reads
    },
    'bad',
    `“${'W'.repeat(39)}…” is firing.`,
  ],
  [
    'an outage that has ended',
    { ...fine, minutes: makeMinutes().map((each, index) => (index > 200 && index < 240 ? none : each)) },
    'note',
    'No entries between 1:11 PM and 1:50 PM.',
  ],
  [
    'an outage and errors yesterday',
    {
      ...fine,
      hours: makeHours({}, { info: 3_600 }),
      slices: Array.from({ length: 576 }, (_, index) =>
        index > 287 && index < 296 ? none : { ...none, info: 300, error: index === 287 ? 705 : 1 },
      ),
    },
    'note',
    'No entries between 3:50 PM and 4:30 PM yesterday. 705 errors between 3:45 PM and 3:50 PM yesterday.',
  ],
  ['a full quota', { ...fine, storage: { ...fine.storage, quotaDaysLeft: 0 } }, 'bad', 'The quota is full.'],
];

for (const [title, findings, state, sentence] of verdicts) {
  test(`verdict for ${title}: ${sentence}`, () => {
    const verdict = reachVerdict(findings, looked);
    assert.deepEqual([verdict.state, verdict.sentence], [state, sentence]);
  });
}

test('names the worst first and counts the problems beyond three', () => {
  const hours = makeHours({ 0: 50, 24: 10 });
  const machine = {
    trouble: [{ name: 'logs', sentence: 'x' }],
    disk: {
      freeBytes: 1,
      totalBytes: 2,
      holds: { files: true, logs: true },
      since: null,
      bytesADay: 1,
      daysLeft: 1.5,
    },
  } as NonNullable<Findings['machine']>; // all that a verdict reads
  const storage = { ...fine.storage, quotaDaysLeft: 10 };
  const verdict = reachVerdict({ ...fine, hours, storage, machine }, looked);
  assert.equal(
    verdict.sentence,
    'The logs have a problem. The disk is full in about 1 day. Errors are 5× higher than usual. 1 more thing.',
  );
  assert.deepEqual(
    verdict.reasons.map(({ weight }) => weight),
    ['bad', 'bad', 'bad', 'note'],
  );
});

test('claims nothing about rules and servers that do not exist', () => {
  const detailOf = (findings: Findings) => reachVerdict(findings, looked).detail;
  assert.match(detailOf(fine), /^(?:Entries and errors are normal and t|T)here is enough storage\./);
  // All that a verdict reads.
  const rules = [{ enabled: true, state: 'ok', firing: [], channels: [] }] as unknown as Findings['rules'];
  const sessions = { sessions: [{}], quiet: [] } as unknown as Findings['sessions'];
  assert.match(
    detailOf({ ...fine, rules, sessions }),
    /^No rule is firing.* all servers are reporting,? and/,
  );
});
