/** The state of the machine as installation owners see it: disk, journal, engine, backups, trouble. */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getMachine } from '@tapedeck/contract/machine';
import { openLogClient } from '../support/logSender.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const waitMsMax = 60_000;
const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

type Machine = Awaited<ReturnType<typeof look>>;
const look = () => owner.call(getMachine);

/** Polls, since an answer may be some seconds old. */
async function until(is: (machine: Machine) => boolean): Promise<Machine> {
  for (const deadline = performance.now() + waitMsMax; ; await wait(100)) {
    const machine = await look();
    if (is(machine)) return machine;
    assert.ok(performance.now() < deadline, `it does not happen: ${JSON.stringify(machine)}`);
  }
}

test('a healthy machine says so', async () => {
  const { disk, journal, engine, backup, trouble, ...rest } = await look();
  assert.equal(rest.version, version);
  assert.ok(Math.abs(Date.parse(rest.startedAt) - service.clock.now()) < waitMsMax);
  assert.ok(disk.freeBytes > 0 && disk.totalBytes > disk.freeBytes);
  assert.deepEqual(disk.holds, { files: true, logs: true });
  assert.deepEqual([disk.bytesADay, disk.since, disk.daysLeft], [null, null, null]);
  assert.deepEqual(journal, { entries: 0, bytes: 0, oldestAt: null });
  assert.equal(engine.own, true);
  const [server] = engine.servers;
  assert.equal(server?.running, true);
  assert.match(server?.version ?? '', /^\d+\.\d+/);
  assert.ok(Number(server?.memoryBytes) > 1_000_000, `${server?.memoryBytes}`);
  assert.deepEqual([backup, trouble], [null, []]);
});

test('the growth on the disk shows how long it will last', async () => {
  const store = await service.openStore();
  const dayMs = 86_400_000;
  await store.write(async ({ storageDays }) => {
    const now = service.clock.now();
    for (const [age, image, logs] of [
      [5, 1_000, 0],
      [1, 41_000, 20_000],
    ] as const) {
      const at = now - age * dayMs;
      const day = Math.floor(at / dayMs);
      await storageDays.note({ project: 'default', day, at, image, video: 0, audio: 0, logs });
    }
  });
  const { disk } = await until(machine => machine.disk.bytesADay !== null);
  // Today's record, which the service wrote, counts too; nothing is really stored.
  assert.ok(disk.since !== null && Date.parse(disk.since) < service.clock.now() - 4 * dayMs);
  const left = disk.bytesADay! > 0 ? disk.freeBytes / disk.bytesADay! : null;
  assert.equal(disk.daysLeft, left);
});

test('a successful backup leaves a record', async () => {
  const { store } = await openLogClient(service);
  await store([{ level: 'info', message: 'kept' }], 'main');
  await using place = await makeDirectory();
  const folder = path.join(place.path, 'backup');
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const printed = await tapedeck(['backup', folder], environment);
  assert.match(printed, /^Saved .* to .*backup\.\n$/);
  const { backup } = await until(machine => machine.backup !== null);
  assert.equal(backup?.folder, folder);
  assert.equal(backup?.version, version);
  assert.ok(backup !== null && backup.bytes > 1_000);
  assert.ok(Object.keys(backup?.parts ?? {}).length >= 3, JSON.stringify(backup));
  assert.ok(Math.abs(Date.parse(backup!.endedAt) - Date.now()) < waitMsMax);

  // A refused backup leaves no record, nor does a restore.
  await assert.rejects(tapedeck(['backup', place.path], environment)); // the folder holds something else
  await using restored = await makeDirectory();
  await rm(restored.path, { recursive: true });
  await tapedeck(['restore', folder], { TAPEDECK_DATA_DIR: restored.path });
  await using other = await startTestService({ dataDir: restored.path });
  const person = await addPerson(other, { isOwner: true });
  assert.equal((await person.call(getMachine)).backup, null);
});

test('entries that the engine rejects wait in the journal, and the error has a sentence', async () => {
  const stopped = await startTestService({ environment: { TAPEDECK_CLICKHOUSE_URL: 'http://127.0.0.1:9' } });
  after(() => stopped[Symbol.asyncDispose]());
  const person = await addPerson(stopped, { isOwner: true });
  const { store } = await openLogClient(stopped);
  const before = Date.now();
  await store([{ level: 'info', message: 'waits' }], 'main');
  const { journal, engine, disk, trouble } = await person.call(getMachine);
  assert.equal(journal.entries, 1);
  assert.ok(journal.bytes > 50);
  const oldestAt = Date.parse(journal.oldestAt ?? '');
  assert.ok(oldestAt >= before - 1_000 && oldestAt <= Date.now() + 1_000, `${journal.oldestAt}`);
  assert.deepEqual(engine, { own: false, servers: [{ running: false, version: null, memoryBytes: null }] });
  assert.deepEqual(disk.holds, { files: true, logs: false });
  assert.deepEqual(
    trouble.map(({ name }) => name),
    ['logs'],
  );
  assert.match(trouble[0]?.sentence ?? '', /does not answer: start it, or check TAPEDECK_CLICKHOUSE_URL/);
});
