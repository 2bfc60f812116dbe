/** A deletion covers everything that any node acknowledged before it, including what is in another node's journal, or a dead node's. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { queryLogs } from '@tapedeck/contract/logs';
import { deleteProject } from '@tapedeck/contract/projects';
import { localTable, queryRows } from '@tapedeck/log-store/testing';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import { startShards } from './shards.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const shards = opened.use(await startShards(2));
const environment = {
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
  ...shards.environment,
};
const first = opened.use(await startTestService({ environment }));
const second = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());
const { owner, token } = await openLogClient(first);
const tries = Number(process.env.LOG_TRIES ?? 6); // a race: LOG_TRIES tries it more often
const spreadMs = 570; // the tries meet a deletion at moments from its start to its end
const visibleMsMax = 10_000; // on a quiet machine an entry is stored within a second of its acknowledgement

type Node = { url: string };

async function post(node: Node, dataset: string, message: string): Promise<void> {
  await send(node, { dataset, message, sender: token });
}

type Sent = { dataset: string; message: string; sender: string };

async function send(node: Node, { dataset, message, sender }: Sent): Promise<void> {
  const response = await fetch(`${node.url}/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: sender, 'content-type': 'application/json' },
    // Another day too, so that entries go into several partitions.
    body: JSON.stringify([
      { level: 'info', message },
      { level: 'info', message, timestamp: Date.now() - 40 * 86_400_000 },
    ]),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Returns the distinct texts. What the node itself acknowledged is stored by then. */
async function read(node: Node, dataset: string): Promise<string[]> {
  const response = await fetch(`${node.url}/api/v3/logs?dataset=${dataset}&limit=100`, {
    headers: { authorization: token },
  });
  const { data } = await readAs(queryLogs.answer, response);
  return [...new Set(data.map(({ body }) => body))].toSorted();
}

async function readUntil(node: Node, dataset: string, expected: readonly string[]): Promise<void> {
  const deadline = performance.now() + visibleMsMax;
  let found = await read(node, dataset);
  while (found.join() !== expected.join()) {
    assert.ok(performance.now() < deadline, `${dataset}: ${found} instead of ${expected}`);
    await wait(20);
    found = await read(node, dataset);
  }
}

const goes = (dataset: string) => owner.call(deleteDataset, { params: { project: 'default', dataset } });

/** Asks both nodes several times. */
async function assertGone(dataset: string): Promise<void> {
  for (const node of [second, first, second]) {
    const found = await read(node, dataset);
    assert.ok(
      found.every(body => body.startsWith('after')),
      `${dataset}: ${found}`,
    );
  }
}

test('entries held by another node do not return, and later ones stay', async () => {
  for (let number = 0; number < tries; number++) {
    const dataset = `held${number}`;
    await post(first, dataset, 'before');
    await read(first, dataset);
    await post(second, dataset, 'before, held');
    await goes(dataset);
    await assertGone(dataset);
    await post(second, dataset, 'after');
    await post(first, dataset, 'after, too');
    await assertGone(dataset);
  }
  for (let number = 0; number < tries; number++)
    for (const node of [first, second]) await readUntil(node, `held${number}`, ['after', 'after, too']);
});

test('entries that another node is just storing do not return', async () => {
  for (let number = 0; number < tries; number++) {
    const dataset = `moved${number}`;
    await post(first, dataset, 'before');
    await read(first, dataset);
    await post(second, dataset, 'before, held');
    const [, , deleted] = await Promise.all([
      // Each query makes the node store what it holds.
      wait((number * spreadMs) / (10 * tries)).then(() => read(second, dataset)),
      wait((number * spreadMs) / tries).then(() => read(second, dataset)),
      goes(dataset),
    ]);
    assert.ok(deleted.entries >= 2);
    await assertGone(dataset);
  }
  for (let number = 0; number < tries; number++) await assertGone(`moved${number}`);
});

test('entries of a node that died do not return with it, and no others are lost', async () => {
  await using directory = await makeDirectory();
  const settings = { ...environment, TAPEDECK_DATA_DIR: directory.path };
  await post(first, 'dead', 'before');
  await read(first, 'dead');
  {
    await using dying = await startProcess(settings);
    await post(dying, 'dead', 'before, held');
    await post(dying, 'living', 'held');
    process.kill(dying.child.pid!, 'SIGKILL');
    await dying.exit;
  }
  await goes('dead');
  await post(first, 'dead', 'after');
  await using risen = await startProcess(settings);
  await readUntil(risen, 'living', ['held']);
  await readUntil(risen, 'dead', ['after']);
  await assertGone('dead');
});

test("a deleted project's entries at another node are not stored", async () => {
  const project = await addProject(owner, 'arena');
  const { token: sender } = await addToken(owner, { kind: 'logs', project });
  await send(second, { dataset: 'main', message: 'held', sender });
  await owner.call(deleteProject, { params: { project } });
  await read(second, 'main'); // makes it store all that it holds
  const sql = `SELECT count() FROM ${localTable} WHERE project = 'arena'`;
  for (const engine of shards.engines) assert.deepEqual(await queryRows(engine, { sql }), [[0]]);
});
