/** Tests that "until Monday" means next Monday morning, never today. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMuted, nextMonday } from './mute.ts';

const days: readonly [string, string][] = [
  ['2026-11-18T15:30:00', '2026-11-23T08:00:00'], // a Wednesday
  ['2026-11-22T23:59:59', '2026-11-23T08:00:00'], // a Sunday
  ['2026-11-23T00:00:00', '2026-11-30T08:00:00'], // a Monday
  ['2026-12-31T12:00:00', '2027-01-04T08:00:00'],
];
for (const [now, monday] of days) {
  test(`next Monday after ${now} is ${monday}`, () =>
    assert.equal(nextMonday(new Date(now).getTime()).getTime(), new Date(monday).getTime()));
}

test('a mute expires by itself', () => {
  const mutedUntil = '2026-11-23T08:00:00.000Z';
  assert.equal(isMuted({ mutedUntil }, Date.parse(mutedUntil) - 1), true);
  assert.equal(isMuted({ mutedUntil }, Date.parse(mutedUntil)), false);
  assert.equal(isMuted({ mutedUntil: null }, 0), false);
});
