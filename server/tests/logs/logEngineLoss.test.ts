/** The engine in the data directory was emptied or replaced: entries are kept, queries are refused, and adopt resolves it. */
import assert from 'node:assert/strict';
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const token = 'a-token-for-the-logs';
const environment = { TAPEDECK_LOGS_TOKEN: token };
const headers = { authorization: token, 'content-type': 'application/json' };
const recoverMsMax = 30_000; // the service checks the engine every second

const start = (dataDir: string) => startTestService({ dataDir, environment });
const request = (service: TestService) => service.fetch('/api/v3/logs', { headers });

async function store(service: TestService, message: string): Promise<void> {
  const body = JSON.stringify([{ level: 'info', message }]);
  assert.equal((await service.fetch('/api/v3/logs', { method: 'POST', headers, body })).status, 200);
}

async function readBodies(response: Response): Promise<string[]> {
  assert.equal(response.status, 200);
  return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body).sort();
}

async function run(dataDir: string, message: string): Promise<string[]> {
  await using service = await start(dataDir);
  await store(service, message);
  return await readBodies(await request(service));
}

/** Sends entries that are kept while queries are refused. */
async function keep(service: TestService): Promise<void> {
  await store(service, 'kept');
  const refused = await request(service);
  assert.match(await refused.clone().text(), /(lost the mark|belongs to the installation).*`tapedeck adopt`/);
  assert.equal(await describeRefusal(refused), '503 engine_unavailable');
  const notReady = await service.fetch('/readyz?role=query');
  assert.equal(notReady.status, 503);
  assert.match(
    await notReady.text(),
    /Not ready: logs\. The log engine in the data directory .*`tapedeck adopt`/,
  );
}

const losses: [string, (logs: string, other: string) => Promise<unknown>, string[]][] = [
  ['is gone', logs => rm(logs, { recursive: true }), ['kept']],
  ['is empty', logs => rm(logs, { recursive: true }).then(() => mkdir(logs)), ['kept']],
  ['has lost its data', logs => rm(path.join(logs, 'data'), { recursive: true }), ['kept']],
  [
    'belongs to another installation',
    async (logs, other) => {
      await rm(logs, { recursive: true });
      await cp(path.join(other, 'logs'), logs, { recursive: true });
    },
    ['kept', 'of the other'],
  ],
];
for (const [title, lose, left] of losses) {
  test(`an engine whose directory ${title}: rejects queries until it is adopted`, async () => {
    await using place = await makeDirectory();
    await using other = await makeDirectory();
    await run(other.path, 'of the other');
    await run(place.path, 'lost');
    await lose(path.join(place.path, 'logs'), other.path);
    {
      await using service = await start(place.path);
      await keep(service);
    }
    await using service = await start(place.path);
    await keep(service);
    await tapedeck(['adopt'], { TAPEDECK_DATA_DIR: place.path });
    for (const deadline = performance.now() + recoverMsMax; (await request(service)).status !== 200; ) {
      assert.ok(performance.now() < deadline, 'queries get responses again');
      await wait(50);
    }
    const found = await readBodies(await request(service));
    assert.deepEqual([...new Set(found)], left);
    assert.equal(found.filter(body => body === 'kept').length, 2);
  });
}

test('adopted while the service is stopped, it starts with what is left', async () => {
  await using place = await makeDirectory();
  await run(place.path, 'lost');
  await rm(path.join(place.path, 'logs'), { recursive: true });
  {
    await using service = await start(place.path);
    await keep(service);
  }
  await tapedeck(['adopt'], { TAPEDECK_DATA_DIR: place.path });
  assert.deepEqual(await run(place.path, 'new'), ['kept', 'new']);
  assert.deepEqual(await run(place.path, 'newer'), ['kept', 'new', 'newer']);
});

test('an engine from before marks gets a mark, and is then recognised', async () => {
  await using place = await makeDirectory();
  await run(place.path, 'old');
  for (const name of ['logs/installation', 'log-engine']) await rm(path.join(place.path, name));
  assert.deepEqual(await run(place.path, 'new'), ['new', 'old']);
  await rm(path.join(place.path, 'logs'), { recursive: true });
  await using service = await start(place.path);
  await keep(service);
});

test('a restored installation starts without adoption', async () => {
  await using place = await makeDirectory();
  const [original, restored, backup] = ['original', 'restored', 'backup'].map(name =>
    path.join(place.path, name),
  ) as [string, string, string]; // there are three
  await run(original, 'old');
  await tapedeck(['backup', backup], { TAPEDECK_DATA_DIR: original });
  await tapedeck(['restore', backup], { TAPEDECK_DATA_DIR: restored });
  assert.deepEqual(await run(restored, 'new'), ['new', 'old']);
});
