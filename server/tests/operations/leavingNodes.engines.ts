/** Three nodes on one PostgreSQL and one ClickHouse: they know each other, one leaves in order under load, one dies and is forgotten. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getMachine } from '@tapedeck/contract/machine';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startShards } from '../logs/shards.ts';
import { withCookie } from '../support/client.ts';
import { assertComplete, compareFound, startWriters } from '../support/logWriters.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, startProcess, tapedeck } from '../support/tapedeck.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const shards = opened.use(await startShards(1));
const settings = {
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_DATABASE_CONNECTIONS: '2',
  TAPEDECK_SECRET: 's'.repeat(40),
  ...shards.environment,
};
const startNode = async () =>
  opened.use(await startProcess({ ...settings, TAPEDECK_DATA_DIR: opened.use(await makeDirectory()).path }));
const nodes = [await startNode(), await startNode(), await startNode()] as const;
const token = (await tapedeck(['token', 'create', '--kind', 'logs'], settings)).trim();
const running = opened.move();
after(() => running.disposeAsync());
const eventMsMax = 60_000;

type Listed = { name: string; state: string; version: string };

async function listNodes(): Promise<Listed[]> {
  return JSON.parse(await tapedeck(['node', 'list', '--json'], settings)) as Listed[]; // callers assert this
}

async function untilStates(expected: readonly string[]): Promise<Listed[]> {
  const deadline = performance.now() + eventMsMax;
  for (;;) {
    const listed = await listNodes();
    if (
      listed
        .map(({ state }) => state)
        .toSorted()
        .join() === expected.join()
    )
      return listed;
    assert.ok(performance.now() < deadline, JSON.stringify(listed));
    await wait(200);
  }
}

test('each node reports its name, its version and that it is running, also to owners', async () => {
  const listed = await untilStates(['running', 'running', 'running']);
  assert.equal(new Set(listed.map(({ name }) => name)).size, 3);
  await using here = await startTestService({ environment: settings });
  const owner = await addPerson(here, { isOwner: true });
  const deadline = performance.now() + eventMsMax;
  for (;;) {
    const { nodes: shown } = await withCookie(here, owner.cookie).call(getMachine);
    if (shown.length === 4) break;
    assert.ok(performance.now() < deadline, JSON.stringify(shown));
    await wait(500);
  }
});

test('a stopping node first reports it, still answers requests, and loses nothing', async () => {
  const [, leaving] = nodes;
  const targets = nodes.map(({ url }) => ({ url, token }));
  const writers = targets.map((target, index) =>
    startWriters(target, { writers: 2, rowsMax: 5, prefix: `node${index}`, pauseMs: 5 }),
  );
  try {
    while (writers.some(({ written }) => written.acknowledged.size < 20)) await wait(50);
    leaving.child.kill('SIGTERM');
    const deadline = performance.now() + eventMsMax;
    for (;;) {
      const ready = await fetch(`${leaving.url}/readyz`);
      if (ready.status === 503) {
        assert.match(await ready.text(), /this node is stopping/);
        assert.ok(ready.headers.has('retry-after'));
        break;
      }
      await ready.arrayBuffer();
      assert.ok(performance.now() < deadline, 'it never reports that it is leaving');
      await wait(20);
    }
    targets[1]!.url = nodes[0].url; // as a load balancer does
    assert.equal((await leaving.exit).exitCode, 0);
  } finally {
    await Promise.all(writers.map(each => each.stop()));
  }
  const acknowledged = new Map(writers.flatMap(({ written }) => [...written.acknowledged]));
  for (const { written } of writers) assert.deepEqual([...written.refusals], []);
  const deadline = performance.now() + eventMsMax;
  for (;;) {
    const found = await compareFound({ url: nodes[0].url, token }, acknowledged);
    if (found.lost.length === 0 || performance.now() > deadline) {
      assertComplete(found);
      break;
    }
    await wait(500); // another node's disk holds what it acknowledged for a second
  }
  assert.equal((await untilStates(['running', 'running', 'stopped', 'stopped'])).length, 4);
});

test('a recently seen node is not forgotten, unless forced', async () => {
  const [, , dying] = nodes;
  const running = (await listNodes()).filter(({ state }) => state === 'running');
  dying.child.kill('SIGKILL');
  await dying.exit;
  for (const { name } of running) {
    const { exitCode, complained } = await runTapedeck(['node', 'forget', name], settings);
    assert.equal(exitCode, 1);
    assert.match(
      complained,
      /^The node \S+ was seen \d+ s ago: stop it first, or wait .+ With --force .+\n$/,
    );
  }
  const { exitCode, complained } = await runTapedeck(['node', 'forget', 'nowhere'], settings);
  assert.equal(exitCode, 1);
  assert.match(complained, /^There is no node nowhere; there are \S+/);
  for (const { name } of running) {
    const said = await tapedeck(['node', 'forget', name, '--force'], settings);
    assert.match(said, /is forgotten: \d+ leases and \d+ open claims on Idempotency-Keys are free/);
  }
  // A running node registers again by itself, and the dead one does not.
  await untilStates(['running', 'stopped', 'stopped']);
});
