/** A dataset that was deleted stays deleted, at whatever point this node dies afterwards. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { countMessages, openIntake, openStore } from '../../tests/engines.ts';
import { diskError, interceptDisk } from '../../tests/interceptedDisk.ts';
import { silentLog, storeMessages } from '../../tests/rows.ts';
import { type JournalDisk, localDisk } from '../journal/disk/disk.ts';
import { createLogRemovals } from '../operations/removals/removals.ts';
import { openLogIntake } from './intake.ts';

const flushTimeMs = 10_000;
const target = { project: 'arena', dataset: 'gone', retentionDays: null };
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-deletions-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** A disk whose first attempt to remove a segment fails. */
function failFirstRemoval(): JournalDisk {
  let removals = 0;
  return interceptDisk(localDisk, ({ name, path: file }) => {
    if (name === 'remove' && file.endsWith('.journal') && removals++ === 0) throw diskError('EIO');
  });
}

/** Shows at every instant what a power cut would leave: a file vanishes only once its directory is synced. */
function removeWhenSynced(): JournalDisk {
  const removed: string[] = [];
  return {
    ...localDisk,
    async remove(file) {
      removed.push(file);
    },
    async syncDirectory(at) {
      await localDisk.syncDirectory(at);
      for (const file of removed.splice(0)) await localDisk.remove(file);
    },
  };
}

const disks = [
  { title: 'whose segment cannot be removed at first', makeDisk: failFirstRemoval },
  { title: 'of which the disk keeps only synced changes', makeDisk: removeWhenSynced },
];

for (const { title, makeDisk } of disks) {
  test(`a restart does not bring back a deleted dataset ${title}`, async () => {
    await using store = await openStore(directory);
    const journal = path.join(directory, 'second journal');
    const crashed = path.join(directory, 'journal after the crash');
    const shards = [{ url: 'embedded', access: store.engine }];
    await using intake = await openLogIntake(
      { disk: makeDisk(), log: silentLog },
      { directory: journal, shards, engineDirectory: path.join(directory, 'engine') },
    );
    const { deleteDataset } = createLogRemovals({
      isShared: false,
      shards: [store.engine],
      flush: () => intake.flush(flushTimeMs),
      flushAndForget: () => intake.flushAndForget(flushTimeMs),
    });
    await storeMessages(intake, ['one', 'two'], { target });
    assert.equal(await deleteDataset(target), 2);
    // The copy is what the next start would find if the service died here, right after the answer.
    await cp(journal, crashed, { recursive: true, filter: file => !/reserve$|lock$/.test(file) });
    await using next = await openIntake(crashed, store.engine);
    await next.flush(flushTimeMs);
    assert.deepEqual(await countMessages(store.engine), new Map());
  });
}

test('rejects a deletion while a segment with the entries cannot be removed', async () => {
  await using store = await openStore(directory);
  let isFailing = true;
  const disk = interceptDisk(localDisk, ({ name, path: file }) => {
    if (isFailing && name === 'remove' && file.endsWith('.journal')) throw diskError('EIO');
  });
  const shards = [{ url: 'embedded', access: store.engine }];
  await using intake = await openLogIntake(
    { disk, log: silentLog },
    {
      directory: path.join(directory, 'second journal'),
      shards,
      engineDirectory: path.join(directory, 'engine'),
    },
  );
  await storeMessages(intake, ['kept'], { target });
  await intake.flush(flushTimeMs);
  await assert.rejects(intake.flushAndForget(100), { code: 'unavailable' });
  isFailing = false;
  await intake.flushAndForget(flushTimeMs);
});
