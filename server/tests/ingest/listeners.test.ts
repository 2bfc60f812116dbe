/** Listeners beside HTTP, over real sockets: syslog by UDP and TCP, and Fluentd's forward protocol. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
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

const token = 'logs-token-of-the-listeners-0123456789';
const syslogPort = await findFreePort();
const forwardPort = await findFreePort();
const environment = {
  TAPEDECK_LOGS_TOKEN: token,
  TAPEDECK_SYSLOG: `udp://127.0.0.1:${syslogPort},tcp://127.0.0.1:${syslogPort}`,
  TAPEDECK_FORWARD: `tcp://127.0.0.1:${forwardPort}`,
};
const service = await startTestService({ environment });
after(() => service[Symbol.asyncDispose]());

const find = (query: string, count: number) => findEntries(service, { token, query, count });

test('syslog by UDP', async () => {
  const socket = createSocket('udp4');
  socket.send('<11>1 - web-1 udp-app 7 - [a@1 k="v"] by udp\0', syslogPort, '127.0.0.1', () =>
    socket.close(),
  );
  const [entry] = await find('resource:udp-app', 1);
  assert.deepEqual([entry?.level, entry?.body], ['error', 'by udp']);
  assert.deepEqual(entry?.metadata, { facility: 'user', host: 'web-1', pid: '7', 'a@1.k': 'v' });
});

test('syslog by TCP: with octet counts, lines and NUL, and an unterminated message at the end', async () => {
  const socket = await open(syslogPort);
  socket.write('27 <14>1 - h tcp-app - - - one');
  socket.write('<14>1 - h tcp-app - - - two\n<14>1 - h tcp-app - - - three\0');
  socket.end('<14>1 - h tcp-app - - - four');
  const entries = await find('resource:tcp-app', 4);
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['one', 'two', 'three', 'four'],
  );
});

const event = (message: string) => list(nil, map({ message }));

test('syslog by TCP: stores a NUL-terminated line while the connection stays open', async () => {
  const socket = await open(syslogPort);
  socket.write('<14>1 - h nul-app - - - one\0<14>1 - h nul-app - - - two\n');
  const entries = await find('resource:nul-app', 2);
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['one', 'two'],
  );
  socket.destroy();
});

test('forward: stores each form, and acknowledges it afterwards', async () => {
  const socket = await open(forwardPort);
  assert.ok((await greet(socket, token)).includes('PONG'));
  const packed = Buffer.concat([event('packed 1'), event('packed 2')]);
  const forms: [chunk: string, ...parts: Buffer[]][] = [
    ['single', Buffer.from([0xc0]), map({ message: 'alone' })],
    ['list', list(event('listed'))],
    ['packed', bytes(packed)],
  ];
  for (const [chunk, ...parts] of forms) {
    socket.write(list(text('fluent.test'), ...parts, map({ chunk })));
    const ack = await receive(socket);
    assert.ok(ack.includes('ack') && ack.includes(chunk), ack.toString('latin1'));
  }
  const compressed = { gzip: gzipSync, zstd: zstdCompressSync };
  for (const [name, compress] of Object.entries(compressed)) {
    const options = map({ chunk: name, compressed: name });
    socket.write(list(text('fluent.test'), bytes(compress(event(`by ${name}`))), options));
    assert.ok((await receive(socket)).includes(name));
  }
  socket.end();
  const entries = await find('resource:fluent.test', 6);
  assert.deepEqual(entries.map(({ body }) => body).toSorted(), [
    'alone',
    'by gzip',
    'by zstd',
    'listed',
    'packed 1',
    'packed 2',
  ]);
});

test('forward: rejects another key, and a sender without a key', async () => {
  const outsider = await open(forwardPort);
  assert.ok((await greet(outsider, 'another key')).includes('shared_key mismatch'));
  await once(outsider, 'close');
  const silent = await open(forwardPort);
  await receive(silent);
  silent.write(list(text('fluent.none'), Buffer.from([0xc0]), map({ message: 'no key' })));
  await once(silent, 'close');
});

test('forward: an invalid message ends the connection and stores nothing', async () => {
  for (const bad of [Buffer.from([0xc1]), list(text('x')), Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff])]) {
    const socket = await open(forwardPort);
    await greet(socket, token);
    socket.end(bad);
    socket.resume();
    await once(socket, 'close');
  }
  assert.deepEqual(await find('resource:x', 0), []);
});

test('a stop ends open connections', async () => {
  const port = await findFreePort();
  const { TAPEDECK_LOGS_TOKEN } = environment;
  const place = `tcp://127.0.0.1:${port}`;
  const stopping = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN, TAPEDECK_SYSLOG: place } });
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('<14>1 - h last - - - words\n');
  const closed = once(socket, 'close');
  await stopping[Symbol.asyncDispose]();
  await closed;
});
