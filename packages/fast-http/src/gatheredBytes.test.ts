/** Tests that pieces of any size are joined correctly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredBytes } from './gatheredBytes.ts';

const roomy = { add: () => true, release: () => undefined };

const rows: readonly [string, readonly number[]][] = [
  ['nothing', []],
  ['one piece', [10]],
  ['two pieces', [10, 20]],
  ['single bytes', Array.from({ length: 5_000 }, () => 1)],
  ['large pieces', Array.from({ length: 100 }, () => 4_096)],
  ['single bytes after a large piece', [100_000, ...Array.from({ length: 500 }, () => 1)]],
  ['large pieces after single bytes', [...Array.from({ length: 500 }, () => 1), 100_000, 100_000]],
];
for (const [name, lengths] of rows) {
  test(name, () => {
    const gathered = new GatheredBytes(roomy);
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
  const gathered = new GatheredBytes(roomy);
  for (let count = 0; count < 1_000_000; count++) gathered.add(Buffer.from([count & 0xff]));
  const grown = process.memoryUsage().heapUsed + process.memoryUsage().external - bytesBefore;
  assert.ok(grown < 64 * 1024 ** 2, `${grown} bytes more`);
  assert.equal(gathered.take().length, 1_000_000);
});

test('the account counts bytes until they are taken or dropped, and reports when it is full', () => {
  let accountBytes = 0;
  const account = {
    add: (bytes: number) => {
      accountBytes += bytes;
      return accountBytes <= 10;
    },
    release: () => {
      accountBytes = 0;
    },
  };
  for (const end of ['take', 'drop'] as const) {
    const gathered = new GatheredBytes(account);
    assert.ok(gathered.add(Buffer.alloc(10)));
    assert.ok(!gathered.add(Buffer.alloc(1)));
    assert.equal(accountBytes, 11);
    gathered[end]();
    assert.deepEqual([accountBytes, gathered.length], [0, 0]);
  }
});
