/**
 * Idempotency-Keys of two nodes on one PostgreSQL and one ClickHouse: each node answers for keys that the other took. Whatever dies midway,
 * nothing is stored twice, lost, or acknowledged without being stored.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { closeGate, type DatabaseGate } from '../support/databaseGate.ts';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { readBodies } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { startShards } from './shards.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const shards = opened.use(await startShards(1));
const directories = [opened.use(await makeDirectory()).path, opened.use(await makeDirectory()).path] as const;
const token = 'logs-token-of-the-key-tests-0000';
const recoveryMsMax = 20_000; // a start, and tasks that run every few seconds

function startNode(index: 0 | 1): Promise<ServiceProcess> {
  return startProcess({
    ...shards.environment,
    TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
    TAPEDECK_SECRET: 's'.repeat(40),
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_DATA_DIR: directories[index],
  });
}

/** Some tests kill the first node. */
let first = await startNode(0);
const second = opened.use(await startNode(1));
opened.defer(() => first[Symbol.asyncDispose]());
const running = opened.move();
after(() => running.disposeAsync());

const entries = (message: string) => [{ level: 'info', message }];

/** A list holds entries; anything else is a chat payload. */
function request(node: ServiceProcess, key: string, body: unknown): Promise<Response> {
  const route = Array.isArray(body) ? '' : '/chat';
  return fetch(`${node.url}/api/v3/logs${route}?dataset=keys`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
}

/** Returns `200`, or the status and the code. */
async function post(node: ServiceProcess, key: string, body: unknown): Promise<string> {
  return await summariseAnswer(await request(node, key, body));
}

async function postUntilTaken(node: ServiceProcess, key: string, items: unknown): Promise<void> {
  const deadline = performance.now() + recoveryMsMax;
  for (let answer = await post(node, key, items); answer !== '200'; answer = await post(node, key, items)) {
    assert.equal(answer, '503 unavailable');
    assert.ok(performance.now() < deadline, 'the key is settled in time');
    await wait(50);
  }
}

async function assertToldToComeAgain(node: ServiceProcess, key: string): Promise<void> {
  const refusal = await request(node, key, entries(key));
  assert.equal(await summariseAnswer(refusal), '503 unavailable');
  assert.ok(Number(refusal.headers.get('retry-after')) > 0);
}

/** Returns how often each message is stored. A node's query includes all that it has acknowledged. */
async function countStored(messages: readonly string[]): Promise<number[]> {
  const bodies: string[] = [];
  for (const node of [first, second]) {
    const response = await fetch(`${node.url}/api/v3/logs/export?dataset=keys`, {
      headers: { authorization: token },
    });
    bodies.splice(0, bodies.length, ...(await Array.fromAsync(readBodies(response))));
  }
  const counts = Map.groupBy(bodies, body => body);
  return messages.map(message => counts.get(message)?.length ?? 0);
}

test('a repeat at the other node gets a response and stores nothing; another body is rejected', async () => {
  assert.equal(await post(first, 'one', entries('one')), '200');
  assert.equal(await post(second, 'one', entries('one')), '200');
  assert.equal(await post(second, 'one', entries('other')), '422 idempotency_key_reused');
  assert.equal(await post(second, 'one', { content: 'chat' }), '200');
  assert.equal(await post(first, 'one', { content: 'chat' }), '200');
  assert.equal(await post(first, 'one', { content: 'other' }), '422 idempotency_key_reused');
  assert.deepEqual(await countStored(['one', 'chat', 'other']), [1, 1, 0]);
});

test('a rejected request at one node frees its key at the other', async () => {
  assert.equal(await post(first, 'refused', [{ level: 'none' }]), '400 invalid_field');
  assert.equal(await post(second, 'refused', entries('mended')), '200');
  assert.equal(await post(first, 'refused', entries('mended')), '200');
  assert.deepEqual(await countStored(['mended']), [1]);
});

test('stores one of many concurrent requests per key at two nodes, and all get the same response', async () => {
  const messages = Array.from({ length: 20 }, (_, index) => `crowd ${index}`);
  const answers = await Promise.all(
    [first, second, second, first].flatMap(node =>
      messages.map(message => post(node, message, entries(message))),
    ),
  );
  assert.deepEqual(new Set(answers), new Set(['200']));
  assert.deepEqual(new Set(await countStored(messages)), new Set([1]));
});

test('of two concurrent bodies at two nodes, stores one and rejects the other', async () => {
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      [first, second].map((node, index) => post(node, `two ${round}`, entries(`two ${round} ${index}`))),
    );
    assert.deepEqual(answers.toSorted(), ['200', '422 idempotency_key_reused']);
    const stored = await countStored([`two ${round} 0`, `two ${round} 1`]);
    assert.deepEqual(
      stored,
      answers.map(answer => (answer === '200' ? 1 : 0)),
    );
  }
});

