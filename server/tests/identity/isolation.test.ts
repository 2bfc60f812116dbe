/** Projects see nothing of each other, and limited tokens nothing beyond their limits. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  makeSound,
  pathOf,
  readRecord,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture();
const sound = makeSound();
const makeToken = async (project: string, scopes: string[] = []) =>
  (await addToken(owner, { project, scopes })).token;

await addProject(owner, 'red');
await addProject(owner, 'blue');
const red = await makeToken('red');
const blue = await makeToken('blue');
const image = await uploadFile(service, picture, { path: 'clips/new' }, { token: red });
const audio = await uploadFile(service, sound, { path: 'songs' }, { token: red });
const imageKey = (await readRecord(service, image.id, red)).key;

const request = async (method: string, route: string, token: string): Promise<string> => {
  const response = await service.fetch(`/api/v3/file${route}`, { method, headers: { authorization: token } });
  return response.status === 200 ? '200' : describeRefusal(response);
};
const countListed = async (query: string, token: string): Promise<number> => {
  const response = await service.fetch(`/api/v3/file${query}`, { headers: { authorization: token } });
  const { data, pagination } = (await response.json()) as { data: unknown[]; pagination: { total: number } };
  assert.equal(data.length, pagination.total);
  return data.length;
};

test('files of another project cannot be found, read or deleted, by id or key', async () => {
  for (const name of [image.id, imageKey, audio.id]) {
    for (const method of ['GET', 'DELETE'])
      assert.equal(await request(method, `/${name}`, blue), '404 not_found');
  }
  assert.equal(await countListed('', blue), 0);
  assert.equal(await request('GET', `/${image.id}`, red), '200');
});

test('its URL under another project’s name returns 404', async () => {
  const foreign = pathOf(image.url).replace('/red/', '/blue/');
  assert.equal(await describeRefusal(await service.fetch(foreign)), '404 not_found');
});

test('the same path in two projects is two folders', async () => {
  await uploadFile(service, picture, { path: 'clips/new' }, { token: blue });
  assert.equal(await countListed('?path=clips', red), 1);
  assert.equal(await countListed('?path=clips', blue), 1);
});

test('tokens of other kinds have no access to files', async () => {
  for (const kind of ['logs', 'admin'] as const) {
    const { token } = await addToken(owner, { project: 'red', kind });
    for (const [method, route] of [
      ['GET', ''],
      ['GET', `/${image.id}`],
      ['DELETE', `/${image.id}`],
      ['GET', '/presigned-url'],
    ] as const)
      assert.equal(await request(method, route, token), '403 wrong_token_kind');
    assert.equal(
      await describeRefusal(await sendForm(service, formOf(picture), { token })),
      '403 wrong_token_kind',
    );
  }
});

describe('scopes', () => {
  const none = '403 scope_missing';
  const notFound = '404 not_found';
  /** Columns: upload a picture to clips, one to other, a sound to clips; list; read the image, the sound; delete. */
  const rows: [string[], string, string, string, string, string, string, string][] = [
    [['read'], none, none, none, '200', '200', '200', none],
    [['write'], '200', '200', '200', none, none, none, none],
    [['delete'], none, none, none, none, none, none, '200'],
    [['read', 'write'], '200', '200', '200', '200', '200', '200', none],
    [['type:image'], '200', '200', none, '200', '200', notFound, '200'],
    [['type:audio'], none, none, '200', '200', notFound, '200', notFound],
    [['path:clips'], '200', none, '200', '200', '200', notFound, '200'],
    [['path:clip'], none, none, none, '200', notFound, notFound, notFound],
    [['path:clips', 'type:audio', 'write'], none, none, '200', none, none, none, none],
  ];
  for (const [scopes, ...expected] of rows) {
    test(`[${scopes.join(', ')}]`, async () => {
      const { id } = await uploadFile(service, picture, { path: 'clips' }, { token: red });
      const token = await makeToken('red', scopes);
      const send = async (bytes: Uint8Array, path: string) => {
        const response = await sendForm(service, formOf(bytes, { path }), { token });
        return response.status === 200 ? '200' : describeRefusal(response);
      };
      const found = [
        await send(picture, 'clips'),
        await send(picture, 'other'),
        await send(sound, 'clips/deep'),
        await request('GET', '', token),
        await request('GET', `/${id}`, token),
        await request('GET', `/${audio.id}`, token),
        await request('DELETE', `/${id}`, token),
      ];
      assert.deepEqual(found, expected);
    });
  }

  test('a list shows what the token may read, and rejects filters beyond that', async () => {
    const token = await makeToken('red', ['read', 'path:songs', 'type:audio']);
    assert.equal(await countListed('', token), 1);
    assert.equal(await countListed('?path=songs&type=audio', token), 1);
    assert.equal(await request('GET', '?path=clips', token), none);
    assert.equal(await request('GET', '?type=image', token), none);
  });
});
