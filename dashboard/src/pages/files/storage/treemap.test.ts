/** Tests that treemap areas match sizes, nothing overlaps or sticks out, and tiles are nearly square. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutTreemap } from './treemap.ts';

const rows: readonly [string, number[]][] = [
  ['one item', [5]],
  ['equal items', [1, 1, 1, 1]],
  ['a large one and small ones', [1000, 1, 1, 2, 3]],
  ['a hundred', Array.from({ length: 100 }, (_, index) => 1 + ((index * 37) % 91))],
  ['terabytes and bytes', [4e12, 1e9, 7]],
];
for (const [name, sizes] of rows)
  test(`${name}: tiles fill the whole, each by its size`, () => {
    const items = sizes.map((bytes, id) => ({ id, bytes }));
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const tiles = layOutTreemap(items, 2);
    assert.equal(tiles.length, sizes.length);
    for (const { left, top, width, height, item } of tiles) {
      assert.ok(Math.abs(width * height - item.bytes / total) < 1e-9, `the area of ${item.id}`);
      assert.ok(left > -1e-9 && top > -1e-9 && left + width < 1 + 1e-9 && top + height < 1 + 1e-9);
    }
    for (const one of tiles)
      for (const other of tiles) {
        if (one === other) continue;
        const wide =
          Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
        const high = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
        assert.ok(wide < 1e-9 || high < 1e-9, `${one.item.id} and ${other.item.id} overlap`);
      }
  });

test('lays out four equal items as quarters of a square', () => {
  const items = [1, 1, 1, 1].map(bytes => ({ bytes }));
  for (const { width, height } of layOutTreemap(items, 1))
    assert.ok(Math.abs(width - 0.5) < 1e-9 && Math.abs(height - 0.5) < 1e-9);
});

test('gives no tile to items without bytes', () => {
  assert.deepEqual(layOutTreemap([{ bytes: 0 }], 2), []);
  assert.deepEqual(layOutTreemap([], 2), []);
});