const gates = {
  /** The claim is made, but its node does not learn of it. */
  claimed: `constraint trigger gate after insert on key_claims deferrable initially deferred for each row`,
  /** The journal has the entries, but the other node does not learn of it. */
  stored: 'trigger gate before update on key_claims for each row',
};

/** Holds up changes of claims in the database. */
function closeKeyGate(place: keyof typeof gates): Promise<DatabaseGate> {
  return closeGate(postgres.urlOf('postgres'), { table: 'key_claims', trigger: gates[place] });
}

test('a repeat waits for a request that is in progress at the other node', async () => {
  for (const place of ['claimed', 'stored'] as const) {
    await using gate = await closeKeyGate(place);
    const message = `waited for: ${place}`;
    const one = post(first, message, entries(message));
    await gate.reached();
    const repeats = [entries(message), entries('another body')].map(items => post(second, message, items));
    await gate.opposed();
    await gate.open();
    assert.deepEqual(await Promise.all([one, ...repeats]), ['200', '200', '422 idempotency_key_reused']);
    assert.deepEqual(await countStored([message, 'another body']), [1, 0]);
  }
});

test('if a node dies before the journal, repeats must wait until it returns and frees the key', async () => {
  await killAtGate('claimed', 'unstored', { isHeard: true });
  await assertToldToComeAgain(second, 'unstored');
  first = await startNode(0);
  await postUntilTaken(second, 'unstored', entries('unstored, another body'));
  assert.equal(await post(first, 'unstored', entries('unstored')), '422 idempotency_key_reused');
  assert.deepEqual(await countStored(['unstored', 'unstored, another body']), [0, 1]);
});

test('if a node dies after the journal, repeats must wait until it returns', async () => {
  await killAtGate('stored', 'unheard', { isHeard: false });
  await assertToldToComeAgain(second, 'unheard');
  first = await startNode(0);
  await postUntilTaken(second, 'unheard', entries('unheard'));
  assert.equal(await post(second, 'unheard', entries('other')), '422 idempotency_key_reused');
  assert.equal(await post(first, 'unheard', entries('unheard')), '200');
  assert.deepEqual(await countStored(['unheard', 'other']), [1, 0]);
});

test('if a node dies just before its response, repeats at other nodes get it', async () => {
  await killAtGate('stored', 'heard', { isHeard: true });
  assert.equal(await post(second, 'heard', entries('heard')), '200');
  assert.equal(await post(second, 'heard', entries('other')), '422 idempotency_key_reused');
  first = await startNode(0);
  assert.equal(await post(first, 'heard', entries('heard')), '200');
  assert.deepEqual(await countStored(['heard', 'other']), [1, 0]);
});

/** Kills the first node in the middle of a request; with `isHeard` the database still completes its last statement. */
async function killAtGate(
  place: keyof typeof gates,
  key: string,
  { isHeard }: { isHeard: boolean },
): Promise<void> {
  await using gate = await closeKeyGate(place);
  const unanswered = post(first, key, entries(key)).catch(() => 'no answer');
  await gate.reached();
  first.child.kill('SIGKILL');
  await first.exit;
  assert.equal(await unanswered, 'no answer');
  if (!isHeard) await gate.forget();
  await gate.open();
}

test('without the database, a request with a key is told to retry, and is stored once afterwards', async () => {
  assert.equal(await post(first, 'before', entries('before')), '200');
  await postgres.crash();
  for (const node of [first, second]) {
    await assertToldToComeAgain(node, 'away');
  }
  await postgres.restart();
  await postUntilTaken(second, 'away', entries('away'));
  await postUntilTaken(first, 'away', entries('away'));
  await postUntilTaken(second, 'before', entries('before'));
  assert.deepEqual(await countStored(['away', 'before']), [1, 1]);
});

test('eager clients at two nodes, one of which keeps dying: nothing is lost or stored twice', async () => {
  const acknowledged: string[] = [];
  let isDone = false;
  const writeHastily = async (client: number) => {
    for (let number = 0; !isDone; number++) {
      const message = `hasty ${client} ${number}`;
      for (let answers: string[] = []; !answers.includes('200'); ) {
        const requests = [first, second].map(node =>
          post(node, message, entries(message)).catch(() => 'none'),
        );
        answers = await Promise.all(requests);
        assert.ok(!answers.includes('422 idempotency_key_reused'));
      }
      acknowledged.push(message);
      await wait(10); // otherwise they take the processors from the node that starts
    }
  };
  const writing = Promise.all(Array.from({ length: 6 }, (_, client) => writeHastily(client)));
  for (let round = 0; round < 4; round++) {
    const enough = acknowledged.length + 150;
    while (acknowledged.length < enough) await wait(10);
    first.child.kill('SIGKILL');
    await first.exit;
    first = await startNode(0);
  }
  isDone = true;
  await writing;
  assert.deepEqual(new Set(await countStored(acknowledged)), new Set([1]));
});
