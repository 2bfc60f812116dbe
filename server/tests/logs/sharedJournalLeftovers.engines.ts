/** Leftovers are stored or removed: a journal on disk, segments of a removed shard, and orphaned objects. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { nameNote, nameSegment, silentLog, sweepSegments } from '@tapedeck/log-store/testing';
import { openMetadataStore } from '@tapedeck/metadata-store';
import pg from 'pg';
import { readAs } from '../support/jsonAnswers.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(1));
const { path } = opened.use(await makeDirectory());
const running = opened.move();
after(() => running.disposeAsync());
const { token } = stores;
const recoveryMsMax = 90_000;
const environment = { ...stores.settings(), TAPEDECK_DATA_DIR: path };

async function post(node: ServiceProcess, message: string, key: string | null = null): Promise<number> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await fetch(`${node.url}/api/v3/logs?dataset=left`, {
    method: 'POST',
    headers: { ...headers, ...(key !== null && { 'idempotency-key': key }) },
    body: JSON.stringify([{ level: 'info', message }]),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Returns null if refused with 503. */
async function read(node: ServiceProcess): Promise<string[] | null> {
  const response = await fetch(`${node.url}/api/v3/logs?dataset=left&order=asc`, {
    headers: { authorization: token },
  });
  if (response.status === 503) return null;
  return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body);
}

async function readAtLast(node: ServiceProcess): Promise<string[]> {
  const deadline = performance.now() + recoveryMsMax;
  for (let found = await read(node); ; found = await read(node)) {
    if (found !== null) return found;
    assert.ok(performance.now() < deadline, 'queries get responses');
    await wait(100);
  }
}

/** Runs work at a node that dies while the shard accepts nothing. */
async function dieWithoutShard(
  settings: Record<string, string>,
  work: (node: ServiceProcess) => Promise<void>,
): Promise<void> {
  const engine = stores.shards.engines[0]!.processId()!;
  await using node = await startProcess({ ...environment, ...settings });
  process.kill(engine, 'SIGSTOP');
  try {
    await work(node);
    await node[Symbol.asyncDispose]();
  } finally {
    process.kill(engine, 'SIGCONT');
  }
}

test('a node that switches to the bucket hands over its journal on disk, and its keys stay valid', async () => {
  await dieWithoutShard({ TAPEDECK_JOURNAL: 'disk' }, async node => {
    assert.equal(await post(node, 'on the disk'), 200);
    assert.equal(await post(node, 'with a key', 'a'), 200);
  });
  await using node = await startProcess(environment);
  assert.equal(await post(node, 'in the bucket'), 200);
  assert.equal(await post(node, 'with a key', 'a'), 200);
  assert.equal(await post(node, 'other', 'a'), 422);
  assert.deepEqual(await readAtLast(node), ['on the disk', 'with a key', 'in the bucket']);
});

test('segments of a removed shard wait for a command, then go to the others', async () => {
  await dieWithoutShard({}, async node => assert.equal(await post(node, 'stranded'), 200));
  const client = new pg.Client({ connectionString: stores.postgres.urlOf('postgres') });
  await client.connect();
  await client.query(
    `update log_segments set state = 'importing', shard = 'gone', import = 'i', import_until = 1 where state in ('waiting', 'importing')`,
  );
  await client.end();
  await using node = await startProcess(environment);
  assert.equal(await read(node), null, 'nobody knows whether that shard has them');
  const deadline = performance.now() + recoveryMsMax;
  while (!node.lines.some(line => line.includes('run `tapedeck adopt`'))) {
    assert.ok(performance.now() < deadline, 'the log says what to do');
    await wait(50);
  }
  assert.match(await tapedeck(['adopt', '--dry-run'], environment), /1 segments .* would go/);
  assert.match(await tapedeck(['adopt'], environment), /1 segments .* go to the others/);
  assert.ok((await readAtLast(node)).includes('stranded'));
});

test('removes old objects without segments, and nothing else', async () => {
  await using store = await openMetadataStore({
    kind: 'postgres',
    url: stores.postgres.urlOf('postgres'),
  });
  const { logSegments: registry } = store;
  const { objects: bucket } = stores;
  const now = await registry.readClock();
  const [orphan, damaged, done] = [now - 1_200_000, now - 1_200_000, now - 1_200_000].map(nameSegment);
  const young = nameSegment(now - 60_000);
  const facts = { shard: 'none', rows: 1, bytes: 1, isSpread: false };
  for (const name of [damaged!, done!])
    await registry.register({ name, ...facts }, { until: now + 1e9, keys: [] });
  await registry.begin({ name: 'i', shard: 'none', until: 1 }, [done!]);
  await registry.end('i');
  await registry.setAside(damaged!);
  await registry.openWriter('w', now + 1e9);
  await registry.registerNotes({ writer: 'w', from: 0, to: 1 }, []);
  const notes = [
    { writer: 'w', number: 0 },
    { writer: 'w', number: 1 },
    { writer: 'unknown', number: 7 },
  ].map(nameNote);
  for (const name of [orphan!, damaged!, done!, young, 'readme', ...notes])
    await bucket.put(name, Buffer.from('x'));
  await sweepSegments({ log: silentLog, bucket, registry }, new AbortController().signal);
  const left = await Array.fromAsync(bucket.list(''));
  const mine = [orphan!, damaged!, done!, young, 'readme', ...notes];
  assert.deepEqual(
    left.filter(name => mine.includes(name)),
    [damaged!, young, notes[1]!, 'readme'].toSorted(),
  );
  await registry.closeWriter({ id: 'w', notes: 1, leasedUntil: null });
});
