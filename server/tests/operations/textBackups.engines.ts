/** Backups restore texts of every kind from the embedded stores to PostgreSQL and ClickHouse, and the other way round. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import type { Environment } from '../../src/config.ts';
import { startShards } from '../logs/shards.ts';
import { readTexts, sampleTexts, storeTexts } from '../support/awkwardTexts.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const running = opened.move();
after(() => running.disposeAsync());
const seed = Date.now() % 2 ** 31;
const secret = { TAPEDECK_SECRET: 's'.repeat(40) };

async function carry(from: Environment, to: Environment): Promise<void> {
  await using place = await makeDirectory();
  await using service = await startTestService({ environment: from });
  const owner = await addPerson(service, { isOwner: true });
  await storeTexts(service, owner, sampleTexts(seed, 10));
  const before = await readTexts(service, owner.cookie);
  const folder = path.join(place.path, 'backup');
  await tapedeck(['backup', folder], { ...from, TAPEDECK_DATA_DIR: service.dataDir });
  const dataDir = path.join(place.path, 'restored');
  await tapedeck(['restore', folder], { ...to, TAPEDECK_DATA_DIR: dataDir });
  await using restored = await startTestService({ dataDir, environment: to });
  assert.deepEqual(await readTexts(restored, owner.cookie), before, `seed ${seed}`);
}

test('from the embedded stores to the others', async () => {
  await using shards = await startShards(2);
  const others = { TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'), ...shards.environment };
  await carry(secret, { ...secret, ...others });
});

test('from the others to the embedded stores', async () => {
  await using shards = await startShards(2);
  const others = { TAPEDECK_DATABASE_URL: postgres.urlOf('template1'), ...shards.environment };
  await carry({ ...secret, ...others }, secret);
});
