/** A ClickHouse that takes requests and never answers: entries are kept, and whoever asks is told in time. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { logQueryTimeMsMax } from '../src/stores/logs/query/running.ts';
import { describeRefusal } from './client.ts';
import { openLogDoor } from './logDoor.ts';
import { startTestService } from './service.ts';

await using opened = new AsyncDisposableStack();
const sockets = new Set<Socket>();
const silent = createServer(socket => {
  sockets.add(socket);
  socket.on('error', () => socket.destroy()).resume();
}).listen(0, '127.0.0.1');
await once(silent, 'listening');
opened.defer(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await once(silent, 'close');
});
const { port } = silent.address() as AddressInfo; // listens on a port, not on a socket's path
const environment = { TAPEDECK_CLICKHOUSE_URL: `http://127.0.0.1:${port}` };
const service = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());
const { get, post } = await openLogDoor(service);

describe('while ClickHouse is silent', () => {
  it('questions are refused after their time, all at once', async () => {
    const questions = ['', '?includeTotal=true', '/histogram', '/facets?field=level', '/datasets'];
    const startedAt = performance.now();
    const answers = await Promise.all(questions.map(question => get(question)));
    const ms = performance.now() - startedAt;
    for (const answer of answers) assert.equal(await describeRefusal(answer), '503 query_timeout');
    assert.ok(ms > logQueryTimeMsMax - 100 && ms < logQueryTimeMsMax + 5_000, `${ms} ms`);
  });

  it('entries are taken in, and whoever asks for them is refused soon', async () => {
    const startedAt = performance.now();
    assert.equal((await post([{ level: 'info', message: 'kept' }])).status, 200);
    assert.ok(performance.now() - startedAt < 1_000);
    assert.equal(await describeRefusal(await get('')), '503 engine_unavailable');
  });
});
