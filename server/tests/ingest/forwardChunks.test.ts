/** Chunks of Fluentd's forward protocol that are larger than a request may be, or come twice. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { bytes, greet, list, map, nil, open, receive, text } from '../support/listenerSenders.ts';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-large-chunks-0123456789';
const port = await findFreePort();
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_FORWARD: `tcp://127.0.0.1:${port}` },
});
after(() => service[Symbol.asyncDispose]());

/** Sends each message on a connection of its own, and resolves once it is acknowledged. */
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

test('so is one of more events than a request may hold', async () => {
  const empty = Buffer.concat(Array<Buffer>(100_200).fill(list(nil, Buffer.from([0x80]))));
  await send('many', 'many', bytes(gzipSync(empty)), map({ chunk: 'many', compressed: 'gzip' }));
  assert.equal(await count('many'), 100_200);
});

test('a chunk that is sent again is stored once, and another one of the same name beside it', async () => {
  const options = map({ chunk: 'again' });
  for (let round = 0; round < 3; round++)
    await send('again', 'again', bytes(event(Buffer.from('the same'))), options);
  assert.equal(await count('again'), 1);
  await send('again', 'again', bytes(event(Buffer.from('another'))), options);
  assert.equal(await count('again'), 2);
});
