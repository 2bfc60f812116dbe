/** Resumable uploads with concurrent requests, clients that reconnect, and abandoned uploads. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { revokeToken } from '@tapedeck/contract/tokens';
import { openUploadSocket } from '../support/openUpload.ts';
import { addPerson, addToken } from '../support/people.ts';
import {
  chunkType,
  listPartials,
  refusalOf,
  requireGone,
  resultOf,
  resumableRoute,
  speakTus,
} from '../support/resuming.ts';
import { openDatabaseFile, startTestService } from '../support/service.ts';
import { makeSound, mediaToken } from '../support/uploading.ts';

const service = await startTestService({ environment: { TAPEDECK_MEDIA_TOKEN: mediaToken } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const tus = speakTus(service);
const sound = makeSound({ seconds: 40 });
const half = Math.floor(sound.length / 2);

/** Polls until the condition holds or the test times out. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 20_000; !(await isSo()); await turn())
    assert.ok(performance.now() < deadline, 'it takes too long');
}

/** Polls until a request holds the upload. */
async function untilHeld(at: string): Promise<void> {
  using database = openDatabaseFile(service);
  const look = database.prepare('select holder from resumable_uploads where id = ?');
  await until(async () => {
    await turn();
    return look.get(at.split('/').at(-1)!)?.holder !== '';
  });
}

function countUploads(): number {
  using database = openDatabaseFile(service);
  return Number(database.prepare('select count(*) as uploads from resumable_uploads').get()?.uploads);
}

describe('two concurrent requests', () => {
  test('rejects the second while the first receives bytes, and a HEAD does not disturb that', async () => {
    const at = await tus.begin(sound.length);
    const first = await openUploadSocket(service, { at, offset: 0, announced: sound.length });
    first.write(sound.subarray(0, 1000));
    const answered = once(first, 'data');
    await untilHeld(at);
    assert.equal(await refusalOf(await tus.append(at, 0, sound)), '423 upload_locked');
    assert.equal((await tus.send('HEAD', at)).status, 200);
    first.write(sound.subarray(1000));
    assert.match(String((await answered)[0]), /^HTTP\/1.1 204 /);
    first.destroy();
  });
  test('a returning client finds what its interrupted connection delivered', async () => {
    const at = await tus.begin(sound.length);
    const first = await openUploadSocket(service, { at, offset: 0, announced: sound.length });
    first.write(sound.subarray(0, half));
    await untilHeld(at);
    first.destroy();
    await until(async () => (await tus.look(at)) === half);
    await resultOf(await tus.append(at, half, sound.subarray(half)));
  });
  test('a silent request yields to the returning client', async () => {
    const at = await tus.begin(sound.length);
    const silent = await openUploadSocket(service, { at, offset: 0, announced: sound.length });
    silent.write(sound.subarray(0, half));
    await until(async () => (await tus.look(at)) === half);
    await resultOf(await tus.append(at, half, sound.subarray(half)));
    silent.destroy();
  });
  test('a cancellation ends it at once', async () => {
    const at = await tus.begin(sound.length);
    const first = await openUploadSocket(service, { at, offset: 0, announced: sound.length });
    first.write(sound.subarray(0, half));
    const closed = new Promise(resolve => first.once('close', resolve));
    await untilHeld(at);
    assert.equal((await tus.send('DELETE', at)).status, 204);
    await closed;
    await requireGone(service, tus, at);
  });
});

test('a token revoked during a request ends it, and the received bytes are kept', async () => {
  const { token, id } = await addToken(owner, { kind: 'media' });
  const at = await tus.begin(sound.length);
  const socket = await openUploadSocket(service, { at, offset: 0, announced: sound.length, token });
  socket.write(sound.subarray(0, half));
  await untilHeld(at);
  const [answer] = await Promise.all([
    once(socket, 'data'),
    owner.call(revokeToken, { params: { project: 'default', token: id } }),
  ]);
  assert.match(String(answer[0]), /^HTTP\/1.1 401 /);
  socket.destroy();
  await until(async () => (await tus.look(at)) === half);
  await resultOf(await tus.append(at, half, sound.subarray(half)));
});

test('an interrupted creation with bytes leaves nothing behind', async () => {
  const before = countUploads();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    [
      `POST ${resumableRoute} HTTP/1.1\r\nHost: x\r\nAuthorization: ${mediaToken}\r\nTus-Resumable: 1.0.0`,
      `Content-Type: ${chunkType}\r\nUpload-Length: ${sound.length}\r\nContent-Length: ${sound.length}\r\n\r\n`,
    ].join('\r\n'),
  );
  socket.write(sound.subarray(0, half));
  await until(async () => countUploads() === before + 1);
  socket.destroy();
  await until(async () => countUploads() === before);
});

describe('expiry', () => {
  test('an upload without progress is deleted after a day, with its bytes', async () => {
    const [still, moving] = [await tus.begin(sound.length), await tus.begin(sound.length)];
    for (const at of [still, moving]) await tus.append(at, 0, sound.subarray(0, 1000));
    service.clock.advance(23 * 3_600_000);
    const moved = await tus.append(moving, 1000, sound.subarray(1000, 2000));
    assert.ok(Date.parse(moved.headers.get('upload-expires')!) > service.clock.now() + 23 * 3_600_000);
    service.clock.advance(2 * 3_600_000);
    assert.equal(await refusalOf(await tus.send('HEAD', still)), '404 not_found');
    assert.equal(await tus.look(moving), 2000);
    await until(async () => !(await listPartials(service)).includes(still.split('/').at(-1)));
    await resultOf(await tus.append(moving, 2000, sound.subarray(2000)));
  });
});
