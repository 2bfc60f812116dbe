/** The service reserves space before a disk is full, and checks a full disk until there is room, whatever the disk reports meanwhile. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
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

test('reserves space as soon as the disk no longer has ample space', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-room-'));
  let freeBytes = 2 ** 40;
  let looks = 0;
  const measureSpace: JournalDisk['measureSpace'] = async () => {
    looks += 1;
    return { freeBytes, totalBytes: 2 ** 40 };
  };
  const disk = { ...smallDisk, measureSpace };
  {
    await using room = await JournalSpace.open(
      { disk, log: silentLog, onFull: () => {}, lookMs: 20 },
      directory,
    );
    room.keepReserve();
    const deadline = performance.now() + waitMsMax;
    while (looks < 5 && performance.now() < deadline) await wait(10);
    assert.ok(looks >= 5, 'the disk is looked at again and again');
    assert.deepEqual(await readdir(directory), [], 'but nothing is reserved');
    assert.equal(await room.releaseReserve(), false);
    freeBytes = 2 ** 34;
    while ((await readdir(directory)).length === 0 && performance.now() < deadline) await wait(10);
    assert.deepEqual(await readdir(directory), ['reserve']);
  }
  await rm(directory, { recursive: true });
});
