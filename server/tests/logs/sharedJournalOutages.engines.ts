/**
 * Nodes with a journal in the bucket lose their database: intake continues, answering nodes include those entries, and all are there once it is
 * back, even if a node died meanwhile with its disk.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { queryLogs } from '@tapedeck/contract/logs';
import pg from 'pg';
import { startDatabaseRelay } from '../support/databaseRelay.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { assertComplete, compareFound, startWriters } from '../support/logWriters.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(1));
const relay = opened.use(await startDatabaseRelay(stores.postgres.urlOf('postgres')));
const proxy = opened.use(await startFaultyProxy(stores.s3Endpoint));
const living = opened.use(await startTestService({ environment: stores.settings() }));
const owner = await addPerson(living, { isOwner: true });
const running = opened.move();
after(() => running.disposeAsync());
const { token } = stores;
const recoveryMsMax = 60_000;

type Node = AsyncDisposable & { service: ServiceProcess; url: string; killAndWipe(): Promise<void> };

/** Starts the node whose database connection can be cut. */
async function startNode(): Promise<Node> {
  const directory = await makeDirectory();
  const environment = { ...stores.settings(proxy.endpoint), TAPEDECK_DATABASE_URL: relay.url };
  const service = await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory.path });
  const killAndWipe = async () => {
    await service[Symbol.asyncDispose]();
    await rm(directory.path, { recursive: true, force: true, maxRetries: 20 });
  };
  return { service, url: service.url, killAndWipe, [Symbol.asyncDispose]: killAndWipe };
}

type Sent = { dataset: string; message: string; key?: string };

async function post(node: { url: string }, { dataset, message, key }: Sent): Promise<number> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await fetch(`${node.url}/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify([{ level: 'info', message }]),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Retries until the service accepts them. */
async function postAtLast(node: { url: string }, sent: Sent): Promise<void> {
  const deadline = performance.now() + recoveryMsMax;
  while ((await post(node, sent)) !== 200) {
    assert.ok(performance.now() < deadline, 'entries are accepted');
    await wait(50);
  }
}

/** Returns null if refused with 503. */
async function read(node: { url: string }, dataset: string): Promise<string[] | null> {
  const response = await fetch(`${node.url}/api/v3/logs?dataset=${dataset}&order=asc&limit=1000`, {
    headers: { authorization: token },
  });
  if (response.status === 503) return null;
  return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body).toSorted();
}

async function readAtLast(node: { url: string }, dataset: string): Promise<string[]> {
  const deadline = performance.now() + recoveryMsMax;
  for (let found = await read(node, dataset); ; found = await read(node, dataset)) {
    if (found !== null) return found;
    assert.ok(performance.now() < deadline, 'queries get responses again');
    await wait(50);
  }
}

test('a node without the database continues; others find its entries, or the query fails', async () => {
  await using cut = await startNode();
  await postAtLast(cut, { dataset: 'cut', message: 'before' });
  using away = relay.cut();
  const sent = ['before'];
  let answered = 0;
  const deadline = performance.now() + 5 * recoveryMsMax;
  for (let number = 100; answered < 3; number++) {
    const message = `m${number}`;
    await postAtLast(cut, { dataset: 'cut', message });
    sent.push(message);
    const found = await read(living, 'cut');
    assert.ok(performance.now() < deadline, `${answered} queries got responses`);
    if (found === null) {
      await wait(50);
      continue;
    }
    answered++;
    assert.deepEqual(found, sent.toSorted());
  }
  assert.equal(await read(cut, 'cut'), null, 'that node cannot tell');
  assert.equal(await post(cut, { dataset: 'cut', message: 'keyed', key: 'a' }), 503);
  await cut.killAndWipe();
  away[Symbol.dispose]();
  assert.deepEqual(await readAtLast(living, 'cut'), sent.toSorted());
});

test('a deletion covers earlier entries of a node without the database, and no later ones', async () => {
  await using cut = await startNode();
  await postAtLast(cut, { dataset: 'gone', message: 'before' });
  using away = relay.cut();
  await postAtLast(cut, { dataset: 'gone', message: 'before, too' });
  const goes = { params: { project: 'default', dataset: 'gone' } };
  const deadline = performance.now() + recoveryMsMax;
  while (!(await owner.send(deleteDataset, goes)).ok) {
    assert.ok(performance.now() < deadline, 'it is deleted');
    await wait(50);
  }
  await postAtLast(cut, { dataset: 'gone', message: 'after' });
  away[Symbol.dispose]();
  await postAtLast(cut, { dataset: 'gone', message: 'later' });
  for (const node of [living, cut]) assert.deepEqual(await readAtLast(node, 'gone'), ['after', 'later']);
});

test('entries in flight when the database went silent are stored once, however late it responds', async () => {
  await using held = await startNode();
  await postAtLast(held, { dataset: 'held', message: 'before' });
  using away = relay.hold();
  const statuses = await Promise.all([1, 2, 3].map(n => post(held, { dataset: 'held', message: `m${n}` })));
  assert.deepEqual(statuses, [200, 200, 200]);
  away[Symbol.dispose]();
  await postAtLast(held, { dataset: 'held', message: 'n' });
  for (const node of [living, held])
    assert.deepEqual(await readAtLast(node, 'held'), ['before', 'm1', 'm2', 'm3', 'n']);
});

test('without bucket and database nothing is acknowledged, and nothing is stored in part', async () => {
  await using lone = await startNode();
  using away = relay.cut();
  await postAtLast(lone, { dataset: 'lone', message: 'noted' });
  proxy.plan('PUT', [], 'answer 503');
  assert.equal(await post(lone, { dataset: 'lone', message: 'refused' }), 503);
  const ready = await fetch(`${lone.url}/readyz?role=intake`);
  assert.match(await ready.text(), ready.status === 503 ? /bucket/ : /ok/);
  proxy.plan('', []);
  await postAtLast(lone, { dataset: 'lone', message: 'taken' });
  away[Symbol.dispose]();
  assert.deepEqual(await readAtLast(living, 'lone'), ['noted', 'taken']);
});

/** Checks that possible work continues and the service reports its state. */
async function tellReadiness(): Promise<void> {
  for (const [role, expected] of [
    ['intake', 200],
    ['query', 503],
    ['media', 200],
  ] as const) {
    const ready = await living.fetch(`/readyz?role=${role}`);
    assert.equal(ready.status, expected, `${role}: ${await ready.text()}`);
  }
  const metrics = await (await living.fetch('/metrics')).text();
  assert.doesNotMatch(metrics, /^tapedeck_log_journal_entries /m, 'nobody can tell what is pending');
}

const absences: readonly { name: string; begin: () => Promise<() => Promise<void>> }[] = [
  {
    name: 'is down',
    begin: async () => {
      await stores.postgres.crash();
      return () => stores.postgres.restart();
    },
  },
  {
    name: 'is frozen',
    begin: async () => {
      const thaw = stores.postgres.freeze();
      return async () => thaw();
    },
  },
  {
    name: 'is read-only',
    begin: async () => {
      await change('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
      return () => change('alter system set default_transaction_read_only = off', 'select pg_reload_conf()');
    },
  },
  {
    name: 'is full',
    begin: async () => {
      await change(
        `create function find_no_room() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
        'create trigger full_disk before insert on log_segments for each row execute function find_no_room()',
      );
      return () => change('drop trigger full_disk on log_segments');
    },
  },
];

