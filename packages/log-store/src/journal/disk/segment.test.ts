/** The journal writes and removes a segment and its cut mark in an order in which no power cut leaves the segment without its mark. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { diskError, interceptDisk } from '../../../tests/interceptedDisk.ts';
import { localDisk } from './disk.ts';
import { createSegment, cutSegment, removeSegment } from './segment.ts';

test('removes the mark only once the removal of the segment is durable', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-segment-'));
  try {
    const steps: string[] = [];
    const disk = interceptDisk(localDisk, ({ name, path: at }) => {
      steps.push(`${name} ${path.extname(at)}`.trim());
      if (name === 'truncate') throw diskError('EIO');
    });
    const segment = await createSegment(disk, directory, '00000000');
    await cutSegment(disk, segment);
    assert.notEqual(segment.cutMark, null);
    steps.length = 0;
    await removeSegment(disk, segment);
    assert.deepEqual(steps, ['remove .journal', 'syncDirectory', 'remove .cut']);
    assert.deepEqual(await readdir(directory), []);
  } finally {
    await rm(directory, { recursive: true });
  }
});
