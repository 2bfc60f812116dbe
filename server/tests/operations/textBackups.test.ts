/** A backup holds every text that the service accepts, and restores it unchanged. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readTexts, sampleTexts, storeTexts } from '../support/awkwardTexts.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

test('restores text of every kind from a backup', async () => {
  const seed = Date.now() % 2 ** 31;
  await using place = await makeDirectory();
  await using service = await startTestService();
  const owner = await addPerson(service, { isOwner: true });
  await storeTexts(service, owner, sampleTexts(seed, 30));
  const before = await readTexts(service, owner.cookie);
  const folder = path.join(place.path, 'backup');
  await tapedeck(['backup', folder], { TAPEDECK_DATA_DIR: service.dataDir });
  const dataDir = path.join(place.path, 'restored');
  await tapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  await using restored = await startTestService({ dataDir });
  assert.deepEqual(await readTexts(restored, owner.cookie), before, `seed ${seed}`);
});
