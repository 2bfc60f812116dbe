/** Uploads with an Idempotency-Key: repeats return the same file, even concurrently, and different uploads are refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { makeTestClock, startTestService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  mediaEnvironment,
  mediaToken,
  readUploaded,
  sendForm,
  uploadRoute,
} from '../support/uploading.ts';

const clock = makeTestClock();
const service = await startTestService({ clock, environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const picture = await makePicture(8, 6);
const other = await makePicture(9, 6);
let keys = 0;

function sendKeyed(bytes: Buffer, key: string, query = ''): Promise<Response> {
  const headers = { authorization: mediaToken, 'idempotency-key': key, 'content-type': 'image/png' };
  return service.fetch(`${uploadRoute}${query}`, { method: 'POST', headers, body: new Uint8Array(bytes) });
}

function makeKey(): string {
  return `key ${++keys}`;
}

async function countFiles(): Promise<number> {
  const response = await service.fetch(`${uploadRoute}?limit=1`, { headers: { authorization: mediaToken } });
  // CONTRACT.md, 3: a page of files.
  return ((await response.json()) as { pagination: { total: number } }).pagination.total;
}

test('a repeat returns the same file and stores nothing', async () => {
  const key = makeKey();
  const first = await readUploaded(await sendKeyed(picture, key));
  const before = await countFiles();
  assert.deepEqual(await readUploaded(await sendKeyed(picture, key)), first);
  assert.equal(await countFiles(), before);
});

test('twenty concurrent requests store one file', async () => {
  const before = await countFiles();
  const key = makeKey();
  const responses = await Promise.all(Array.from({ length: 20 }, () => sendKeyed(picture, key)));
  const uploaded = await Promise.all(responses.map(readUploaded));
  assert.equal(new Set(uploaded.map(({ id }) => id)).size, 1);
  assert.equal(await countFiles(), before + 1);
});

test('forms and base64 accept a key, too', async () => {
  const key = makeKey();
  const headers = { authorization: mediaToken, 'idempotency-key': key };
  const body = () => formOf(picture, { path: 'keyed', metadata: '{"a":1}' });
  const send = () => service.fetch(uploadRoute, { method: 'POST', headers, body: body() });
  assert.deepEqual(await readUploaded(await send()), await readUploaded(await send()));
  const json = JSON.stringify({ base64: picture.toString('base64'), path: 'keyed' });
  const sendJson = (name: string) =>
    service.fetch(`${uploadRoute}/base64`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': name, 'content-type': 'application/json' },
      body: json,
    });
  const name = makeKey();
  assert.deepEqual(await readUploaded(await sendJson(name)), await readUploaded(await sendJson(name)));
});

const refusals: readonly { name: string; bytes: Buffer; query?: string }[] = [
  { name: 'other bytes', bytes: other },
  { name: 'another folder', bytes: picture, query: '?path=elsewhere' },
];

for (const { name, bytes, query } of refusals) {
  test(`${name} under the same key are rejected`, async () => {
    const key = makeKey();
    await readUploaded(await sendKeyed(picture, key));
    const before = await countFiles();
    assert.equal(await describeRefusal(await sendKeyed(bytes, key, query)), '422 idempotency_key_reused');
    assert.equal(await countFiles(), before);
  });
}

test('a rejected upload frees its key, and so does the deletion of the file', async () => {
  const key = makeKey();
  assert.equal(
    await describeRefusal(await sendKeyed(Buffer.from('just words'), key)),
    '415 unsupported_media',
  );
  const first = await readUploaded(await sendKeyed(picture, key));
  const headers = { authorization: mediaToken };
  await service.fetch(`${uploadRoute}/${first.id}`, { method: 'DELETE', headers });
  const second = await readUploaded(await sendKeyed(picture, key));
  assert.notEqual(second.id, first.id);
  assert.deepEqual(await readUploaded(await sendKeyed(picture, key)), second);
});

test('rejects a key that is too long', async () => {
  assert.equal(await describeRefusal(await sendKeyed(picture, 'k'.repeat(2000))), '400 invalid_field');
});

test('after a day, a key is free again', async () => {
  const key = makeKey();
  const first = await readUploaded(await sendKeyed(picture, key));
  clock.advance(25 * 3_600_000);
  assert.notEqual((await readUploaded(await sendKeyed(other, key))).id, first.id);
});

test('stores all uploads without a key', async () => {
  const before = await countFiles();
  await Promise.all([1, 2, 3].map(async () => readUploaded(await sendForm(service, formOf(picture)))));
  assert.equal(await countFiles(), before + 3);
});
