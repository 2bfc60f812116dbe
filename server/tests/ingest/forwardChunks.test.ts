/** Chunks of Fluentd's forward protocol that exceed the size of a request, or arrive twice. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { limits } from '@tapedeck/domain/vocabulary';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { bytes, greet, list, map, nil, open, receive, text } from '../support/listenerSenders.ts';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-large-chunks-0123456789';
const port = await findFreePort();
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_FORWARD: `tcp://127.0.0.1:${port}` },
});
after(() => service[Symbol.asyncDispose]());

/** Sends each message on a new connection, and resolves once it is acknowledged. */
async function send(tag: string, chunk: string, ...parts: Buffer[]): Promise<void> {
  const socket = await open(port);
  await greet(socket, token);
  socket.write(list(text(tag), ...parts));
  assert.ok((await receive(socket)).includes(chunk));
  socket.destroy();
}

async function count(tag: string): Promise<number> {
  const path = `/api/v3/logs?limit=1&includeTotal=true&query=${encodeURIComponent(`resource:${tag}`)}`;
  const response = await service.fetch(path, { headers: { authorization: token } });
  const { pagination } = (await response.json()) as { pagination: { total: number } }; // CONTRACT.md, 4.2
  return pagination.total;
}

const event = (message: Buffer) =>
  list(nil, Buffer.concat([Buffer.from([0x81]), text('message'), bytes(message)]));

test('a chunk that unpacks to more than a request may hold is stored whole, and acknowledged once', async () => {
  const packed = Buffer.concat(
    Array.from({ length: 400 }, (_, index) => event(Buffer.from(`${index} `.padEnd(60_000, 'x')))),
  );
  const options = (compressed: string) => map({ chunk: `large ${compressed}`, compressed });
  await send('large.gzip', 'large gzip', bytes(gzipSync(packed)), options('gzip'));
  await send('large.zstd', 'large zstd', bytes(zstdCompressSync(packed)), options('zstd'));
  assert.equal(await count('large.gzip'), 400);
  assert.equal(await count('large.zstd'), 400);
});

test('the same applies to more events than a request may hold', async () => {
  const empty = Buffer.concat(Array<Buffer>(100_200).fill(list(nil, Buffer.from([0x80]))));
  await send('many', 'many', bytes(gzipSync(empty)), map({ chunk: 'many', compressed: 'gzip' }));
  assert.equal(await count('many'), 100_200);
});

test('a resent chunk is stored once, and another one of the same name as well', async () => {
  const options = map({ chunk: 'again' });
  for (let round = 0; round < 3; round++)
    await send('again', 'again', bytes(event(Buffer.from('the same'))), options);
  assert.equal(await count('again'), 1);
  await send('again', 'again', bytes(event(Buffer.from('another'))), options);
  assert.equal(await count('again'), 2);
});

/** Prefixes bytes with their length in four bytes. */
const long = (head: number, length: number, value: Buffer) => {
  const size = Buffer.from([head, 0, 0, 0, 0]);
  size.writeUInt32BE(length, 1);
  return Buffer.concat([size, value]);
};

const eventsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => event(Buffer.from(`${name} ${index} `.padEnd(60_000, 'x'))));

test('a message of any length is stored in each form, and once if it is repeated', async () => {
  const events = eventsOf(220, 'long'); // 13 MB
  const packed = Buffer.concat(events);
  const noise = () => event(Buffer.from(randomBytes(22_500).toString('base64')));
  const zipped = gzipSync(Buffer.concat(Array.from({ length: 480 }, noise)), { level: 1 });
  const rows: [tag: string, count: number, body: Buffer, options: Record<string, string>][] = [
    ['long.packed', events.length, long(0xc6, packed.length, packed), {}],
    ['long.list', events.length, long(0xdd, events.length, packed), {}],
    ['long.zip', 480, long(0xc6, zipped.length, zipped), { compressed: 'gzip' }],
  ];
  for (const [tag, expected, body, options] of rows) {
    assert.ok(body.length > limits.logBatchBytesMax);
    for (let round = 0; round < 2; round++) {
      await send(tag, tag, body, map({ chunk: tag, ...options }));
      assert.equal(await count(tag), expected);
    }
  }
});

test('a long message without a name is stored, and so is the next one', async () => {
  const packed = Buffer.concat(eventsOf(200, 'nameless'));
  const socket = await open(port);
  await greet(socket, token);
  socket.write(list(text('nameless'), long(0xc6, packed.length, packed)));
  socket.write(list(text('behind'), bytes(event(Buffer.from('m'))), map({ chunk: 'behind' })));
  assert.ok((await receive(socket)).includes('behind'));
  socket.destroy();
  assert.deepEqual([await count('nameless'), await count('behind')], [200, 1]);
});

test('a truncated long message, or one with an overlong event, ends only its own connection', async () => {
  const packed = Buffer.concat(eventsOf(200, 'broken'));
  const cut = await open(port);
  await greet(cut, token);
  cut.end(Buffer.concat([Buffer.from([0x92]), text('broken'), long(0xc6, 2 * packed.length, packed)]));
  cut.resume();
  await once(cut, 'close');
  const huge = await open(port);
  await greet(huge, token);
  const record = Buffer.concat([
    Buffer.from([0x92, 0xc0, 0x81]),
    text('k'),
    long(0xc6, 20_000_000, Buffer.alloc(100)),
  ]);
  huge.on('error', () => {}); // the service closes it
  huge.write(Buffer.concat([Buffer.from([0x92]), text('huge'), long(0xc6, 40_000_000, record)]));
  huge.resume();
  await once(huge, 'close');
  const warnings = service.logged.filter(line =>
    /within a message|event may hold at most 10485760/.test(line),
  );
  assert.equal(warnings.length, 2);
  assert.equal(await count('huge'), 0);
  await send('again', 'later', bytes(event(Buffer.from('later'))), map({ chunk: 'later' }));
});
