/** Two nodes on one PostgreSQL and one cluster of two shards: each finds, streams and deletes what the other stores. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { queryLogs } from '@tapedeck/contract/logs';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { assertComplete, compareFound, startWriters } from '../support/logWriters.ts';
import { addToken } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';
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
const client = await openLogClient(first);
const { owner, token } = client;
const visibleMsMax = 15_000; // on a quiet machine an entry is stored within a second of its acknowledgement

function get(node: TestService, path: string): Promise<Response> {
  return node.fetch(`/api/v3/logs${path}`, { headers: { authorization: token } });
}

async function post(node: TestService, dataset: string, messages: readonly string[]): Promise<void> {
  const response = await node.fetch(`/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
  });
  assert.equal(response.status, 200, await response.text());
}

async function read(node: TestService, dataset: string): Promise<string[]> {
  const answer = await readAs(queryLogs.answer, await get(node, `?dataset=${dataset}&order=asc&limit=100`));
  return answer.data.map(({ body }) => body);
}

test("a node finds its own entries at once, and another node's soon", async () => {
  for (let number = 0; number < 10; number++) {
    const node = number % 2 === 0 ? first : second;
    await post(node, 'both', [`m${number}`]);
    assert.ok((await read(node, 'both')).includes(`m${number}`));
  }
  const expected = Array.from({ length: 10 }, (_, number) => `m${number}`);
  for (const node of [first, second]) {
    const deadline = performance.now() + visibleMsMax;
    let found = await read(node, 'both');
    while (found.length < expected.length) {
      assert.ok(performance.now() < deadline, `found ${found}`);
      await wait(20);
      found = await read(node, 'both');
    }
    assert.deepEqual(found.toSorted(), expected);
  }
});

test('a tail sends entries of all nodes', async () => {
  await using here = await follow(first.url, 'dataset=told', { token });
  await using there = await follow(second.url, 'dataset=told', { token });
  const startedAt = performance.now();
  await post(first, 'told', ['one']);
  assert.deepEqual(await here.takeBodies(1), ['one']);
  assert.deepEqual(await there.takeBodies(1), ['one']);
  await post(second, 'told', ['two']);
  assert.deepEqual(await here.takeBodies(1), ['two']);
  assert.deepEqual(await there.takeBodies(1), ['two']);
  const ms = performance.now() - startedAt;
  assert.ok(ms < 2 * visibleMsMax, `it took ${Math.round(ms)} ms`);
});

test('a tail that resumes at another node misses nothing and repeats nothing', async () => {
  const nodes = [first, second];
  const received: string[] = [];
  const sent: string[] = [];
  let isDone = false;
  const write = async (node: TestService, name: string) => {
    for (let number = 0; !isDone; number++) {
      const batch = [`${name}${number}a`, `${name}${number}b`];
      await post(node, 'hops', batch);
      sent.push(...batch);
      await wait(50); // otherwise the writers take the processors from the nodes
    }
  };
  let follower = await follow(first.url, 'dataset=hops', { token });
  const writing = Promise.all([write(first, 'f'), write(second, 's')]);
  for (let round = 0; round < 10; round++) {
    const bodies = await follower.takeBodies(1 + ((round * 7) % 13));
    received.push(...bodies);
    await follower[Symbol.asyncDispose]();
    const lastEventId = follower.events[bodies.length - 1]!.id;
    follower = await follow(nodes[(round + 1) % 2]!.url, 'dataset=hops', { token, lastEventId });
  }
  isDone = true;
  await writing;
  received.push(...(await follower.takeBodies(sent.length - received.length)));
  assert.deepEqual(received.toSorted(), sent.toSorted());
  await post(second, 'hops', ['end']);
  assert.deepEqual(await follower.takeBodies(1), ['end']);
  await follower[Symbol.asyncDispose]();
});

test('nodes that expire entries concurrently do not interfere', async () => {
  const old = Date.now() - 20 * 86_400_000;
  for (const [index, node] of [first, second].entries()) {
    const items = Array.from({ length: 500 }, (_, number) => ({
      level: 'info',
      message: `${index}/${number}`,
      timestamp: number % 2 === 0 ? old + number : Date.now(),
    }));
    const response = await node.fetch('/api/v3/logs?dataset=kept', {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(items),
    });
    assert.equal(response.status, 200);
  }
  for (const node of [first, second]) await read(node, 'kept'); // makes both nodes store everything
  const settings = environment;
  await tapedeck(['dataset', 'set', 'kept', '--retain', '7d'], settings);
  const runs = [first, second].map(async ({ dataDir }) => {
    const printed = await tapedeck(['retention', 'run', '--json'], {
      ...settings,
      TAPEDECK_DATA_DIR: dataDir,
    });
    return (JSON.parse(printed) as { datasets: { entries: number }[] }).datasets;
  });
  assert.ok((await Promise.all(runs)).flat().some(({ entries }) => entries > 0));
  const total = (await readAs(queryLogs.answer, await get(first, '?dataset=kept&includeTotal=true')))
    .pagination;
  assert.equal(total.total, 500);
});

test('a dataset deleted at one node is deleted at the other, wherever its entries arrived', async () => {
  for (const node of [first, second]) {
    await post(node, 'gone', ['one', 'two']);
    await post(node, 'stays', ['one']);
  }
  for (const node of [first, second]) await read(node, 'gone'); // makes both nodes store everything
  const params = { project: 'default', dataset: 'gone' };
  const { entries } = await owner.call(deleteDataset, { params });
  assert.equal(entries, 4);
  for (const node of [first, second]) {
    assert.deepEqual(await read(node, 'gone'), []);
    assert.equal((await read(node, 'stays')).length, 2);
  }
});

test('a shard dies: intake continues, responses are complete or errors, and all is there afterwards', async () => {
  const held = await addToken(owner, { kind: 'logs' });
  const target = { url: second.url, token: held.token };
  using writers = startWriters(target, { writers: 3, rowsMax: 20, prefix: 'outage', pauseMs: 5 });
  while (writers.written.acknowledged.size < 20) await wait(10);
  process.kill(shards.engines[1]!.processId()!, 'SIGKILL');
  const killedAt = performance.now();
  for (let goodInARow = 0; goodInARow < 5; ) {
    const acknowledged = [...writers.written.acknowledged.values()].reduce((sum, rows) => sum + rows, 0);
    const response = await get(second, '?limit=1&includeTotal=true');
    if (response.status === 200) {
      const { pagination } = await readAs(queryLogs.answer, response);
      assert.ok(pagination.total >= acknowledged);
      goodInARow++;
    } else {
      assert.equal(await describeRefusal(response), '503 engine_unavailable');
      goodInARow = 0;
    }
    assert.ok(performance.now() - killedAt < 60_000, 'queries recover');
    await wait(20);
  }
  const { acknowledged, refusals } = await writers.stop();
  assert.deepEqual([...refusals], []);
  assertComplete(await compareFound(target, acknowledged));
});
