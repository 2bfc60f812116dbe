/** Tests times as users write them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatTime, readMoment } from './times.ts';

process.env.TZ = 'America/New_York';
const now = Date.parse('2026-03-01T12:00:00Z');

describe('moments', () => {
  const rows: [string, string | null, string | null][] = [
    ['1h', '2026-03-01T11:00:00.000Z', '2026-03-01T11:00:00.000Z'],
    ['2d', '2026-02-27T12:00:00.000Z', '2026-02-27T12:00:00.000Z'],
    ['1h30m', '2026-03-01T10:30:00.000Z', '2026-03-01T10:30:00.000Z'],
    ['90s', '2026-03-01T11:58:30.000Z', '2026-03-01T11:58:30.000Z'],
    ['1w', '2026-02-22T12:00:00.000Z', '2026-02-22T12:00:00.000Z'],
    ['2026-01-02', '2026-01-02T05:00:00.000Z', '2026-01-02T00:00:00Z'],
    ['2026-01-02 03:04', '2026-01-02T08:04:00.000Z', '2026-01-02T03:04:00Z'],
    ['2026-07-02T03:04:05.123456', '2026-07-02T07:04:05.123Z', '2026-07-02T03:04:05.123456Z'],
    ['2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123456Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04 +0130', '2026-01-02T03:04:00+01:30', '2026-01-02T03:04:00+01:30'],
    ...['', 'yesterday', '1', '1y', '-1h', '1h 2m', '2026-13-01', '2026-01-02T25:00', '999999999w'].map(
      (text): [string, null, null] => [text, null, null],
    ),
  ];
  for (const [text, here, utc] of rows) {
    it(text || 'nothing', () => {
      assert.equal(readMoment(text, { now, isUtc: false }), here);
      assert.equal(readMoment(text, { now, isUtc: true }), utc);
    });
  }
});

describe('times beside entries', () => {
  for (const [timestamp, here, utc] of [
    ['2026-01-02T03:04:05.678901Z', '2026-01-01 22:04:05.678', '2026-01-02 03:04:05.678Z'],
    ['2026-07-02T03:04:05.000000Z', '2026-07-01 23:04:05.000', '2026-07-02 03:04:05.000Z'],
  ] as const) {
    it(timestamp, () => {
      assert.deepEqual([formatTime(timestamp, false), formatTime(timestamp, true)], [here, utc]);
    });
  }
});
