/** How a tail ends when the engine does not answer. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { openLogClient } from '../support/logSender.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const stopMsMax = 6_000; // a stop gives up after ten seconds

async function openTail(url: string, token: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(compose('GET /api/v3/logs/tail', { Authorization: token }));
  return socket;
}

/** Resolves when this process begins a request. */
function awaitRequest(): Promise<void> {
  return new Promise(resolve => {
    const receive = () => {
      unsubscribe('http.server.request.start', receive);
      resolve();
    };
    subscribe('http.server.request.start', receive);
  });
}

test('a stop does not wait for a tail that could not begin', async () => {
  await using service = await startTestService();
  const { token } = await openLogClient(service);
  const engine = await findEngineProcess(process.pid);
  assert.ok(engine !== null);
  process.kill(engine, 'SIGSTOP');
  const taken = awaitRequest();
  const socket = await openTail(service.url, token);
  const answered = once(socket, 'data');
  await taken;
  const stoppedAt = performance.now();
  const stopped = service[Symbol.asyncDispose]();
  const [answer] = await answered;
  assert.match(String(answer), /^HTTP\/1.1 503 /);
  process.kill(engine, 'SIGCONT');
  await stopped;
  assert.ok(performance.now() - stoppedAt < stopMsMax);
  socket.destroy();
});
