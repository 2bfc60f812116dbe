/** Owners of resumable uploads: a project, a token or a presigned URL. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { revokeToken } from '@tapedeck/contract/tokens';
import { addPerson, addProject, addToken } from '../support/people.ts';
import {
  refusalOf,
  resultOf,
  resumableRoute,
  speakTus,
  type TusClient,
  writeMetadata,
} from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaToken } from '../support/uploading.ts';

const service = await startTestService({ environment: { TAPEDECK_MEDIA_TOKEN: mediaToken } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const tus = speakTus(service);
const sound = makeSound({ seconds: 40 });
const half = Math.floor(sound.length / 2);

async function addClient(options: Parameters<typeof addToken>[1] = {}): Promise<TusClient> {
  return speakTus(service, { token: (await addToken(owner, { kind: 'media', ...options })).token });
}

describe('ownership of an upload', () => {
  test('belongs to its project, with any token that could have created it', async () => {
    const at = await tus.begin(sound.length, { path: 'clips' });
    await tus.append(at, 0, sound.subarray(0, half));
    await addProject(owner, 'elsewhere');
    const foreign = await addClient({ project: 'elsewhere' });
    for (const attempt of [
      () => foreign.send('HEAD', at),
      () => foreign.append(at, half, sound.subarray(half)),
      () => foreign.send('DELETE', at),
      () => foreign.result(at),
    ])
      assert.equal(await refusalOf(await attempt()), '404 not_found');
    const narrow = await addClient({ scopes: ['write', 'path:other'] });
    assert.equal(await refusalOf(await narrow.append(at, half, sound)), '403 scope_missing');
    const reader = await addClient({ scopes: ['read'] });
    assert.equal(await refusalOf(await reader.send('HEAD', at)), '403 scope_missing');
    const equal = await addClient({ scopes: ['write', 'path:clips'] });
    await resultOf(await equal.append(at, half, sound.subarray(half)));
  });
  test('a revoked token cannot continue', async () => {
    const { token, id } = await addToken(owner, { kind: 'media' });
    const client = speakTus(service, { token });
    const at = await client.begin(sound.length);
    await client.append(at, 0, sound.subarray(0, half));
    await owner.call(revokeToken, { params: { project: 'default', token: id } });
    assert.equal(await refusalOf(await client.append(at, half, sound.subarray(half))), '401 token_revoked');
    await resultOf(await tus.append(at, half, sound.subarray(half)));
  });
  test('accepts every form of token, and the location keeps the one in the query', async () => {
    const basic = Buffer.from(`x:${mediaToken}`).toString('base64');
    for (const authorization of [`Bearer ${mediaToken}`, `Basic ${basic}`])
      await tus.send('POST', resumableRoute, { authorization, 'upload-length': '100' });
    const bare = speakTus(service, { token: '', route: `${resumableRoute}?apiKey=${mediaToken}` });
    await resultOf(await bare.append(await bare.begin(sound.length), 0, sound));
  });
});

describe('through a presigned URL', () => {
  async function presign(query = ''): Promise<string> {
    const headers = { authorization: mediaToken };
    const response = await service.fetch(`/api/v3/file/presigned-url${query}`, { headers });
    const { data } = (await response.json()) as { data: { presignedUrl: string } };
    return new URL(data.presignedUrl).pathname;
  }
  const through = (url: string) => speakTus(service, { token: '', route: `${url}/resumable` });

  test('the location alone gives access to the upload, and its end counts as one use', async () => {
    const url = await presign('?path=shots');
    const client = through(url);
    const at = await client.begin(sound.length, { filename: 'a.wav' });
    assert.equal(
      await refusalOf(await client.send('POST', `${url}/resumable`, { 'upload-length': '9' })),
      '409 presigned_used',
    );
    await client.append(at, 0, sound.subarray(0, half));
    assert.equal(await client.look(at), half);
    const { url: public_ } = await resultOf(await client.append(at, half, sound.subarray(half)));
    assert.match(public_, /\/media\/default\/shots\/a-/);
    assert.equal((await client.result(at)).status, 200);
  });
  test('its use is returned when the upload ends without a file', async () => {
    const url = await presign('?type=image');
    const client = through(url);
    const refused = await client.append(await client.begin(sound.length), 0, sound);
    assert.equal(await refusalOf(refused), '415 unsupported_media');
    const at = await client.begin(1000);
    assert.equal((await client.send('DELETE', at)).status, 204);
    await client.begin(1000);
  });
  test('it gives access only to its own upload, and to no more than it allows', async () => {
    const [one, other] = [await presign('?uses=5&maxSize=1000'), await presign('?uses=5')];
    const at = await through(one).begin(1000);
    const id = at.split('/').at(-1);
    assert.equal(
      await refusalOf(await through(other).send('HEAD', `${other}/resumable/${id}`)),
      '404 not_found',
    );
    assert.equal(
      await refusalOf(await through(one).send('POST', `${one}/resumable`, { 'upload-length': '1001' })),
      '413 file_too_large',
    );
    const metadata = { 'upload-length': '5', 'upload-metadata': writeMetadata({ path: 'x' }) };
    const bound = await presign('?path=shots');
    assert.equal(
      await refusalOf(await through(bound).send('POST', `${bound}/resumable`, metadata)),
      '403 presigned_narrower',
    );
    assert.equal(
      await refusalOf(await through(`${one}x`).send('POST', `${one}x/resumable`, metadata)),
      '401 presigned_unknown',
    );
    assert.equal((await tus.send('HEAD', `${resumableRoute}/${id}`)).status, 200);
  });
  test('an upload that began in time continues after the expiry, and none begins', async () => {
    const url = await presign('?uses=2');
    const client = through(url);
    const at = await client.begin(sound.length);
    await client.append(at, 0, sound.subarray(0, half));
    service.clock.advance(16 * 60_000);
    assert.equal(
      await refusalOf(await client.send('POST', `${url}/resumable`, { 'upload-length': '9' })),
      '410 presigned_expired',
    );
    await resultOf(await client.append(at, half, sound.subarray(half)));
  });
  test('it ends with its maker', async () => {
    const { token, id } = await addToken(owner, { kind: 'media' });
    const headers = { authorization: token };
    const response = await service.fetch('/api/v3/file/presigned-url', { headers });
    const { data } = (await response.json()) as { data: { presignedUrl: string } };
    const client = through(new URL(data.presignedUrl).pathname);
    const at = await client.begin(sound.length);
    await owner.call(revokeToken, { params: { project: 'default', token: id } });
    assert.equal(await refusalOf(await client.append(at, 0, sound)), '410 presigned_expired');
  });
});
