/** Tests that a stop waits for responses in progress, and that idle connections close a little late. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { serveFast } from './fastConnections.ts';
import type { FastPath } from './fastPath.ts';
import type { PlainAnswer } from './simpleMessages.ts';

const plain: PlainAnswer = { status: 200, head: 'content-length: 5\r\n', body: 'plain' };

async function startServer(fastPath: FastPath, keepAliveTimeout = 5_000, headersMsMax = 10_000) {
  const server = createServer({ keepAliveTimeout }, (_request, response) => response.end('routed'));
  const connections = serveFast(server, {
    fastPath,
    headersMsMax,
    headersBytesMax: 16_384,
    bodyBytesMax: 1_024,
    openAccount: () => ({ add: () => true, release: () => undefined }),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server listens on a port, not on a socket's path
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const heard = { text: '' };
  socket.on('data', text => {
    heard.text += text;
  });
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return { server, connections, socket, heard, ask };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve));
}

function countAnswers({ text }: { text: string }): number {
  return text.split('HTTP/1.1 200').length - 1;
}

test('a stop waits for the response in progress, even the second on a connection', async () => {
  const made: (() => void)[] = [];
  const answer = () => new Promise<PlainAnswer>(resolve => made.push(() => resolve(plain)));
  const { server, connections, socket, heard, ask } = await startServer({ admit: () => null, answer });
  ask('/one');
  await until(() => made.length === 1);
  ask('/two');
  made[0]?.();
  await until(() => made.length === 2 && countAnswers(heard) === 1);
  connections.beginStop();
  server.close();
  made[1]?.();
  await once(socket, 'close');
  assert.equal(countAnswers(heard), 2);
  assert.match(heard.text, /Connection: close\r\n\r\nplain$/);
});

test('the ordinary server answers a request that fails on the fast path', async () => {
  const fastPath: FastPath = {
    admit: () => null,
    answer: () => Promise.reject(new Error('the fast path is stuck')),
  };
  const { server, socket, heard, ask } = await startServer(fastPath);
  ask('/one');
  await until(() => heard.text.includes('routed'));
  socket.destroy();
  server.close();
});

test('an idle connection stays open a little longer than announced', async () => {
  const { server, socket, heard, ask } = await startServer({ admit: () => null, answer: () => plain }, 1_000);
  const startedAt = performance.now();
  ask('/one');
  await once(socket, 'close');
  assert.match(heard.text, /Keep-Alive: timeout=1\r\n/);
  assert.ok(performance.now() - startedAt > 1_500);
  server.close();
});

test('a handed-over connection stays open as long, even after queued responses', async () => {
  const { server, socket, heard } = await startServer({ admit: () => null, answer: () => null }, 1_000);
  const waiting: ServerResponse[] = [];
  server.removeAllListeners('request').on('request', (_request, response) => {
    waiting.push(response);
    // Exceeds the buffer behind the first response, so that the server stops reading after the next request.
    if (waiting.length === 2) response.end(Buffer.alloc(200_000));
  });
  const head = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  socket.write(`${head}${head}${head}GET`);
  await until(() => waiting.length === 3);
  socket.write(head.slice(3));
  for (let turns = 0; turns < 100; turns += 1) await new Promise(resolve => setImmediate(resolve));
  assert.equal(waiting.length, 3);
  waiting[2]?.end();
  waiting[0]?.end();
  await until(() => waiting.length === 4);
  waiting[3]?.end();
  const startedAt = performance.now();
  await once(socket, 'close');
  assert.equal(countAnswers(heard), 4);
  assert.ok(performance.now() - startedAt > 1_500);
  server.close();
});

test('answers a request that arrives while the process is busy, however late it is read', async () => {
  const fastPath = { admit: () => null, answer: () => plain };
  const { server, socket, heard, ask } = await startServer(fastPath, 0, 50);
  await once(server, 'connection');
  ask('/one');
  const busyUntil = performance.now() + 200;
  while (performance.now() < busyUntil); // the timer is due before the next bytes are read
  await until(() => heard.text !== '');
  assert.equal(countAnswers(heard), 1);
  socket.destroy();
  server.close();
});
