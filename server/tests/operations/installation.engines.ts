/** Two installations that name the same stores by mistake: the second is refused, and changes nothing. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { runCommand } from '@tapedeck/log-store/testing';
import { startShards } from '../logs/shards.ts';
import { openLogClient } from '../support/logSender.ts';
import { makeDirectory, startTestService } from '../support/service.ts';

await using opened = new AsyncDisposableStack();
const shards = opened.use(await startShards(2));
const running = opened.move();
after(() => running.disposeAsync());

const runEverywhere = async (sql: string) => {
  for (const engine of shards.engines) await runCommand(engine, sql);
};
beforeEach(() => runEverywhere('DROP DATABASE IF EXISTS tapedeck SYNC'));

const start = (dataDir: string) => startTestService({ dataDir, environment: shards.environment });

async function fillOne(dataDir: string): Promise<void> {
  await using service = await start(dataDir);
  const client = await openLogClient(service);
  await client.store([{ level: 'info', message: 'kept' }], 'main');
  assert.equal((await client.get('?dataset=main')).status, 200);
}

test('ClickHouse servers of one installation reject another, and accept their own again', async () => {
  await using place = await makeDirectory();
  await using other = await makeDirectory();
  await fillOne(place.path);
  await assert.rejects(start(other.path), {
    message:
      /^The ClickHouse server at http:\/\/127.* belongs to the installation \w{20}, .* `tapedeck adopt`/,
  });
  await fillOne(place.path);
});

test('a new database does not take servers that hold entries and have no mark', async () => {
  await using place = await makeDirectory();
  await fillOne(place.path);
  await runEverywhere('DROP TABLE tapedeck.installation_marks SYNC');
  await using other = await makeDirectory();
  await assert.rejects(start(other.path), {
    message: /^The ClickHouse server at .* holds data that the database does not know, and no mark/,
  });
});
