/** Tests what the engine and the filters of pairs get of the memory, from small containers to large machines. */
import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { chooseKnownTextBytes, divideMemory, measureMemory } from './memory.ts';

const mega = 1_000_000;
const rows: readonly [machine: number, engine: number, question: number][] = [
  [256 * mega, 400 * mega, 240 * mega],
  [1_000 * mega, 450 * mega, 270 * mega],
  [2_000 * mega, 800 * mega, 480 * mega],
  [4_000 * mega, 1_000 * mega, 500 * mega],
  [24_000 * mega, 6_000 * mega, 500 * mega],
  [512_000 * mega, 8_000 * mega, 500 * mega],
];
for (const [machine, bytesMax, questionBytesMax] of rows) {
  test(`of ${machine / mega} MB the engine takes ${bytesMax / mega}`, () =>
    assert.deepEqual(divideMemory(machine), { bytesMax, questionBytesMax }));
}

const mebi = 1024 ** 2;
const pairRows: readonly [machine: number, pairs: number][] = [
  [256 * mebi, 64 * mebi],
  [6_144 * mebi, 64 * mebi],
  [12_288 * mebi, 128 * mebi],
  [24_576 * mebi, 256 * mebi],
  [524_288 * mebi, 256 * mebi],
];
for (const [machine, bytesMax] of pairRows) {
  test(`of ${machine / mebi} MiB the filters of pairs take ${bytesMax / mebi}`, () =>
    assert.equal(chooseKnownTextBytes(machine), bytesMax));
}

test('measures no more memory than this machine has', () => {
  assert.ok(measureMemory() > 0 && measureMemory() <= os.totalmem());
});
