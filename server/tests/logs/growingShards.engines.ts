/** A cluster that grows and shrinks while nodes with a shorter and a longer list of its shards work side by side. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { queryRows } from '@tapedeck/log-store/testing';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import { startShards } from './shards.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const shards = opened.use(await startShards(3));
const urls = shards.environment.TAPEDECK_CLICKHOUSE_URL!.split(',');
const listing = (count: number) => ({
  ...shards.environment,
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
  TAPEDECK_CLICKHOUSE_URL: urls.slice(0, count).join(','),
});
const grownMsMax = 60_000; // a node uses a new shard a quarter of a minute after the other nodes can know of it

// The new server gets its table before nodes learn of it: a query to a server without a table fails.
const planned = await tapedeck(['migrate', '--dry-run'], listing(2));
const tooFew = await runTapedeck(['migrate'], listing(2));
await tapedeck(['migrate'], listing(3));
const plannedAgain = await tapedeck(['migrate', '--dry-run'], listing(3));
const older = opened.use(await startTestService({ environment: listing(2) }));
const running = opened.move();
after(() => running.disposeAsync());
const client = await openLogClient(older);
let stored = 0;

async function store(node: TestService, dataset = 'main'): Promise<void> {
  const response = await node.fetch(`/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: client.token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message: `message ${stored}`, metadata: { server: 'one' } }]),
  });
  assert.equal(response.status, 200, await response.text());
  stored += 1;
}

async function request<Answer>(node: TestService, question: string): Promise<Answer> {
  const deadline = performance.now() + grownMsMax;
  for (;;) {
    const response = await node.fetch(`/api/v3/logs${question}`, {
      headers: { authorization: client.token },
    });
    if (response.status === 200) return (await response.json()) as Answer; // the requested route's response
    assert.equal(response.status, 503, `${response.status}`);
    assert.ok(performance.now() < deadline, await response.text());
    await wait(100);
  }
}

/** Retries: a node's disk holds what it acknowledged for a second, and other nodes find it only afterwards. */
async function untilCounted(node: TestService, expected: number, dataset = 'main'): Promise<void> {
  const deadline = performance.now() + grownMsMax;
  for (;;) {
    const counted = await count(node, dataset);
    if (counted.every(one => one === expected)) return;
    assert.ok(performance.now() < deadline, `counted ${counted} of ${expected}`);
    await wait(100);
  }
}

/** Counts by reading, and by the counts that each server keeps. */
async function count(node: TestService, dataset = 'main'): Promise<[number, number]> {
  const listed = await request<{ pagination: { total: number } }>(
    node,
    `?dataset=${dataset}&includeTotal=true&limit=1`,
  );
  const kept = await request<{ data: { count: number }[] }>(
    node,
    `/facets?dataset=${dataset}&field=metadata.server`,
  );
  return [listed.pagination.total, kept.data[0]?.count ?? 0];
}

async function countOn(index: number): Promise<number> {
  const [row] = await queryRows(shards.engines[index]!, { sql: 'SELECT count() FROM tapedeck.logs' });
  return Number(row?.[0]);
}

test('previews the changes, and none are left after the run', () => {
  assert.match(
    tooFew.complained,
    /of the cluster "shards" has no table tapedeck\.logs: run .tapedeck migrate. with/,
  );
  assert.match(planned, /^Would apply all tables\.\n/);
  assert.equal(planned.match(/CREATE TABLE IF NOT EXISTS tapedeck\.logs \(/g)?.length, 2);
  assert.equal(planned.match(/ENGINE = Distributed\(shards, /g)?.length, 2);
  assert.match(plannedAgain, /^The database is up to date\.\n(-- \S.*: nothing to do\.\n){3}$/);
});

test('adds a shard: new entries are spread over it, and nodes with either list find all', async () => {
  for (let number = 0; number < 6; number += 1) {
    await store(older);
    assert.deepEqual(await count(older), [stored, stored]);
  }
  await using newer = await startTestService({ environment: listing(3) });
  await untilCounted(newer, stored);
  const deadline = performance.now() + grownMsMax;
  while ((await countOn(2)) === 0) {
    assert.ok(performance.now() < deadline, 'nothing was stored on the new shard');
    await store(newer);
    assert.deepEqual(await count(newer), [stored, stored]);
    await wait(200);
  }
  for (let number = 0; number < 6; number += 1) {
    await store(number % 2 === 0 ? older : newer);
    for (const node of [older, newer]) await untilCounted(node, stored);
  }
  assert.ok((await countOn(0)) > 0 && (await countOn(1)) > 0);
});

test('a dataset deleted at a node with the shorter list is deleted from all shards', async () => {
  await using newer = await startTestService({ environment: listing(3) });
  const others = stored;
  const before = await countOn(2);
  for (let number = 0; (await countOn(2)) === before; number += 1) {
    assert.ok(number < 60, 'nothing was stored on the new shard');
    await store(newer, 'gone');
    await count(newer, 'gone');
  }
  await client.owner.call(deleteDataset, { params: { project: 'default', dataset: 'gone' } });
  for (const node of [older, newer]) assert.deepEqual(await count(node, 'gone'), [0, 0]);
  for (const node of [older, newer]) await untilCounted(node, others);
  stored = others;
});

test('a shard that is no longer listed is queried, and stores nothing new', async () => {
  await using shorter = await startTestService({ environment: listing(2) });
  const before = await countOn(2);
  for (let number = 0; number < 6; number += 1) {
    await store(shorter);
    assert.deepEqual(await count(shorter), [stored, stored]);
  }
  assert.equal(await countOn(2), before);
});
