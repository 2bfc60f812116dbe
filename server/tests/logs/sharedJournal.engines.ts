/** Nodes that keep acknowledged entries in a bucket: whichever dies with its disk, nothing is lost, doubled or split. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { type EngineAccess, localTable, queryRows } from '@tapedeck/log-store/testing';
import { readAs } from '../support/jsonAnswers.ts';
import { follow } from '../support/logFollowers.ts';
import { assertComplete, compareFound, startWriters, type Writers } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(2));
const { token } = stores;
const recoveryMsMax = 60_000;

type Node = { process: ServiceProcess; killAndWipe(): Promise<void> };

async function openNode(): Promise<Node> {
  const directory = opened.use(await makeDirectory()).path;
  const process = opened.use(await startProcess({ ...stores.settings(), TAPEDECK_DATA_DIR: directory }));
  const killAndWipe = async () => {
    await process[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  return { process, killAndWipe };
}

const nodes = [await openNode(), await openNode(), await openNode()] as const;
const running = opened.move();
after(() => running.disposeAsync());

/** Retries refusals: a refused request stores nothing. */
async function post({ process }: Node, dataset: string, messages: readonly string[]): Promise<void> {
  for (const deadline = performance.now() + recoveryMsMax; ; ) {
    const response = await fetch(`${process.url}/api/v3/logs?dataset=${dataset}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
    });
    const text = await response.text();
    if (response.status === 200) return;
    assert.equal(response.status, 503, text);
    assert.ok(performance.now() < deadline, `entries are accepted: ${text}`);
    await wait(100);
  }
}

/** Returns null if refused with 503. */
async function read({ process }: Node, dataset: string): Promise<string[] | null> {
  const response = await fetch(`${process.url}/api/v3/logs?dataset=${dataset}&order=asc&limit=1000`, {
    headers: { authorization: token },
  });
  if (response.status === 503) return null;
  return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body);
}

async function countStored(engine: EngineAccess): Promise<number> {
  const [row] = await queryRows(engine, { sql: `SELECT count() FROM ${localTable}` });
  return Number(row![0]); // an aggregate has one row
}

async function readAtLast(node: Node, dataset: string): Promise<string[]> {
  const deadline = performance.now() + recoveryMsMax;
  for (let found = await read(node, dataset); ; found = await read(node, dataset)) {
    if (found !== null) return found;
    assert.ok(performance.now() < deadline, 'queries get responses again');
    await wait(100);
  }
}

test('entries acknowledged by any node are found by any other at once, or the query fails', async () => {
  const expected: string[] = [];
  let answered = 0;
  const deadline = performance.now() + 10 * recoveryMsMax;
  for (let number = 0; answered < 10; number++) {
    const [writer, reader] = [nodes[number % 3]!, nodes[(number + 1 + (number % 2)) % 3]!];
    await post(writer, 'anywhere', [`m${number}`]);
    expected.push(`m${number}`);
    const found = await read(reader, 'anywhere');
    assert.ok(performance.now() < deadline, `${answered} of ${expected.length} queries got responses`);
    if (found === null) continue; // the machine is too busy to answer
    answered++;
    assert.deepEqual(found.toSorted(), expected.toSorted());
  }
  const lines = nodes.flatMap(({ process: { lines } }) => lines);
  assert.deepEqual(
    lines.filter(line => line.includes('invalid input')),
    [],
    'PostgreSQL takes each import, however soon after the last',
  );
});

test('a silent shard blocks neither intake nor other shards, and no response is partial', async () => {
  const engine = stores.shards.engines[1]!.processId()!;
  const target = { url: nodes[0].process.url, token };
  using writers = startWriters(target, { writers: 3, rowsMax: 20, prefix: 'silent', pauseMs: 5 });
  process.kill(engine, 'SIGSTOP');
  try {
    const deadline = performance.now() + recoveryMsMax;
    const countLiving = () => countStored(stores.shards.engines[0]!);
    // At most one import is bound to the frozen shard; everything later goes to the other.
    for (const wanted = (await countLiving()) + 300; (await countLiving()) < wanted; await wait(50))
      assert.ok(performance.now() < deadline, 'entries go to the healthy shard');
    const before = writers.written.acknowledged.size;
    while (writers.written.acknowledged.size < before + 20) {
      assert.ok(performance.now() < deadline, 'entries are accepted');
      await wait(10);
    }
    assert.equal(await read(nodes[1], 'default'), null);
  } finally {
    process.kill(engine, 'SIGCONT');
  }
  const { acknowledged } = await writers.stop();
  await readAtLast(nodes[1], 'default');
  assertComplete(await compareFound(target, acknowledged));
});

test('a tail sends entries of all nodes', async () => {
  await using here = await follow(nodes[0].process.url, 'dataset=told', { token });
  await using there = await follow(nodes[1].process.url, 'dataset=told', { token });
  await post(nodes[2], 'told', ['one']);
  assert.deepEqual(await here.takeBodies(1), ['one']);
  assert.deepEqual(await there.takeBodies(1), ['one']);
});

test('nodes that are lost with their disks under load, one after another, lose nothing', async () => {
  const target = { url: nodes[0].process.url, token };
  await using stack = new AsyncDisposableStack();
  const crowds: Writers[] = [];
  // Earlier writers retry unanswered batches, for the minute until their keys are free.
  const writeMore = async (count: number) => {
    const options = { writers: 4, rowsMax: 30, prefix: `crowd${crowds.length}`, pauseMs: 5 };
    const writers = stack.use(startWriters(target, options));
    crowds.push(writers);
    const deadline = performance.now() + recoveryMsMax;
    while (writers.written.acknowledged.size < count) {
      assert.ok(performance.now() < deadline, 'entries are accepted');
      await wait(10);
    }
  };
  for (const [dying, living] of [
    [nodes[0], nodes[1]],
    [nodes[1], nodes[2]],
  ] as const) {
    await writeMore(30 + Math.floor(Math.random() * 60)); // random, so that kills meet groups, notes and imports at any stage
    await dying.killAndWipe();
    target.url = living.process.url;
  }
  await writeMore(20);
  const written = await Promise.all(crowds.map(writers => writers.stop()));
  const acknowledged = new Map(written.flatMap(each => [...each.acknowledged]));
  await readAtLast(nodes[2], 'default');
  assertComplete(await compareFound(target, acknowledged));
});
