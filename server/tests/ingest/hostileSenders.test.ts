/** Misbehaving senders of syslog and the forward protocol: none stops the service or fills its memory or log. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import {
  bytes,
  findEntries,
  greet,
  list,
  map,
  nil,
  open,
  receive,
  text,
} from '../support/listenerSenders.ts';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-hostile-senders-0123456789';
const syslogPort = await findFreePort();
const forwardPort = await findFreePort();
const service = await startTestService({
  environment: {
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_SYSLOG: `udp://127.0.0.1:${syslogPort},tcp://127.0.0.1:${syslogPort}`,
    TAPEDECK_FORWARD: `tcp://127.0.0.1:${forwardPort}`,
  },
});
after(() => service[Symbol.asyncDispose]());
const find = (query: string, count: number) => findEntries(service, { token, query, count });

/** Returns log lines that contain the sentence. */
const loggedLines = (sentence: string) => service.logged.filter(line => line.includes(sentence));

async function end(socket: Socket, last: string | Buffer = ''): Promise<void> {
  socket.on('error', () => {}); // the service may have closed it
  socket.end(last);
  socket.resume();
  await once(socket, 'close');
}

test('reports meaningless bytes once', async () => {
  for (let round = 0; round < 30; round++) {
    const socket = await open(forwardPort);
    await greet(socket, token);
    await end(socket, Buffer.from([0xc1, round]));
    await end(await open(forwardPort), Buffer.from([0xff, 0x00, round]));
    const line = await open(syslogPort);
    await end(line, Buffer.from(`\u0000\u0001\u0002 nonsense-${round}`));
  }
  assert.equal(loggedLines('not valid MessagePack').length, 1);
  assert.equal((await find('nonsense', 30)).length, 30);
});

test('reports a wrong key once', async () => {
  for (let round = 0; round < 5; round++) {
    const socket = await open(forwardPort);
    await greet(socket, 'another key');
    await end(socket);
  }
  assert.equal(loggedLines('shared key does not match the token').length, 1);
});

test('a sender may not send much before it presents the key', async () => {
  for (const begin of [Buffer.from([0xdb, 0x00, 0x80, 0x00, 0x00]), Buffer.alloc(20_000, 0x91)]) {
    const socket = await open(forwardPort);
    await receive(socket);
    socket.on('error', () => {});
    socket.write(begin);
    socket.resume();
    await once(socket, 'close');
  }
  assert.equal(loggedLines('at most 8192 bytes').length, 1);
});

test('reports too many connections of one address once, and accepts more when some close', async () => {
  const sockets = await Promise.all(Array.from({ length: 150 }, () => open(syslogPort)));
  const closed = sockets.map(async socket => {
    socket.on('error', () => {});
    socket.resume();
    if (!socket.closed) await once(socket, 'close');
  });
  await Promise.race(closed);
  assert.equal(loggedLines('Too many connections were opened').length, 1);
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  for (;;) {
    const socket = await open(syslogPort);
    const isClosed = await Promise.race([once(socket, 'close').then(() => true), wait(200, false)]);
    if (isClosed) continue;
    await end(socket, Buffer.from('<14>1 - h room-again - - - x\n'));
    break;
  }
  await find('resource:room-again', 1);
});

test('a sender that never reads its acknowledgements blocks only itself', async () => {
  const deaf = await open(forwardPort);
  await greet(deaf, token);
  deaf.pause();
  deaf.on('error', () => {});
  const message = list(text('deaf'), nil, map({ message: 'm' }), map({ chunk: 'c'.repeat(250) }));
  const many = Buffer.concat(Array<Buffer>(100).fill(message));
  let isWaiting = false;
  for (let sent = 0; sent < 2000 && !isWaiting; sent++) {
    if (deaf.write(many)) continue;
    isWaiting = await Promise.race([once(deaf, 'drain').then(() => false), wait(1500, true)]);
  }
  assert.ok(isWaiting, 'the service kept reading');
  const socket = await open(forwardPort);
  await greet(socket, token);
  socket.write(list(text('hearing'), nil, map({ message: 'm' }), map({ chunk: 'heard' })));
  assert.ok((await receive(socket)).includes('heard'));
  socket.destroy();
  deaf.destroy();
});

test('stores any datagram as an entry, and keeps listening', async () => {
  const socket = createSocket('udp4');
  const long = 'v'.repeat(20_000);
  const datagrams = [
    Buffer.from(`<14>1 - h odd-datagram - - [a k="${long}"] x`),
    Buffer.from(`<14>1 - ${long} odd-datagram - - - x`),
    Buffer.from(`<14>1 - h odd-datagram - - [a${' k="v"'.repeat(400)}] x`),
    Buffer.concat([Buffer.from('<14>1 - h odd-datagram - - - '), Buffer.from([0xff, 0xfe, 0x00, 0x80])]),
  ];
  for (const datagram of datagrams) socket.send(datagram, syslogPort, '127.0.0.1');
  assert.equal((await find('resource:odd-datagram', datagrams.length)).length, datagrams.length);
  socket.close();
});

test('stores everything it acknowledges, even beyond the limits', async () => {
  const socket = await open(forwardPort);
  await greet(socket, token);
  const far = Buffer.from([0xce, 0xff, 0xff, 0xff, 0xff]); // the year 2106
  const record = (message: string) =>
    Buffer.concat([Buffer.from([0x81]), text('message'), bytes(Buffer.from(message))]);
  for (const [chunk, time, value] of [
    ['long', nil, record('m'.repeat(65_535))],
    ['far', far, record('far')],
    ['value', nil, Buffer.concat([Buffer.from([0x81]), text('k'), bytes(Buffer.alloc(20_000, 'v'))])],
  ] as const) {
    socket.write(list(text('beyond'), time, value, map({ chunk })));
    assert.ok((await receive(socket)).includes(chunk));
  }
  socket.destroy();
  const entries = await find('resource:beyond', 3);
  assert.deepEqual(
    entries.map(({ body }) => body.length).toSorted((one, other) => one - other),
    [3, 20_008, 65_535],
  );
  assert.equal(entries.find(({ body }) => body === 'far')?.metadata.timestamp, '4294967295');
});
