/** Tests parsing of times and durations, valid and invalid. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstantMs, readSpanMs } from './instants.ts';

test('parses every form of instant that RFC 3339 allows', () => {
  const rows: [string, string][] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.5Z', '2026-01-02T03:04:05.500Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-01T00:30:00-01:30', '2026-01-01T02:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.123Z', '9999-12-31T23:59:59.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T05:29:60+05:30', '2016-12-31T23:59:59.999Z'],
  ];
  for (const [text, expected] of rows) {
    assert.equal(new Date(readInstantMs('from', text)).toISOString(), expected, text);
  }
});

test('rejects an invalid instant and names its field', () => {
  const rows = [
    '',
    'now',
    '2026-01-02',
    '2026-01-02T03:04Z',
    '2026-01-02T03:04:05',
    '1767322800',
    '1767322800000',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:61Z',
    '2026-01-01T23:59:60Z',
    '2026-01-31T10:20:60Z',
    '2016-12-31T23:59:60+01:00',
    '2016-12-31T22:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00+1',
    '26-01-01T00:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00,5Z',
    '+002026-01-01T00:00:00Z',
  ];
  for (const text of rows) {
    assert.throws(
      () => readInstantMs('from', text),
      { code: 'invalid_field', message: /^from must be/ },
      text,
    );
  }
});

test('parses spans of a number and a unit', () => {
  const rows: [string, number | null][] = [
    ['0s', 0],
    ['30s', 30_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['', null],
    ['30', null],
    ['d', null],
    ['1.5h', null],
    ['-1d', null],
    ['1y', null],
    ['1D', null],
    ['1d ', null],
    ['1d2h', null],
    ['999999999999w', null],
  ];
  for (const [text, expected] of rows) assert.equal(readSpanMs(text), expected, text);
});
