/** Tests that the labels beside a chart fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from '../../format/sizes.ts';
import { spaceValues, valuePixelsOf } from './chartAxes.ts';

const signPixels = 6.6; // of the axis' font

test('labels of sizes fit beside a chart, and short ones leave the plot where it was', () => {
  const sizes = ['0 B', formatBytes(50_000), formatBytes(100_000)];
  assert.equal(sizes.at(-1), '97.7 KiB');
  assert.ok(valuePixelsOf(sizes) > '97.7 KiB'.length * signPixels);
  assert.equal(valuePixelsOf(['0', '20K']), valuePixelsOf(null));
});

test('a low chart has room for a label above that of zero', () => {
  assert.deepEqual([36, 120, 20].map(spaceValues), [18, 28, 14]);
});
