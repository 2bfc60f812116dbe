/**
 * A node dies with its disk at every step between a request and the end of its import. Another node takes over: acknowledged entries are found
 * once and whole; others once or not at all.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { queryLogs } from '@tapedeck/contract/logs';
import { closeGate } from '../support/databaseGate.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(1));
const proxy = opened.use(await startFaultyProxy(stores.s3Endpoint));
const running = opened.move();
after(() => running.disposeAsync());
const recoveryMsMax = 90_000;

type Node = AsyncDisposable & { service: ServiceProcess; killAndWipe(): Promise<void> };

async function startNode(): Promise<Node> {
  const directory = await makeDirectory();
  const environment = { ...stores.settings(proxy.endpoint), TAPEDECK_DATA_DIR: directory.path };
  const service = await startProcess(environment);
  const killAndWipe = async () => {
    await service[Symbol.asyncDispose]();
    await rm(directory.path, { recursive: true, force: true, maxRetries: 20 });
  };
  return { service, killAndWipe, [Symbol.asyncDispose]: killAndWipe };
}

/** Returns the status; 0 means no response. */
async function post(
  { service }: Node,
  messages: readonly string[],
  key: string | null = null,
): Promise<number> {
  const headers = { authorization: stores.token, 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/api/v3/logs?dataset=kills`, {
    method: 'POST',
    headers: { ...headers, ...(key !== null && { 'idempotency-key': key }) },
    body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
  }).catch(() => null);
  return response?.status ?? 0;
}

/** Returns how often each message is found, once a query is answered. */
async function countFound({ service }: Node, messages: readonly string[]): Promise<number[]> {
  const deadline = performance.now() + recoveryMsMax;
  for (;;) {
    const headers = { authorization: stores.token };
    const response = await fetch(`${service.url}/api/v3/logs?dataset=kills&limit=200`, { headers });
    if (response.status === 200) {
      const bodies = (await readAs(queryLogs.answer, response)).data.map(({ body }) => body);
      return messages.map(message => bodies.filter(body => body === message).length);
    }
    assert.equal(response.status, 503);
    assert.ok(performance.now() < deadline, 'queries get responses again');
    await wait(200);
  }
}

const triggers = {
  'after the object, before its row': 'trigger gate before insert on log_segments for each row',
  'after the row, before the response':
    'constraint trigger gate after insert on log_segments deferrable initially deferred for each row',
  'when the segment is bound to its shard':
    "trigger gate before update on log_segments for each row when (new.state = 'importing' and old.state = 'waiting')",
  'after the import, before its end is recorded':
    "trigger gate before update on log_segments for each row when (new.state = 'done')",
} as const;

/** Kills the node when a change waits at the gate. With `isUndone` the database rolls back that change. */
async function dieAtGate(
  step: keyof typeof triggers,
  messages: readonly string[],
  { isUndone, key = null }: { isUndone: boolean; key?: string | null },
): Promise<number> {
  await using dying = await startNode();
  const place = { table: 'log_segments', trigger: triggers[step] };
  await using gate = await closeGate(stores.postgres.urlOf('postgres'), place);
  const answered = post(dying, messages, key);
  await gate.reached();
  await dying.killAndWipe();
  if (isUndone) await gate.forget();
  await gate.open();
  return await answered;
}

test('a node dies before the object is stored: its entries are not found', async () => {
  await using living = await startNode();
  {
    await using dying = await startNode();
    proxy.plan('PUT', [], 'never answer');
    const answered = post(dying, ['never kept']);
    while (!proxy.seen.includes('PUT')) await wait(5);
    await dying.killAndWipe();
    assert.equal(await answered, 0);
  }
  proxy.plan('', []);
  assert.equal(await post(living, ['after it']), 200);
  assert.deepEqual(await countFound(living, ['never kept', 'after it']), [0, 1]);
});

test('a node dies between the object and its row: it has acknowledged nothing', async () => {
  const step = 'after the object, before its row';
  assert.equal(await dieAtGate(step, ['unregistered'], { isUndone: true, key: 'unregistered' }), 0);
});

test('a node dies between the row and the response: entries are found once, and a repeat succeeds', async () => {
  const step = 'after the row, before the response';
  assert.equal(await dieAtGate(step, ['a', 'b'], { isUndone: false, key: 'unheard' }), 0);
  await using living = await startNode();
  assert.deepEqual(await countFound(living, ['a', 'b']), [1, 1]);
  assert.equal(await post(living, ['a', 'b'], 'unheard'), 200);
  assert.equal(await post(living, ['other'], 'unheard'), 422);
  assert.deepEqual(await countFound(living, ['a', 'b', 'other']), [1, 1, 0]);
});

test('a node dies when a segment is bound to its shard: another one imports it, once', async () => {
  const step = 'when the segment is bound to its shard';
  assert.equal(await dieAtGate(step, ['bound'], { isUndone: false }), 200);
  await using living = await startNode();
  assert.deepEqual(await countFound(living, ['bound']), [1]);
});

test('a node dies during an import to a silent shard: another one duplicates nothing', async () => {
  const engine = stores.shards.engines[0]!.processId()!;
  const place = { table: 'log_segments', trigger: triggers['when the segment is bound to its shard'] };
  {
    await using dying = await startNode();
    await using gate = await closeGate(stores.postgres.urlOf('postgres'), place);
    assert.equal(await post(dying, ['in the middle']), 200);
    await gate.reached();
    process.kill(engine, 'SIGSTOP');
    try {
      await gate.open();
      await gate.passed();
      await dying.killAndWipe();
    } finally {
      process.kill(engine, 'SIGCONT');
    }
  }
  await using living = await startNode();
  assert.deepEqual(await countFound(living, ['in the middle']), [1]);
});

test('a node dies after an import that it has not recorded: another one adds nothing', async () => {
  const step = 'after the import, before its end is recorded';
  assert.equal(await dieAtGate(step, ['ended'], { isUndone: true }), 200);
  await using living = await startNode();
  assert.deepEqual(await countFound(living, ['ended']), [1]);
});

test('without the bucket nothing is acknowledged, and the service says so', async () => {
  await using node = await startNode();
  proxy.plan('PUT', [], 'answer 503');
  assert.equal(await post(node, ['refused']), 503);
  const readiness = await fetch(`${node.service.url}/readyz`);
  assert.match(await readiness.text(), readiness.status === 503 ? /bucket/ : /ok/);
  proxy.plan('', []);
  const deadline = performance.now() + recoveryMsMax;
  while ((await post(node, ['taken'])) !== 200) {
    assert.ok(performance.now() < deadline, 'entries are accepted again');
    await wait(50);
  }
  assert.deepEqual(await countFound(node, ['refused', 'taken']), [0, 1]);
});

/** Last, so that its minute passes beside the other tests. */
test('an object without its row is not found, and its key is free in a minute', async () => {
  await using living = await startNode();
  const deadline = performance.now() + recoveryMsMax;
  while ((await post(living, ['unregistered'], 'unregistered')) !== 200) {
    assert.ok(performance.now() < deadline, 'the key is free');
    await wait(200);
  }
  assert.deepEqual(await countFound(living, ['unregistered']), [1]);
});
