/** A project's storage by kind, its daily records, and how long the space will last at that rate. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteFile } from '@tapedeck/contract/files';
import { updateProject } from '@tapedeck/contract/projects';
import { getStorage } from '@tapedeck/contract/usage';
import { estimateDaysLeft, measurePace, readPaceOfAll } from '@tapedeck/domain/projects/storage';
import { newId } from '@tapedeck/values/random-ids';
import { withToken } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject } from '../support/people.ts';
import { makeDirectory, makeStoppedClock, startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const dayMs = 86_400_000;
const clock = makeStoppedClock();
clock.advance(dayMs - (clock.now() % dayMs) + dayMs / 2); // noon
const service = await startTestService({ environment: mediaEnvironment, clock });
after(() => service[Symbol.asyncDispose]());
const { store: storeEntries, owner } = await openLogClient(service);
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const params = { project: 'default' };
const read = () => viewer.call(getStorage, { params });

test('counts files per type and entries with their bytes, until they are deleted', async () => {
  const picture = await makePicture();
  const sound = makeSound();
  const removed = await uploadFile(service, picture, { path: 'maps/old' });
  await uploadFile(service, picture, { path: 'maps' });
  await uploadFile(service, sound);
  await storeEntries([{ level: 'info', message: 'kept' }], 'game');
  await withToken(service, mediaToken).call(deleteFile, { params: { file: removed.id } });
  const { kinds, bytesMax, quotaDaysLeft, pace } = await read();
  assert.deepEqual(kinds.image, { files: 1, bytes: picture.length });
  assert.deepEqual(kinds.video, { files: 0, bytes: 0 });
  assert.deepEqual(kinds.audio, { files: 1, bytes: sound.length });
  assert.equal(kinds.logs.entries, 1);
  assert.ok(kinds.logs.bytes > 0);
  assert.deepEqual({ bytesMax, quotaDaysLeft, pace }, { bytesMax: null, quotaDaysLeft: null, pace: null });
});

test('records the first check of a project at once', async () => {
  for (const deadline = performance.now() + 60_000; ; await wait(50)) {
    const { days } = await read();
    if (days.length === 1) {
      assert.equal(days[0]?.day, new Date(clock.now()).toISOString().slice(0, 10));
      return;
    }
    assert.ok(performance.now() < deadline, 'no day was recorded');
  }
});

test('the growth of past days predicts when the quota is full', async () => {
  const project = await addProject(owner, 'filling');
  const store = await service.openStore();
  const now = clock.now();
  const none = { video: 0, audio: 0 };
  await store.write(async ({ storageDays }) => {
    for (const [age, image, logs] of [
      [40, 9_000_000, 0],
      [4, 0, 9_000],
      [2, 500, 5_000],
    ] as const) {
      const at = now - age * dayMs;
      await storageDays.note({ project, day: Math.floor(at / dayMs), at, image, logs, ...none });
      // If two nodes record a day, the first counts.
      await storageDays.note({ project, day: Math.floor(at / dayMs), at, image: 1, logs: 1, ...none });
    }
  });
  await store.files.insert({ ...(await sample(project)), sizeBytes: 4_000 });
  const request = { params: { project } };
  const free = await owner.call(getStorage, request);
  assert.deepEqual(free.pace, {
    since: new Date(now - 4 * dayMs).toISOString(),
    mediaBytesADay: 1_000,
    logBytesADay: -2_250,
  });
  assert.equal(free.quotaDaysLeft, null);
  assert.deepEqual(
    free.days.map(({ image, logs }) => [image, logs]),
    [
      [0, 9_000],
      [500, 5_000],
    ],
  );
  for (const [bytesMax, daysLeft] of [
    [44_000, 40],
    [3_000, 0],
    [null, null],
  ] as const) {
    await owner.call(updateProject, { ...request, body: { bytesMax } });
    const { quotaDaysLeft, bytesMax: told } = await owner.call(getStorage, request);
    assert.deepEqual([told, quotaDaysLeft], [bytesMax, daysLeft]);
  }
});

async function sample(project: string) {
  const store = await service.openStore();
  const [file] = await store.files.listAll({ afterId: '', limit: 1 });
  return { ...file!, id: newId(), key: 'another.png', project, path: '' };
}

test('records each project once a day for a year, and sums their growth', async () => {
  await using directory = await makeDirectory();
  const ownClock = makeStoppedClock();
  ownClock.advance(dayMs - (ownClock.now() % dayMs) + dayMs / 2);
  const today = Math.floor(ownClock.now() / dayMs);
  /** Starts the service and returns its record of the day. */
  const start = async (day: number) => {
    await using started = await startTestService({ dataDir: directory.path, clock: ownClock });
    const { read: records } = await started.openStore();
    if (day === today) await addProject(await addPerson(started, { isOwner: true }), 'game');
    for (const deadline = performance.now() + 60_000; ; await wait(50)) {
      const noted = await records.storageDays.list({ project: null, fromDay: 0 });
      const ofDay = noted.filter(each => each.day === day);
      if (ofDay.length >= (day === today ? 1 : 2))
        return { noted, pace: await readPaceOfAll({ store: { read: records }, clock: ownClock }) };
      assert.ok(performance.now() < deadline, 'no day was recorded');
    }
  };
  await start(today);
  ownClock.advance(2 * dayMs);
  await start(today + 2);
  const again = await start(today + 2);
  assert.deepEqual(
    again.noted.filter(({ day }) => day > today).map(({ project, day }) => [project, day - today]),
    [
      ['default', 2],
      ['game', 2],
    ],
  );
  assert.equal(again.pace?.mediaBytesADay, 0);
  ownClock.advance(366 * dayMs);
  const { noted } = await start(today + 368);
  assert.deepEqual(new Set(noted.map(({ day }) => day - today)), new Set([2, 368]));
});

test('predicts no growth within the first day, and no end when shrinking or unlimited', () => {
  const day = { image: 0, video: 0, audio: 0, logs: 0 };
  assert.equal(measurePace([]), null);
  assert.equal(measurePace([{ ...day, at: 0 }]), null);
  assert.equal(
    measurePace([
      { ...day, at: 0 },
      { ...day, at: dayMs - 1 },
    ]),
    null,
  );
  const pace = measurePace([
    { ...day, at: 0 },
    { ...day, video: 7, at: dayMs },
  ]);
  assert.equal(pace?.mediaBytesADay, 7);
  for (const [room, aDay, left] of [
    [null, 5, null],
    [100, null, null],
    [100, -5, null],
    [100, 0, null],
    [100, 5, 20],
    [-1, 5, 0],
    [0, null, 0],
  ] as const)
    assert.equal(estimateDaysLeft(room, aDay), left);
});
