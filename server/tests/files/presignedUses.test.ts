/** Uses of presigned URLs are counted right when the database fails and when the clock is wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from '../support/client.ts';
import {
  changeDatabase,
  makeDirectory,
  makeStoppedClock,
  startQuietService,
  type TestService,
} from '../support/service.ts';
import { formOf, makePicture, mediaEnvironment, mediaToken, pathOf, sendForm } from '../support/uploading.ts';

const dayMs = 86_400_000;

/** Returns where to upload to. */
async function presign(service: TestService, query = '') {
  const headers = { authorization: mediaToken };
  const response = await service.fetch(`/api/v3/file/presigned-url${query}`, { headers });
  // Other tests check this response's shape.
  const { data } = (await response.json()) as { data: { presignedUrl: string } };
  return { route: pathOf(data.presignedUrl), token: '' };
}

test('a failed upload reports its error, even if its use cannot be returned', async () => {
  await using service = await startQuietService({ environment: mediaEnvironment });
  const target = await presign(service);
  const refuse = async () =>
    describeRefusal(await sendForm(service, formOf(Buffer.from('no picture')), target));
  const trigger = `CREATE TRIGGER no_return BEFORE UPDATE ON presigned_uses WHEN new.uses < old.uses
    BEGIN SELECT raise(ABORT, 'no use comes back'); END`;
  await changeDatabase(service, trigger);
  assert.equal(await refuse(), '415 unsupported_media');
  const warnings = service.logged.filter(line => line.includes('could not release a use'));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /no use comes back/);
  assert.equal(await refuse(), '409 presigned_used', 'the use is lost');
  await changeDatabase(service, 'DROP TRIGGER no_return; DELETE FROM presigned_uses');
  assert.equal(await refuse(), '415 unsupported_media');
  assert.equal((await sendForm(service, formOf(await makePicture()), target)).status, 200);
});

test('no URL works more often because the clock was ahead for a while', async () => {
  await using directory = await makeDirectory();
  const clock = makeStoppedClock();
  const options = { environment: mediaEnvironment, dataDir: directory.path, clock };
  const picture = await makePicture();
  const send = async (service: TestService, target: { route: string; token: string }) => {
    const response = await sendForm(service, formOf(picture), target);
    return response.ok ? '200' : await describeRefusal(response);
  };
  const ask = (service: TestService, days: number) =>
    presign(service, `?expiresAt=${Math.floor((clock.now() + days * dayMs) / 1000)}`);
  let used = { route: '', token: '' };
  {
    await using service = await startQuietService(options);
    used = await ask(service, 6);
    assert.deepEqual([await send(service, used), await send(service, used)], ['200', '409 presigned_used']);
  }
  clock.advance(365 * dayMs);
  {
    await using service = await startQuietService(options);
    const { presignedUses } = await service.openStore();
    while ((await presignedUses.findForgottenUntil()) === null) await wait(10);
  }
  clock.advance(-365 * dayMs);
  await using service = await startQuietService(options);
  const page = { accept: 'text/html' };
  assert.equal((await service.fetch(used.route, { headers: page })).status, 410);
  assert.equal(await send(service, used), '410 presigned_expired');
  for (const days of [1, 6.5]) {
    const fresh = await ask(service, days);
    assert.equal((await service.fetch(fresh.route, { headers: page })).status, 200);
    assert.deepEqual([await send(service, fresh), await send(service, fresh)], ['200', '409 presigned_used']);
  }
});
