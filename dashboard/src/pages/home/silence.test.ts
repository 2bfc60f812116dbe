/** Tests when a silence is reported, and when entries are too few, too irregular or too new for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Counts } from '../../queries/home.ts';
import { findSilence } from './silence.ts';
import { findWorstErrors } from './worstErrors.ts';

const none: Counts = { debug: 0, info: 0, warn: 0, error: 0 };
const minutesKnown = 360;
const hoursKnown = 169;

/** Makes counts of entries and errors for each minute or hour, from how long ago it was. */
function make(
  length: number,
  entries: (ago: number) => number,
  errors: (ago: number) => number = () => 0,
): Counts[] {
  return Array.from({ length }, (_, index) => {
    const ago = length - 1 - index;
    return { ...none, info: entries(ago), error: errors(ago) };
  });
}

const steady = (aMinute: number, silent: number) => (ago: number) => (ago < silent ? 0 : aMinute);
const hourly = (anHour: number) => () => anHour;
type Entries = (ago: number) => number;

const silences: readonly (readonly [title: string, minutes: Entries, hours: Entries, said: string | null])[] =
  [
    ['no interruption', steady(114, 0), hourly(6840), null],
    ['four minutes', steady(114, 4), hourly(6840), null],
    ['five minutes at 114 entries a minute', steady(114, 5), hourly(6840), '5 min, 114 a minute'],
    ['seven minutes at 114 entries a minute', steady(114, 7), hourly(6840), '7 min, 114 a minute'],
    ['five minutes at two entries a minute', steady(2, 5), hourly(120), null],
    ['twenty minutes at two entries a minute', steady(2, 20), hourly(120), '20 min, 2 a minute'],
    ['three entries a day', ago => (ago === 200 ? 1 : 0), ago => (ago % 8 === 3 ? 1 : 0), null],
    [
      'a batch each quarter of an hour, ten minutes ago',
      ago => (ago % 15 === 10 ? 500 : 0),
      hourly(2000),
      null,
    ],
    [
      'usually fewer entries at this time of day',
      steady(114, 7),
      ago => ([23, 24, 167, 168].includes(ago) ? 60 : 6840),
      null,
    ],
    [
      'entries always stop at this time of day',
      steady(114, 10),
      ago => ([23, 24, 167, 168].includes(ago) ? 0 : 6840),
      null,
    ],
    [
      'entries stopped an hour later on earlier days',
      steady(114, 10),
      ago => (ago === 23 || ago === 167 ? 0 : 6840),
      null,
    ],
    [
      'a ten-minute-old installation with one try',
      ago => (ago >= 8 && ago < 10 ? 50 : 0),
      ago => (ago === 0 ? 100 : 0),
      null,
    ],
    [
      'a three-hour-old installation',
      ago => (ago < 180 ? steady(40, 6)(ago) : 0),
      ago => (ago < 3 ? 2400 : 0),
      '6 min, 40 a minute',
    ],
    ['breaks of five minutes as usual', ago => (ago % 20 < 6 ? 0 : 100), hourly(4200), null],
    ['eight hours after 600 entries an hour', () => 0, ago => (ago < 8 ? 0 : 600), '480 min, 600 a hour'],
    ['an hour after 100 entries an hour', () => 0, ago => (ago < 1 ? 0 : 100), '60 min, 100 a hour'],
    ['an hour after nine entries an hour', () => 0, ago => (ago < 1 ? 0 : 9), null],
    ['nothing ever', () => 0, () => 0, null],
  ];

for (const [title, minutes, hours, said] of silences) {
  test(`silence: ${title}: ${said ?? 'none'}`, () => {
    const found = findSilence({ minutes: make(minutesKnown, minutes), hours: make(hoursKnown, hours) });
    const told = found && `${found.minutes} min, ${Math.round(found.usual)} a ${found.unit}`;
    assert.equal(told, said);
  });
}

const errorsOf = (count: number, from: number, to: number) => (ago: number) =>
  ago >= to && ago < from ? count / (from - to) : 0;
const no: Entries = () => 0;

const worsts: readonly (readonly [title: string, minutes: Entries, hours: Entries, said: string | null])[] = [
  ['none', no, no, null],
  [
    '1,100 errors in a quarter of an hour',
    errorsOf(1100, 105, 90),
    errorsOf(1100, 2, 1),
    '1100 from 105 to 90',
  ],
  ['a steady rate of errors', () => 3, () => 180, null],
  ['a peak above a steady rate', ago => 2 + errorsOf(900, 60, 30)(ago), () => 120, '960 from 60 to 30'],
  ['a few', errorsOf(40, 60, 55), no, null],
  ['an hour last night', no, errorsOf(700, 11, 10), '700 from 660 to 600'],
  ['two hours last night', no, errorsOf(800, 12, 10), '800 from 720 to 600'],
  ['a peak more than a day ago', no, errorsOf(700, 30, 29), null],
  ['the worse of two peaks', errorsOf(100, 60, 55), errorsOf(700, 11, 10), '700 from 660 to 600'],
];

for (const [title, minutes, hours, said] of worsts) {
  test(`the worst errors of the day: ${title}: ${said ?? 'none'}`, () => {
    const found = findWorstErrors({
      minutes: make(minutesKnown, no, minutes),
      hours: make(hoursKnown, no, hours),
    });
    const told = found && `${Math.round(found.errors)} from ${found.fromMinutesAgo} to ${found.toMinutesAgo}`;
    assert.equal(told, said);
  });
}
