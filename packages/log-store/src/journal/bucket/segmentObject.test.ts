/** Objects of the journal decode to what was written under their name, or to nothing. Joined, they read like one segment. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decodeObject, encodeObject, joinBlocks, nameSegment, readCreatedAt } from './segmentObject.ts';

const range = { timeMin: 1, timeMax: 2, identityMin: 3, identityMax: 4 };
const block = randomBytes(1_000);
const content = { rows: 7, range, block };

test('reads back what was written under a name', async () => {
  const name = nameSegment(Date.now());
  assert.deepEqual(await decodeObject(name, await encodeObject(name, content)), content);
});

test('detects a changed byte, a missing piece and another name', async () => {
  const name = nameSegment(Date.now());
  const bytes = await encodeObject(name, content);
  for (const at of [0, 12, 40, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.equal(await decodeObject(name, changed), null, `byte ${at}`);
  }
  assert.equal(await decodeObject(name, bytes.subarray(0, bytes.length - 1)), null);
  assert.equal(await decodeObject(name, bytes.subarray(0, 3)), null);
  assert.equal(await decodeObject(nameSegment(Date.now()), bytes), null);
});

test('names sort by their time and contain it', () => {
  const names = [1_700_000_000_000, 999_999_999_999, 1_700_000_000_001].map(nameSegment);
  assert.deepEqual(
    names.toSorted().map(readCreatedAt),
    [999_999_999_999, 1_700_000_000_000, 1_700_000_000_001],
  );
  assert.equal(new Set([1, 1, 1].map(nameSegment)).size, 3);
  assert.ok(Number.isNaN(readCreatedAt('readme.txt')));
});

test('reads joined blocks across their borders', async () => {
  const parts = [randomBytes(10), randomBytes(1), randomBytes(20)];
  const segment = joinBlocks(
    'import',
    parts.map((part, index) => ({
      block: part,
      rows: index + 1,
      registeredAt: index,
      range: { ...range, timeMin: index },
      isSpread: index === 2,
    })),
  );
  const whole = Buffer.concat(parts);
  for (const [position, length] of [
    [0, 31],
    [9, 3],
    [10, 1],
    [30, 5],
  ] as const) {
    const into = Buffer.alloc(length);
    const read = await segment.read(into, position);
    assert.deepEqual(into.subarray(0, read), whole.subarray(position, position + length));
  }
  assert.deepEqual([segment.rows, segment.blockBytes, segment.isSpread], [6, 31, true]);
  assert.deepEqual(segment.extents.writtenAts, [0, 1, 2]);
  assert.equal(segment.range.timeMin, 0);
});
