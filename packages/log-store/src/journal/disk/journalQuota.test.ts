/** The service checks a full disk until there is room, whatever the disk reports meanwhile. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { silentLog, smallDisk } from '../../../tests/rows.ts';
import type { JournalDisk } from './disk.ts';
import { JournalSpace } from './journalQuota.ts';

const waitMsMax = 15_000; // CONTRACT.md, 4.5

test('retries when the disk does not report its free space', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-room-'));
  let failures = 0;
  let failing = false;
  const disk: JournalDisk = {
    ...smallDisk,
    measureSpace: async place => {
      if (!failing) return await smallDisk.measureSpace(place);
      failures += 1;
      failing = failures < 2;
      throw Object.assign(new Error('EIO: i/o error, statfs'), { code: 'EIO' });
    },
  };
  {
    await using room = await JournalSpace.open({ disk, log: silentLog, onFull: () => {} }, directory);
    failing = true;
    room.reportFull();
    assert.match(room.refusal?.message ?? '', /full/);
    const deadline = performance.now() + waitMsMax;
    while (room.refusal !== null && performance.now() < deadline) await wait(50);
    assert.equal(failures, 2);
    assert.equal(room.refusal, null);
  }
  await rm(directory, { recursive: true });
});
