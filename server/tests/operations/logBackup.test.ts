/** `backup`, `restore`, `verify` and `retention run` include the logs, with and without a running service. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { listDatasets } from '@tapedeck/contract/logs';
import { changeByte } from '../support/backups.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { type LogClient, openLogClient } from '../support/logSender.ts';
import { readBodies } from '../support/logWriters.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const dayMs = 86_400_000;
const days = (count: number) => Date.now() - count * dayMs;
const entries = Array.from({ length: 3_000 }, (_, index) => ({
  level: index % 5 ? 'info' : 'error',
  message: `entry ${index} Ä\0"`,
  resource: `r${index % 3}`,
  metadata: { n: index, deep: { text: 'ä\n' } },
  timestamp: days(index % 50),
}));

async function exportText({ get }: LogClient, dataset: string): Promise<string> {
  const response = await get(`/export?dataset=${dataset}&order=asc`);
  assert.equal(response.status, 200);
  return response.text();
}

async function listNames({ get }: LogClient): Promise<string[]> {
  const { data } = await readAs(listDatasets.answer, await get('/datasets'));
  return data.map(({ name, entries: count, retentionDays }) => `${name} ${count} ${retentionDays}`);
}

test('a backup of a running service holds all acknowledged entries, and restores each', async () => {
  await using place = await makeDirectory();
  const folder = path.join(place.path, 'backup');
  await using service = await startTestService();
  const from = { TAPEDECK_DATA_DIR: service.dataDir };
  await tapedeck(['dataset', 'set', 'main', '--retain', '90d'], from);
  const client = await openLogClient(service);
  await client.store(entries, 'main');
  // Recently acknowledged entries are moving from the journal to the engine.
  for (let number = 0; number < 20; number++)
    await client.store([{ level: 'info', message: `late ${number}` }], 'late');
  const saved = JSON.parse(await tapedeck(['backup', folder, '--json'], from)) as { parts: { logs: object } };
  assert.deepEqual(saved.parts.logs, { log_entries_saved: entries.length + 20 });
  await client.store([{ level: 'info', message: 'afterwards' }], 'late');

  const dataDir = path.join(place.path, 'restored');
  await tapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  const verified = JSON.parse(await tapedeck(['verify', '--json'], { TAPEDECK_DATA_DIR: dataDir }));
  assert.equal(verified.logs.entries, entries.length + 20);
  assert.deepEqual(verified.logs.damaged, []);
  await using restored = await startTestService({ dataDir });
  const there: LogClient = {
    ...client,
    get: route => restored.fetch(`/api/v3/logs${route}`, { headers: { authorization: client.token } }),
  };
  assert.equal(await exportText(there, 'main'), await exportText(client, 'main'));
  const late = await Array.fromAsync(readBodies(await there.get('/export?dataset=late&order=asc')));
  assert.deepEqual(
    late,
    Array.from({ length: 20 }, (_, number) => `late ${number}`),
  );
  assert.deepEqual(await listNames(there), ['late 20 null', `main ${entries.length} 90`]);
});

test('works the same without a running service, and rejects a damaged backup', async () => {
  await using place = await makeDirectory();
  await using source = await makeDirectory();
  const from = { TAPEDECK_DATA_DIR: source.path };
  let text = '';
  {
    await using service = await startTestService({ dataDir: source.path });
    const client = await openLogClient(service);
    await client.store(entries, 'main');
    text = await exportText(client, 'main');
  }
  const folder = path.join(place.path, 'backup');
  assert.match(await tapedeck(['backup', folder], from), / 3,000 log entries to /);
  const to = { TAPEDECK_DATA_DIR: path.join(place.path, 'restored') };
  await tapedeck(['restore', folder], to);
  {
    await using restored = await startTestService({ dataDir: to.TAPEDECK_DATA_DIR });
    assert.equal(await exportText(await openLogClient(restored), 'main'), text);
  }
  const [file = ''] = (await readdir(path.join(folder, 'logs'))).filter(name => name.endsWith('.zst'));
  await changeByte(path.join(folder, 'logs', file));
  const again = path.join(place.path, 'again');
  const { exitCode, complained } = await runTapedeck(['restore', folder], { TAPEDECK_DATA_DIR: again });
  assert.equal(exitCode, 1);
  assert.match(complained, /damaged/);
  assert.deepEqual(await readdir(again), []);
});

test('`retention run` deletes log entries: counts first, then deletes, for the given time', async () => {
  await using service = await startTestService();
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const client = await openLogClient(service);
  await client.store(entries, 'main');
  await client.store(entries, 'kept');
  const run = async (...args: string[]) => {
    const printed = await tapedeck(['retention', 'run', '--json', ...args], environment);
    return (JSON.parse(printed) as { datasets: object[] }).datasets;
  };
  assert.deepEqual(await run(), []);
  await tapedeck(['dataset', 'set', 'main', '--retain', '30d'], environment);
  const due = [{ project: 'default', dataset: 'main', entries: 1_200 }];
  assert.deepEqual(await run('--dry-run'), due);
  assert.deepEqual(await listNames(client), ['kept 3000 null', 'main 3000 30']);
  assert.deepEqual(await run(), due);
  assert.deepEqual(await listNames(client), ['kept 3000 null', 'main 1800 30']);
  assert.deepEqual(await run(), []);
  const later = new Date(Date.now() + 10 * dayMs).toISOString();
  assert.deepEqual(await run('--now', later), [{ project: 'default', dataset: 'main', entries: 600 }]);
  assert.match(await tapedeck(['retention', 'run'], environment), /No log entry is due/);
});

test('`verify` finds a part of the log table that differs from what was written', async () => {
  await using source = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: source.path };
  {
    await using service = await startTestService({ dataDir: source.path });
    await (await openLogClient(service)).store(entries, 'main');
  }
  const data = path.join(source.path, 'logs/data/store');
  const names = await readdir(data, { recursive: true });
  for (const name of names.filter(each => /\/\d[^/]*_\d+_\d+_\d+[^/]*\/(data|body)\.bin$/.test(each))) {
    const bytes = await readFile(path.join(data, name));
    bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 16);
    await writeFile(path.join(data, name), bytes);
  }
  const { exitCode, printed } = await runTapedeck(['verify'], environment);
  assert.equal(exitCode, 1);
  assert.match(printed, /damaged: a part of the log table/);
});
