/** Readers of exports and tails that stop reading: the service cuts them off and frees what they held. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { revokeToken } from '@tapedeck/contract/tokens';
import { WebSocket } from 'ws';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ timeouts: { readingPauseMsMax: 5_000 } });
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const exportsAtOnce = 4;
const cutMsMax = 30_000; // the machine may be busy; the default timeout would take two minutes
const batches = 4; // 36 MB: more than any system buffers for a connection
const clientsPing = Buffer.from('898000000000', 'hex'); // RFC 6455, 5.5.2, masked with zeros
const handshake = {
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const large = Array.from({ length: 150 }, () => ({ level: 'info', message: 'x'.repeat(60_000) }));

const lokiTail = (dataset: string) =>
  `/loki/api/v1/tail?query=${encodeURIComponent(`{dataset="${dataset}"}`)}`;

/** Receives the first bytes of the response, and reads no further. */
async function standStill(path: string, headers: Record<string, string>): Promise<Socket> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  socket.on('error', () => {}); // the service cuts it
  socket.write(compose(`GET ${path}`, headers));
  await once(socket, 'readable');
  return socket;
}

/** Detects the cut by writing, since reading would end the standstill. */
async function untilCut(socket: Socket, sent: string | Buffer = '\r\n'): Promise<void> {
  const deadline = performance.now() + cutMsMax;
  while (!socket.closed) {
    assert.ok(performance.now() < deadline, 'the connection stays open');
    socket.write(sent);
    await wait(20);
  }
}

test('exports with stalled readers are cut off, and let others through', async () => {
  for (let batch = 0; batch < batches; batch++) await store(large, 'held');
  const still = await Promise.all(
    Array.from({ length: exportsAtOnce }, () =>
      standStill('/api/v3/logs/export?dataset=held', { Authorization: token }),
    ),
  );
  const startedAt = performance.now();
  const text = await (await get('/export?dataset=held')).text();
  assert.ok(performance.now() - startedAt < cutMsMax);
  assert.equal(text.split('\n').length, batches * large.length + 1);
  for (const socket of still) await untilCut(socket);
});

test('a stalled follower with a revoked token is cut off, and affects nobody', async () => {
  const held = await addToken(owner, { kind: 'logs' });
  const still = await standStill('/api/v3/logs/tail?dataset=followed', { Authorization: held.token });
  await using reader = await follow(service.url, 'dataset=followed', { token });
  for (let batch = 0; batch < batches; batch++) {
    await store(large, 'followed');
    await reader.takeBodies(large.length); // the other reader has been sent as much as it accepts
  }
  await owner.call(revokeToken, { params: { project: 'default', token: held.id } });
  await untilCut(still);
  await store([{ level: 'info', message: 'afterwards' }], 'followed');
  assert.deepEqual(await reader.takeBodies(1), ['afterwards']);
});

test("Loki's followers who read nothing are cut off, whether entries arrive or not", async () => {
  const begin = (dataset: string) => standStill(lokiTail(dataset), { Authorization: token, ...handshake });
  const still = await Promise.all([begin('told'), begin('quiet')]);
  const url = `${service.url.replace('http', 'ws')}${lokiTail('told')}`;
  const reader = new WebSocket(url, { headers: { authorization: token } });
  let received = 0;
  reader.on('message', data => {
    received += String(data).split('x'.repeat(60_000)).length - 1;
  });
  await once(reader, 'open');
  for (let batch = 0; batch < batches; batch++) await store(large, 'told');
  await Promise.all(still.map(socket => untilCut(socket, clientsPing)));
  while (received < batches * large.length) await once(reader, 'message');
  assert.equal(reader.readyState, reader.OPEN);
  reader.terminate();
});
