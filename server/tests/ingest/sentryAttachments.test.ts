/** Attachments in Sentry's envelopes: large ones become files, and those that cannot be kept do not cost their event. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { queryLogs } from '@tapedeck/contract/logs';
import { smallPng } from '@tapedeck/media-facts/samples';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { listTraces, mediaEnvironment, pathOf, readUsage } from '../support/uploading.ts';

const mebibyte = 1024 * 1024;
const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '16MiB' },
});
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

const encoders = { gzip: gzipSync, deflate: deflateSync };

type File = { filename: string; bytes: Buffer };

/** Bytes behind the end of a picture are kept, so a picture can have any length. */
function makePicture(mebibytes: number): Buffer {
  return Buffer.concat([smallPng, Buffer.alloc(mebibytes * mebibyte, 7)]);
}

/** Puts the files first, as some SDKs do, or behind the event. */
function makeEnvelope(message: string, files: readonly File[], { first = false } = {}): Buffer {
  const event = Buffer.from(`{"type":"event"}\n${JSON.stringify({ message })}\n`);
  const items = files.map(({ filename, bytes }) =>
    Buffer.concat([
      Buffer.from(`${JSON.stringify({ type: 'attachment', filename, length: bytes.length })}\n`),
      bytes,
      Buffer.from('\n'),
    ]),
  );
  return Buffer.concat([Buffer.from('{}\n'), ...(first ? [...items, event] : [event, ...items])]);
}

const countFiles = async () => (await readUsage(service)).files;
let datasets = 0;

async function open(kind: 'logs' | 'webhook') {
  const dataset = `sentry-${++datasets}`;
  const { token } = await addToken(owner, { kind, scopes: ['write', `dataset:${dataset}`] });
  const reader = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  const headers = { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${token}` };
  return {
    token,
    send: (body: Buffer, more: Record<string, string> = {}) =>
      service.fetch('/api/1/envelope/', {
        method: 'POST',
        headers: { ...headers, ...more },
        body: new Uint8Array(body),
      }),
    read: async () => (await reader.call(queryLogs, { query: { dataset } })).data,
  };
}

for (const first of [false, true])
  for (const encoding of ['identity', 'gzip', 'deflate'] as const)
    test(`a file of 15 MiB is kept: ${encoding}, ${first ? 'before' : 'behind'} its event`, async () => {
      const { send, read } = await open('webhook');
      const bytes = makePicture(15);
      const body = makeEnvelope('large', [{ filename: 'shot.png', bytes }], { first });
      const response =
        encoding === 'identity'
          ? await send(body)
          : await send(encoders[encoding](body), { 'content-encoding': encoding });
      assert.equal(response.status, 200, await response.text());
      const [entry, ...others] = await read();
      assert.deepEqual([entry?.body, others], ['large', []]);
      const kept = await service.fetch(pathOf(entry?.metadata['attachments.0.url'] ?? ''));
      assert.ok(bytes.equals(Buffer.from(await kept.arrayBuffer())));
    });

test('a file above the limit is left out, its event and the other files are kept', async () => {
  const { send, read } = await open('webhook');
  const files = [
    { filename: 'huge.png', bytes: makePicture(17) },
    { filename: 'dump.txt', bytes: Buffer.alloc(12 * mebibyte, 'text ') },
    { filename: 'small.png', bytes: smallPng },
  ];
  const response = await send(makeEnvelope('partly', files));
  assert.equal(response.status, 200, await response.text());
  const [entry] = await read();
  assert.equal(entry?.body, 'partly');
  assert.match(entry.metadata['attachments.0.refused'] ?? '', /at most/);
  assert.match(entry.metadata['attachments.1.refused'] ?? '', /./);
  assert.match(entry.metadata['attachments.2.url'] ?? '', /small/);
});

test('a token that keeps no files still stores the event of a large file', async () => {
  const { send, read } = await open('logs');
  const response = await send(makeEnvelope('named', [{ filename: 'shot.png', bytes: makePicture(12) }]));
  assert.equal(response.status, 200, await response.text());
  assert.match((await read())[0]?.metadata['attachments.0.refused'] ?? '', /kind webhook/);
});

test('too much beside the files is refused with 413, and so is a body beyond all limits', async () => {
  const { send, read } = await open('webhook');
  assert.equal((await send(makeEnvelope('x'.repeat(11 * mebibyte), []))).status, 413);
  const zeros = Buffer.alloc(200 * mebibyte);
  const bomb = gzipSync(makeEnvelope('bomb', [{ filename: 'a', bytes: zeros }]), { level: 1 });
  assert.equal((await send(bomb, { 'content-encoding': 'gzip' })).status, 413);
  assert.deepEqual(await read(), []);
});

test('an envelope that breaks off within a file stores nothing', async () => {
  const { token, read } = await open('webhook');
  const body = makeEnvelope('broken', [{ filename: 'shot.png', bytes: makePicture(4) }]);
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`POST /api/1/envelope/?sentry_key=${token} HTTP/1.1\r\nHost: a\r\n`);
  socket.write(`Content-Length: ${body.length}\r\n\r\n`);
  await new Promise(resolve => socket.write(body.subarray(0, 2 * mebibyte), resolve));
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.destroySoon();
  await closed;
  const fresh = await open('webhook');
  assert.equal((await fresh.send(makeEnvelope('next', []))).status, 200);
  assert.deepEqual(await read(), []);
  const { staging } = await listTraces(service);
  assert.deepEqual(staging, []);
});

test('repeats with a key store files and event once, also at the same time', async () => {
  const { send, read } = await open('webhook');
  const key = { 'idempotency-key': 'an envelope' };
  const body = makeEnvelope('once', [{ filename: 'shot.png', bytes: smallPng }]);
  const before = await countFiles();
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(body, key)));
  responses.push(await send(body, key));
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.equal(await countFiles(), before + 1);
  assert.equal((await read()).length, 1);
  const other = makeEnvelope('once', [{ filename: 'shot.png', bytes: makePicture(1) }]);
  assert.equal((await send(other, key)).status, 422);
  assert.equal(await countFiles(), before + 1);
  const { staging } = await listTraces(service);
  assert.deepEqual(staging, []);
});

test('an envelope with a broken event stores none of its files and frees its key', async () => {
  const { send, read } = await open('webhook');
  const before = await countFiles();
  const broken = Buffer.concat([
    makeEnvelope('sound', [{ filename: 'shot.png', bytes: smallPng }]),
    Buffer.from('{"type":"event"}\n[]\n'),
  ]);
  const { blobs } = await listTraces(service);
  assert.equal((await send(broken, { 'idempotency-key': 'broken' })).status, 400);
  assert.deepEqual((await listTraces(service)).blobs, blobs);
  assert.equal(await countFiles(), before);
  const sound = makeEnvelope('sound', [{ filename: 'shot.png', bytes: smallPng }]);
  assert.equal((await send(sound, { 'idempotency-key': 'broken' })).status, 200);
  assert.equal((await read()).length, 1);
});
