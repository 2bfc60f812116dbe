/**
 * Log engine parts removed on purpose are not reported missing: merged, expired, or deleted with their dataset or project, even after a kill. It
 * takes a minute and a half, since the engine lists removed parts for twenty seconds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  checkNothingMissed,
  clearedMs,
  count,
  kill,
  mergingMs,
  openPlace,
  send,
  store,
} from '../support/removedParts.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck, startProcess } from '../support/tapedeck.ts';

test('deleted datasets do not count as lost, even when everything is killed right afterwards', async () => {
  await using directory = await makeDirectory();
  const place = await openPlace(directory.path);
  let left = 40;
  {
    await using service = await startProcess(place.environment);
    await store(service, place, ['kept', [1]]);
    await count(service);
  }
  for (let round = 0; round < 4; round++) {
    await using service = await startProcess(place.environment);
    await checkNothingMissed(service);
    await store(service, place, [`gone${round}`, [1, 2, 3, 4]]);
    assert.equal(await count(service), left + 160);
    const deletion: [string, string] = ['DELETE', `/api/manage/projects/default/datasets/gone${round}`];
    // After the response, or while the engine works on it.
    if (round % 2 === 0) await send(service, place, deletion);
    else await Promise.race([send(service, place, deletion).catch(() => {}), wait(150 * round)]);
    await kill(service);
    await using again = await startProcess(place.environment);
    await checkNothingMissed(again);
    await send(again, place, deletion).catch(() => {});
    left = await count(again);
    assert.equal(left, 40);
    await kill(again);
  }
  await using service = await startProcess(place.environment);
  for (const deadline = performance.now() + clearedMs; performance.now() < deadline; await wait(1_000))
    await checkNothingMissed(service);
  const { exitCode } = await runTapedeck(['verify'], place.environment);
  assert.equal(exitCode, 0);
});

test('a service that is paused for longer than the engine keeps removed parts reports them', async () => {
  await using directory = await makeDirectory();
  const place = await openPlace(directory.path);
  await using service = await startProcess(place.environment);
  await store(service, place, ['gone', [1, 2, 3, 4]]);
  await store(service, place, ['kept', [1]]);
  assert.equal(await count(service), 200);
  const deletion = send(service, place, ['DELETE', '/api/manage/projects/default/datasets/gone']).catch(
    () => {},
  );
  process.kill(service.child.pid!, 'SIGSTOP');
  // The engine keeps running and forgets the parts meanwhile.
  for (const deadline = performance.now() + clearedMs; performance.now() < deadline; await wait(1_000))
    assert.equal(service.child.exitCode, null);
  process.kill(service.child.pid!, 'SIGCONT');
  await deletion;
  assert.equal(await count(service), 40);
  for (const deadline = performance.now() + mergingMs; performance.now() < deadline; await wait(1_000))
    await checkNothingMissed(service);
});
