/** Tests the form, randomness and order of ids and secrets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashToken, isSameSecret, newId, newSortableId, newToken } from './randomIds.ts';

test('ids have 20 and tokens 32 characters, and never repeat', () => {
  const ids = Array.from({ length: 10_000 }, newId);
  assert.ok(ids.every(id => /^[0-9A-Za-z]{20}$/.test(id)));
  assert.equal(new Set(ids).size, ids.length);
  const tokens = Array.from({ length: 10_000 }, newToken);
  assert.ok(tokens.every(token => /^[0-9A-Za-z]{32}$/.test(token)));
  assert.equal(new Set(tokens).size, tokens.length);
});

test('every character is equally likely', () => {
  const counts = new Map<string, number>();
  const total = 320_000;
  for (let made = 0; made < total / 32; made += 1) {
    for (const character of newToken()) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  const expected = total / 62;
  // Six standard deviations: fails by chance once in ten million runs.
  const deviationMax = 6 * Math.sqrt(expected);
  for (const [character, count] of counts) {
    assert.ok(Math.abs(count - expected) < deviationMax, `${character} came ${count} times`);
  }
});

test('sortable ids sort by time, from the earliest to the latest supported', () => {
  const times = [0, 1, 61, 62, 3843, 3844, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47];
  const ids = times.map(time => newSortableId(time));
  assert.deepEqual(ids.toSorted(), ids);
  assert.ok(ids.every(id => /^[0-9A-Za-z]{20}$/.test(id)));
});

test('compares secrets as a whole, and hashes equal ones alike', () => {
  assert.ok(isSameSecret('secret', 'secret'));
  for (const other of ['', 'Secret', 'secret ', 'secre', 'secretsecret'])
    assert.ok(!isSameSecret('secret', other));
  assert.equal(hashToken('a'), hashToken('a'));
  assert.match(hashToken('a'), /^[\w-]{43}$/);
});
