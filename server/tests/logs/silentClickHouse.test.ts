/** A ClickHouse that accepts requests and never answers: entries are kept, and queries are refused in time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { logQueryTimeMsMax } from '@tapedeck/log-store/testing';
import { describeRefusal } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';
import { startShards } from './shards.ts';

await using opened = new AsyncDisposableStack();
const shards = opened.use(await startShards(1));
const { TAPEDECK_CLICKHOUSE_URL: url = '' } = shards.environment;
let isSilent = false;
const onward = new Map<Socket, Socket>();
/** A proxy in front of the real server. When silent, it keeps its connections. */
const listener = createServer(socket => {
  socket.on('error', () => socket.destroy());
  if (isSilent) {
    onward.set(socket, socket.resume());
    return;
  }
  const server = connect(Number(new URL(url).port), '127.0.0.1');
  server.on('error', () => socket.destroy());
  onward.set(socket, server);
  socket.pipe(server).pipe(socket);
  socket.on('close', () => server.destroy());
}).listen(0, '127.0.0.1');
await once(listener, 'listening');
opened.defer(async () => {
  for (const socket of onward.keys()) socket.destroy();
  listener.close();
  await once(listener, 'close');
});
const { port } = listener.address() as AddressInfo; // listens on a port, not on a socket's path
const environment = { TAPEDECK_CLICKHOUSE_URL: `http://127.0.0.1:${port}` };
const service = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());
const { get, post, store } = await openLogClient(service);

const recoverMsMax = 30_000; // a check of the tables times out after ten seconds

function fallSilent(): void {
  isSilent = true;
  for (const [socket, server] of onward) {
    socket.unpipe(server);
    server.unpipe(socket);
    socket.resume();
  }
}

test('queries time out all at once', async () => {
  await store([{ level: 'info', message: 'found' }], 'default');
  assert.equal((await get('')).status, 200);
  fallSilent();
  const questions = [
    '',
    '?includeTotal=true',
    '/histogram',
    '/series',
    '/facets?field=level',
    '/fields',
    '/comparison?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&baselineFrom=2026-01-01T00:00:00Z&baselineTo=2026-01-02T00:00:00Z',
    '/values?field=map',
    '/datasets',
    '/a/children',
  ];
  const startedAt = performance.now();
  const answers = await Promise.all(questions.map(question => get(question)));
  const ms = performance.now() - startedAt;
  for (const answer of answers) assert.equal(await describeRefusal(answer), '503 query_timeout');
  assert.ok(ms > logQueryTimeMsMax - 100 && ms < logQueryTimeMsMax + 5_000, `${ms} ms`);
});

test('entries are accepted, and queries fail soon', async () => {
  const startedAt = performance.now();
  assert.equal((await post([{ level: 'info', message: 'kept' }])).status, 200);
  assert.ok(performance.now() - startedAt < 1_000);
  assert.equal(await describeRefusal(await get('')), '503 engine_unavailable');
});

test('an engine that is silent at start is retried', async () => {
  await using late = await startTestService({ environment, besides: service });
  const { get: request } = await openLogClient(late);
  assert.equal(await describeRefusal(await request('')), '503 engine_unavailable');
  isSilent = false;
  for (const deadline = performance.now() + recoverMsMax; ; await wait(50)) {
    if ((await request('')).status === 200) break;
    assert.ok(performance.now() < deadline, 'it is not retried');
  }
});
