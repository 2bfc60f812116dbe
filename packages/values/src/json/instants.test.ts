/** Tests instants down to the microsecond; `packages/domain/src/instants.test.ts` tests valid and invalid forms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstantMicros } from './instants.ts';

test('reads instants to the microsecond, also with a time zone', () => {
  const rows: [string, number][] = [
    ['1970-01-01T00:00:00.1+00:00', 100_000],
    ['1970-01-01T00:00:00.12-00:59', 59 * 60_000_000 + 120_000],
    ['1970-01-01T00:00:00.123456789Z', 123_456],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['2016-12-31T23:59:60.5Z', Date.UTC(2017, 0, 1) * 1000 - 1],
  ];
  for (const [text, expected] of rows) assert.equal(parseInstantMicros(text), expected, text);
  assert.equal(parseInstantMicros('2026-01-02'), null);
});