/** Changes the bucket's server as its operator or a full disk would. */
async function change(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: stores.postgres.urlOf('postgres') });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

for (const { name, begin } of absences) {
  test(`the database ${name} for all: entries are accepted, and none is lost with a node and its disk`, async () => {
    await using dying = await startNode();
    const write = (url: string, prefix: string) =>
      startWriters({ url, token }, { writers: 3, rowsMax: 20, prefix: `${name} ${prefix}`, pauseMs: 40 });
    using there = write(dying.url, 'there');
    using here = write(living.url, 'here');
    const grow = async ({ written }: typeof here, count: number) => {
      const deadline = performance.now() + recoveryMsMax;
      for (const wanted = written.acknowledged.size + count; written.acknowledged.size < wanted; ) {
        assert.ok(performance.now() < deadline, `${JSON.stringify([...written.refusals])}`);
        await wait(10);
      }
    };
    await grow(there, 5);
    const end = await begin();
    await using stack = new AsyncDisposableStack();
    stack.defer(end);
    // Meanwhile requests with keys wait for the database.
    await postAtLast(dying, { dataset: 'alone', message: 'a' });
    await postAtLast(living, { dataset: 'alone', message: 'b' });
    assert.equal(await read(living, 'alone'), null);
    await tellReadiness();
    await dying.killAndWipe();
    await stack.disposeAsync();
    await grow(here, 5);
    const acknowledged = new Map([...(await here.stop()).acknowledged, ...there.written.acknowledged]);
    await readAtLast(living, 'default');
    assertComplete(await compareFound({ url: living.url, token }, acknowledged));
    const deleted = owner.send(deleteDataset, { params: { project: 'default', dataset: 'alone' } });
    assert.ok((await deleted).ok);
  });
}
