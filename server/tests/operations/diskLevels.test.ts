/** Disk levels by bytes or files: reported once when a threshold is crossed, and not again for a little more space. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DiskChange,
  type DiskLevel,
  decideLevel,
  watchDisks,
} from '@tapedeck/domain/operations/diskWatch';

const gibibyte = 1024 ** 3;
const disk = { fileSystem: 1, totalBytes: 100 * gibibyte, freeFiles: 0, filesMax: 0 };

type Row = readonly [title: string, percentFree: number, before: DiskLevel, level: DiskLevel];
const rows: readonly Row[] = [
  ['plenty', 50, 'roomy', 'roomy'],
  ['a tenth', 10, 'roomy', 'roomy'],
  ['just under a tenth', 9.9, 'roomy', 'low'],
  ['just over a tenth again', 11, 'low', 'low'],
  ['well above a tenth again', 12.1, 'low', 'roomy'],
  ['a twentieth', 5, 'low', 'low'],
  ['just under a twentieth', 4.9, 'low', 'scarce'],
  ['at once, from plenty', 4.9, 'roomy', 'scarce'],
  ['just over a twentieth again', 6, 'scarce', 'scarce'],
  ['well above a twentieth again', 7.1, 'scarce', 'low'],
  ['from scarce to plenty', 40, 'scarce', 'roomy'],
  ['a few megabytes after full', 0.01, 'full', 'full'],
  ['a little after full', 1, 'full', 'scarce'],
  ['plenty after full', 40, 'full', 'roomy'],
];
for (const [title, percent, before, level] of rows) {
  test(`${title}: ${before} becomes ${level}`, () => {
    const measure = { ...disk, freeBytes: (percent / 100) * disk.totalBytes };
    assert.equal(decideLevel(measure, { isFull: false, before }), level);
  });
}

test('a disk that cannot be written to is full, whatever free space it reports', () => {
  assert.equal(decideLevel({ ...disk, freeBytes: gibibyte }, { isFull: true, before: 'low' }), 'full');
});

test('a disk may run out of only inodes', () => {
  const measure = { ...disk, freeBytes: 90 * gibibyte, freeFiles: 40, filesMax: 1000 };
  assert.equal(decideLevel(measure, { isFull: false, before: 'roomy' }), 'scarce');
});

test('reports each crossing once, for all folders on the disk', async () => {
  let percent = 50;
  const changes: DiskChange[] = [];
  const watch = watchDisks({
    directories: [
      { disk: 'data', directory: 'a' },
      { disk: 'media', directory: 'b' },
    ],
    measure: async () => ({ ...disk, freeBytes: (percent / 100) * disk.totalBytes }),
    isFull: async () => percent === 0,
    notify: change => changes.push(change),
  });
  for (percent of [50, 9, 9, 10.5, 9, 4, 5.5, 4, 0, 0, 0.01, 0, 30, 50]) await watch.look();
  assert.deepEqual(
    changes.map(({ disks, level }) => [disks.join(), level]),
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
