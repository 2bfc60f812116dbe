/** Parts of the log engine that expire or are merged are not reported missing, across starts and kills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  checkNothingMissed,
  count,
  kill,
  mergingMs,
  openPlace,
  perMonth,
  send,
  store,
} from '../support/removedParts.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess, tapedeck } from '../support/tapedeck.ts';

test('does not report entries that expire, within the service or outside it', async () => {
  await using directory = await makeDirectory();
  const place = await openPlace(directory.path);
  {
    await using service = await startProcess(place.environment);
    await store(service, place, ['short', [1, 2, 3, 4]]);
    await store(service, place, ['long', [1]]);
    assert.equal(await count(service), 200);
    const retention: [string, string, object] = [
      'PATCH',
      '/api/manage/projects/default/datasets/short',
      { retentionDays: 30 },
    ];
    await send(service, place, retention);
    await tapedeck(['retention', 'run'], place.environment);
    assert.equal(await count(service), 40);
    await kill(service);
  }
  {
    await using service = await startProcess(place.environment);
    await checkNothingMissed(service);
    const change: [string, string] = ['PATCH', '/api/manage/projects/default/datasets/short'];
    await send(service, place, [...change, { retentionDays: null }]);
    await store(service, place, ['short', [1, 2, 3, 4]]);
    await count(service);
    await send(service, place, [...change, { retentionDays: 30 }]);
    service.child.kill('SIGTERM');
    await service.exit;
  }
  await tapedeck(['retention', 'run'], place.environment);
  await using service = await startProcess(place.environment);
  await checkNothingMissed(service);
  assert.equal(await count(service), 40);
});

test('handles thousands of entries, merges, and consecutive starts', async () => {
  await using directory = await makeDirectory();
  const place = await openPlace(directory.path);
  let stored = 0;
  for (let round = 0; round < 4; round++) {
    await using service = await startProcess(place.environment);
    await checkNothingMissed(service);
    for (let batch = 0; batch < 25; batch++) {
      await store(service, place, ['busy', [1, 2]]);
      stored += 2 * perMonth;
      if (batch % 2 === 0) assert.equal(await count(service), stored); // a part in each partition
    }
    await checkNothingMissed(service);
    if (round % 2 === 0) await kill(service);
    else {
      service.child.kill('SIGTERM');
      await service.exit;
    }
  }
  await using service = await startProcess(place.environment);
  assert.equal(await count(service), stored);
  for (const deadline = performance.now() + mergingMs; performance.now() < deadline; await wait(1_000))
    await checkNothingMissed(service);
});
