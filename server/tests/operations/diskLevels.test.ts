/** Disk levels by bytes or files: reported once when a threshold is crossed, and not again for a little more space. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DiskChange,
  type DiskLevel,
  decideLevel,
  watchDisks,
} from '../../src/domain/operations/diskWatch.ts';

const gibibyte = 1024 ** 3;
const disk = { fileSystem: 1, totalBytes: 100 * gibibyte, freeFiles: 0, filesMax: 0 };

type Row = readonly [title: string, percentFree: number, before: DiskLevel, level: DiskLevel];
const rows: readonly Row[] = [
  ['plenty', 50, 'roomy', 'roomy'],
  ['a tenth', 10, 'roomy', 'roomy'],
  ['a little less than a tenth', 9.9, 'roomy', 'low'],
  ['a little more than a tenth again', 11, 'low', 'low'],
  ['well above a tenth again', 12.1, 'low', 'roomy'],
  ['a twentieth', 5, 'low', 'low'],
  ['a little less than a twentieth', 4.9, 'low', 'scarce'],
  ['at once, from plenty', 4.9, 'roomy', 'scarce'],
  ['a little more than a twentieth again', 6, 'scarce', 'scarce'],
  ['well above a twentieth again', 7.1, 'scarce', 'low'],
  ['from scarce to plenty', 40, 'scarce', 'roomy'],
  ['a few megabytes where it was full', 0.01, 'full', 'full'],
  ['a little where it was full', 1, 'full', 'scarce'],
  ['plenty where it was full', 40, 'full', 'roomy'],
];
for (const [title, percent, before, level] of rows) {
  test(`${title}: ${before} becomes ${level}`, () => {
    const measure = { ...disk, freeBytes: (percent / 100) * disk.totalBytes };
    assert.equal(decideLevel(measure, { isFull: false, before }), level);
  });
}

test('a disk to which nothing can be written is full, however much it claims to have', () => {
  assert.equal(decideLevel({ ...disk, freeBytes: gibibyte }, { isFull: true, before: 'low' }), 'full');
});

test('a disk may be short of files alone', () => {
  const measure = { ...disk, freeBytes: 90 * gibibyte, freeFiles: 40, filesMax: 1000 };
  assert.equal(decideLevel(measure, { isFull: false, before: 'roomy' }), 'scarce');
});

test('each crossing is told once, for all folders on the disk', async () => {
  let percent = 50;
  const told: DiskChange[] = [];
  const watch = watchDisks({
    directories: [
      { disk: 'data', directory: 'a' },
      { disk: 'media', directory: 'b' },
    ],
    measure: async () => ({ ...disk, freeBytes: (percent / 100) * disk.totalBytes }),
    isFull: async () => percent === 0,
    tell: change => told.push(change),
  });
  for (percent of [50, 9, 9, 10.5, 9, 4, 5.5, 4, 0, 0, 0.01, 0, 30, 50]) await watch.look();
  assert.deepEqual(
    told.map(({ disks, level }) => [disks.join(), level]),
    ['low', 'scarce', 'full', 'roomy'].map(level => ['data,media', level]),
  );
  assert.deepEqual(
    watch.states.map(({ disk, level }) => [disk, level]),
    [
      ['data', 'roomy'],
      ['media', 'roomy'],
    ],
  );
});
