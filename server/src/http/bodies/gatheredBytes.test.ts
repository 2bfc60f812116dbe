/** Pieces are joined to what was sent, however small they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../vocabulary.ts';
import { GatheredBytes } from './gatheredBytes.ts';

const rows: readonly [string, readonly number[]][] = [
  ['nothing', []],
  ['one piece', [10]],
  ['two pieces', [10, 20]],
  ['single bytes', Array.from({ length: 5_000 }, () => 1)],
  ['large pieces', Array.from({ length: 100 }, () => 4_096)],
  ['single bytes behind a large piece', [100_000, ...Array.from({ length: 500 }, () => 1)]],
  ['large pieces behind single bytes', [...Array.from({ length: 500 }, () => 1), 100_000, 100_000]],
];
for (const [name, lengths] of rows) {
  test(name, () => {
    const gathered = new GatheredBytes('somebody', () => {});
    const pieces = lengths.map((length, index) => Buffer.alloc(length, index));
    for (const piece of pieces) assert.ok(gathered.add(piece));
    assert.equal(
      gathered.length,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    assert.ok(gathered.take().equals(Buffer.concat(pieces)));
  });
}

test('a million single bytes take a few megabytes', () => {
  const bytesBefore = process.memoryUsage().heapUsed + process.memoryUsage().external;
  const gathered = new GatheredBytes('somebody', () => {});
  for (let count = 0; count < 1_000_000; count++) gathered.add(Buffer.from([count & 0xff]));
  const grown = process.memoryUsage().heapUsed + process.memoryUsage().external - bytesBefore;
  assert.ok(grown < 64 * 1024 ** 2, `${grown} bytes more`);
  assert.equal(gathered.take().length, 1_000_000);
});

test('one holder alone has half of all, and each that comes finds room, until some are taken or dropped', () => {
  const { unfinishedBodiesBytesMax: most } = limits;
  const [one, same, other] = ['one', 'one', 'other'].map(holder => new GatheredBytes(holder, () => {}));
  assert.ok(one!.add(Buffer.alloc(most / 2)));
  assert.ok(!same!.add(Buffer.alloc(1)));
  same!.drop();
  assert.ok(other!.add(Buffer.alloc(most / 4)));
  assert.ok(!other!.add(Buffer.alloc(1)));
  one!.drop();
  one!.drop();
  assert.ok(other!.add(Buffer.alloc(most / 4 - 1)));
  assert.ok(!other!.add(Buffer.alloc(1)));
  other!.drop();
});
