/** Tests which typed or pasted moments are readable. Uses American English, Node.js's default. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMoment, writeMoment } from './timeParsing.ts';

const now = new Date(2026, 2, 5, 12, 0, 0).getTime();
const local = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(parts[0], parts[1] - 1, ...(parts.slice(2) as [number])).getTime(); // the parts after the month

const rows: readonly (readonly [string, number | null])[] = [
  ['now', now],
  ['now-90m', now - 90 * 60_000],
  [' NOW - 2h ', now - 2 * 3_600_000],
  ['now+1d', now + 86_400_000],
  ['now-90', null],
  ['1772712000', 1_772_712_000_000],
  ['1772712000123', 1_772_712_000_123],
  ['2026-03-01T12:00:00Z', Date.UTC(2026, 2, 1, 12)],
  ['2026-03-01 12:00:00.250+01:00', Date.UTC(2026, 2, 1, 11, 0, 0, 250)],
  ['2026-03-01 12:00:00 UTC', Date.UTC(2026, 2, 1, 12)],
  ['2026-03-01 09:05', local(2026, 3, 1, 9, 5)],
  ['2026-03-01T09:05:07', local(2026, 3, 1, 9, 5, 7)],
  ['2026-03-01', local(2026, 3, 1)],
  ['3/1/2026, 9:05:07 PM', local(2026, 3, 1, 21, 5, 7)],
  ['03/01/2026, 12:05:07 AM', local(2026, 3, 1, 0, 5, 7)],
  ['1.3.2026 21:05', local(2026, 3, 1, 21, 5)],
  ['Mar 1, 10:59:47.890 PM', local(2026, 3, 1, 22, 59, 47, 890)],
  ['1 March 2025, 22:59', local(2025, 3, 1, 22, 59)],
  ['Dec 31, 11:59 PM', local(2025, 12, 31, 23, 59)],
  ['14:05', local(2026, 3, 5, 14, 5)],
  ['2:05 pm', local(2026, 3, 5, 14, 5)],
  ['28/2/2026 21:05', local(2026, 2, 28, 21, 5)],
  ['2/28/2026 21:05', local(2026, 2, 28, 21, 5)],
  ['[2026-03-01 09:05:07.250]', local(2026, 3, 1, 9, 5, 7, 250)],
  ['"2026-03-01T12:00:00Z"', Date.UTC(2026, 2, 1, 12)],
  ['Sun, 01 Mar 2026 12:00:00 GMT', Date.UTC(2026, 2, 1, 12)],
  ['[01/Mar/2026:13:00:00 +0100]', Date.UTC(2026, 2, 1, 12)],
  ['31.4.2026 10:00', null],
  ['2026-03-01 25:00', null],
  ['13:00 PM', null],
  ['Foo 3, 10:00', null],
  ['yesterday', null],
  ['', null],
];

for (const [text, at] of rows) {
  test(`“${text}” is ${at === null ? 'no moment' : new Date(at).toISOString()}`, () =>
    assert.equal(readMoment(text, { now }), at));
}

test('parses the times it has formatted', () => {
  const at = new Date(2026, 10, 25, 22, 59, 47).toISOString();
  assert.equal(writeMoment(at), '11/25/2026, 10:59:47 PM');
  assert.equal(readMoment(writeMoment(at), { now }), Date.parse(at));
});

const zoned: readonly (readonly [string, string, string])[] = [
  ['2026-03-01 09:05', 'utc', '2026-03-01T09:05:00.000Z'],
  ['2026-03-01 09:05', 'Asia/Kolkata', '2026-03-01T03:35:00.000Z'],
  ['Jul 1, 14:00:00.250', 'America/New_York', '2025-07-01T18:00:00.250Z'],
  ['14:05', 'Pacific/Kiritimati', '2026-03-06T00:05:00.000Z'],
  ['2026-03-01T09:05:00+01:00', 'Asia/Kolkata', '2026-03-01T08:05:00.000Z'],
  ['2026-03-29 01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59.000Z'],
  ['2026-03-29 03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25 04:00', 'Europe/Berlin', '2026-10-25T03:00:00.000Z'],
];

for (const [text, zone, at] of zoned) {
  test(`“${text}” in ${zone} is ${at}`, () => {
    const read = readMoment(text, { now: Date.parse('2026-03-06T00:00:00Z'), zone });
    assert.equal(new Date(read ?? Number.NaN).toISOString(), at);
  });
}

for (const zone of ['utc', 'Asia/Kolkata', 'America/New_York', 'Pacific/Kiritimati']) {
  test(`parses times formatted in ${zone}`, () => {
    const at = Date.parse('2026-11-25T22:59:47Z');
    assert.equal(readMoment(writeMoment(at, zone), { now, zone }), at);
  });
}
