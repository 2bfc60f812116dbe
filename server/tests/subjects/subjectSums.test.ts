/** A service summarises the subjects of confirmed kinds by itself, and the sums give the same answers as the entries. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { getSubject, listSubjects } from '@tapedeck/contract/subjects';
import { openLogClient } from '../support/logSender.ts';
import { until } from '../support/lostParts.ts';
import { makeDirectory, startTestService } from '../support/service.ts';

const roundMs = 45_000;
const params = { project: 'default' };
const player = { kind: 'player', idPaths: ['player.id', 'playerId'], namePaths: ['player.name'] };
const ids = ['7', '007', 'a/b', '😀 Ann', "it's", '\\n'];

async function describe({ owner }: Awaited<ReturnType<typeof openLogClient>>) {
  const pages = ids.map(id => owner.call(getSubject, { params: { ...params, kind: 'player', id } }));
  return { pages: await Promise.all(pages), list: await owner.call(listSubjects, { params }) };
}

test('a start aggregates existing entries, and pages stay the same', async () => {
  await using directory = await makeDirectory();
  const dataDir = directory.path;
  const kept = path.join(dataDir, 'subject-sums');
  const items = Array.from({ length: 300 }, (_, index) => ({
    message: `entry ${index}`,
    level: ['info', 'error'][index % 2],
    resource: ['shop', 'core', ''][index % 3],
    metadata: {
      player: { id: ids[index % ids.length], name: `Name ${index % 4}` },
      playerId: ids[index % 5],
    },
    timestamp: new Date(Date.UTC(2026, 0, 1) + index * 7_200_000).toISOString(),
  }));
  const before = await (async () => {
    await using service = await startTestService({ dataDir });
    const client = await openLogClient(service);
    await client.store(items, 'game');
    await client.owner.call(updateProject, { params, body: { subjects: [player] } });
    return await describe(client);
  })();
  await using service = await startTestService({ dataDir });
  await until(async () => (await readdir(kept).catch(() => [])).length > 0, 'sums exist');
  assert.deepEqual(await describe(await openLogClient(service)), before);
});

test('a confirmed kind is aggregated at once, long before the next round', async () => {
  await using directory = await makeDirectory();
  const dataDir = directory.path;
  const kept = path.join(dataDir, 'subject-sums');
  await using service = await startTestService({ dataDir });
  const { owner, store } = await openLogClient(service);
  await store([{ level: 'info', message: 'joined', metadata: { player: { id: '7', name: 'Ann' } } }], 'game');
  const confirm = (kinds: (typeof player)[]) =>
    owner.call(updateProject, { params, body: { subjects: kinds } });
  const begunAt = performance.now();
  const countKept = async () => (await readdir(kept).catch(() => [])).length;
  await confirm([player]);
  await until(async () => (await countKept()) === 1, 'sums exist');
  await confirm([player, { ...player, kind: 'victim', idPaths: ['victim.id'] }]);
  await until(async () => (await countKept()) === 2, 'sums of a second kind exist');
  await confirm([]);
  await until(async () => (await countKept()) === 0, 'sums of removed kinds are deleted');
  assert.ok(
    performance.now() - begunAt < roundMs,
    'three changes took less than the time between two rounds',
  );
});
