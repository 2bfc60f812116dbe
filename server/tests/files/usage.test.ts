/** A project's usage: exact totals, and days that add up to them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deleteFile } from '@tapedeck/contract/files';
import { getUsage } from '@tapedeck/contract/usage';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { makeStoppedClock, startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const dayMs = 86_400_000;
const clock = makeStoppedClock();
// Noon, so that no test crosses midnight.
clock.advance(dayMs - (clock.now() % dayMs) + dayMs / 2);
const service = await startTestService({ environment: mediaEnvironment, clock });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const { token } = await addToken(owner, { kind: 'logs' });
const params = { project: 'default' };
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

async function write(dataset: string, timestamps: readonly number[]): Promise<void> {
  const items = timestamps.map(timestamp => ({ level: 'info', message: 'x', timestamp }));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(items) };
  const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, request);
  assert.equal(response.status, 200, await response.text());
}

test('returns zeros for each requested day', async () => {
  for (const [days, expected] of [
    [undefined, 30],
    [1, 1],
    [366, 366],
    [5000, 366],
  ] as const) {
    const usage = await viewer.call(getUsage, { params, ...(days && { query: { days } }) });
    assert.deepEqual(usage.totals, { files: 0, bytes: 0, entries: 0, logBytes: 0 });
    assert.equal(usage.days.length, expected);
    const today = { day: dayOf(clock.now()), files: 0, bytes: 0, entries: 0, datasets: {} };
    assert.deepEqual(usage.days.at(-1), today);
  }
});

test('counts files and entries on their day, without deleted files', async () => {
  const picture = await makePicture();
  const sound = makeSound();
  const removed = await uploadFile(service, sound);
  await uploadFile(service, picture);
  clock.advance(2 * dayMs);
  await uploadFile(service, picture);
  const now = clock.now();
  await write('game', [now, now - 1, now - dayMs]);
  await write('chat', [now - 1]);
  await write('old', [now - 400 * dayMs]);
  await withToken(service, mediaToken).call(deleteFile, { params: { file: removed.id } });

  const { totals, days } = await viewer.call(getUsage, { params, query: { days: 4 } });
  assert.deepEqual(
    { ...totals, logBytes: 0 },
    {
      files: 2,
      bytes: 2 * picture.length,
      entries: 5,
      logBytes: 0,
    },
  );
  assert.ok(totals.logBytes > 0);
  assert.deepEqual(days, [
    { day: dayOf(now - 3 * dayMs), files: 0, bytes: 0, entries: 0, datasets: {} },
    { day: dayOf(now - 2 * dayMs), files: 1, bytes: picture.length, entries: 0, datasets: {} },
    { day: dayOf(now - dayMs), files: 0, bytes: 0, entries: 1, datasets: { game: 1 } },
    { day: dayOf(now), files: 1, bytes: picture.length, entries: 3, datasets: { chat: 1, game: 2 } },
  ]);
});

test('shows nothing of another project', async () => {
  const project = await addProject(owner, 'other');
  const { totals } = await owner.call(getUsage, { params: { project } });
  assert.deepEqual(totals, { files: 0, bytes: 0, entries: 0, logBytes: 0 });
});

test('rejects an invalid number of days', async () => {
  for (const days of [0, -1, 1.5, 'x']) {
    // Wrong on purpose.
    const query = { days: days as number };
    assert.equal(await viewer.refuse(getUsage, { params, query }), '400 invalid_field');
  }
});
