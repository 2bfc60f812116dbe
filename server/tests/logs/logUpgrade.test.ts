/** Entries that an earlier version stored: found from the first moment, and upgraded while everything runs, whatever is killed. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { getReadiness } from '@tapedeck/contract/system';
import { findPattern } from '@tapedeck/log-patterns';
import {
  createFirstTable,
  localTable,
  runCommand,
  silentLog,
  superviseEngine,
} from '@tapedeck/log-store/testing';
import { readAs } from '../support/jsonAnswers.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-upgrade-tests-0';
const authorization = { authorization: token };
const entriesPerPart = 40_000;
const parts = 5;
const entries = entriesPerPart * parts;
const struckOut = entriesPerPart / 4;
const left = entries - struckOut;
const finishMsMax = 120_000; // for a busy machine

const bodies = [
  "concat('tick took ', toString(number), ' ms')",
  "concat('player ', toString(number), ' joined')",
];

/** Stores unmerged parts in two partitions, with some rows deleted. */
async function storeAsBefore(dataDir: string): Promise<void> {
  const options = { directory: path.join(dataDir, 'logs'), memoryBytesMax: 900_000_000 };
  await using engine = await superviseEngine(options, silentLog);
  await createFirstTable(engine);
  for (let part = 0; part < parts; part++)
    await runCommand(
      engine,
      `INSERT INTO ${localTable} (project, dataset, timestamp, traceId, retentionDays, level, resource, body)
      SELECT 'default', 'default', now64(6) - toIntervalMillisecond(number + 1), generateUUIDv4(), ${part % 2} * 30, 'info',
        if(number % 4 = 0 AND ${part} = 0, 'going', 'staying'), if(number % 2 = 0, ${bodies.join(', ')})
      FROM numbers(${entriesPerPart}) SETTINGS materialize_skip_indexes_on_insert = 0`,
    );
  await runCommand(
    engine,
    `DELETE FROM ${localTable} WHERE resource = 'going' SETTINGS lightweight_deletes_sync = 2`,
  );
}

async function count(service: ServiceProcess, query: string): Promise<number> {
  const parameters = new URLSearchParams({ query, includeTotal: 'true', limit: '50' });
  const answer = await fetch(`${service.url}/api/v3/logs?${parameters}`, { headers: authorization });
  assert.equal(answer.status, 200);
  const { data, pagination } = await readAs(queryLogs.answer, answer);
  for (const { body, pattern } of data) assert.equal(pattern, findPattern(body).pattern);
  return pagination.total;
}

async function readPreparing(service: ServiceProcess) {
  const answer = await fetch(`${service.url}/readyz`);
  assert.equal(answer.status, 200);
  return (await readAs(getReadiness.answer, answer)).preparing;
}

test('entries of the first version are found at once, and upgraded even if everything is killed', async () => {
  await using directory = await makeDirectory();
  await storeAsBefore(directory.path);
  const environment = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_LOGS_TOKEN: token };
  const ticks = `pattern:${findPattern('tick took 1 ms').pattern}`;
  {
    await using service = await startProcess(environment);
    let preparing = await readPreparing(service);
    for (; preparing === undefined; preparing = await readPreparing(service)) await wait(20);
    assert.equal(preparing.obstacle, null);
    assert.ok(preparing.percent < 100 && preparing.entriesWithoutPattern <= left);
    assert.equal(await count(service, ''), left);
    assert.equal(await count(service, '"joined"'), entries / 2);
    const engine = await findEngineProcess(service.child.pid!);
    service.child.kill('SIGKILL');
    if (engine !== null) process.kill(engine, 'SIGKILL');
    await service.exit;
  }
  await using service = await startProcess(environment);
  const deadline = performance.now() + finishMsMax;
  while ((await count(service, ticks)) !== entries / 2 - struckOut) {
    assert.ok(performance.now() < deadline, 'patterns of older entries appear in time');
    assert.equal(await count(service, ''), left);
    assert.equal(await count(service, '"joined"'), entries / 2);
    await wait(200);
  }
  while ((await readPreparing(service)) !== undefined) {
    assert.ok(performance.now() < deadline, 'the rest is upgraded in time');
    await wait(200);
  }
  assert.equal(await count(service, ''), left);
});
