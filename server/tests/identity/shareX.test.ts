/** The file for ShareX: it uploads, with a token that allows nothing else. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { createShareXUploader, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { findGuide } from '../support/connectGuides.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { playShareX, type ShareXUploader } from '../support/shareX.ts';
import { makePicture } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };

async function make(body: {
  path?: string;
}): Promise<{ uploader: ShareXUploader; disposition: string | null }> {
  const response = await owner.send(createShareXUploader, { params, body });
  assert.equal(response.status, 200);
  const disposition = response.headers.get('Content-Disposition');
  return { uploader: (await response.json()) as ShareXUploader, disposition };
}

async function play(uploader: ShareXUploader) {
  return await playShareX(uploader, { name: 'shot.png', bytes: new Uint8Array(await makePicture()) });
}

async function listShareXTokens() {
  const { tokens } = await owner.call(listTokens, { params });
  return tokens.filter(({ name }) => name === 'ShareX');
}

test('the file is an attachment and uploads with its own token', async () => {
  const { uploader, disposition } = await make({});
  assert.equal(disposition, 'attachment; filename="default.sxcu"');
  assert.deepEqual(Object.keys(uploader), [
    'Version',
    'Name',
    'DestinationType',
    'RequestMethod',
    'RequestURL',
    'Headers',
    'Body',
    'FileFormName',
    'URL',
    'ErrorMessage',
  ]);
  const { url = '', error } = await play(uploader);
  assert.equal(error, undefined);
  assert.equal((await service.fetch(new URL(url).pathname)).headers.get('Content-Type'), 'image/png');
  assert.deepEqual(
    (await listShareXTokens()).map(({ kind, scopes, expiresAt }) => [kind, scopes, expiresAt]),
    [['media', ['write'], null]],
  );
  const headers = uploader.Headers;
  assert.equal((await service.fetch('/api/v3/file', { headers })).status, 403);
});

test('with a folder, files go there, whatever characters are in its name', async () => {
  const path = 'shots/{a|b} 100%done';
  const { url = '' } = await play((await make({ path })).uploader);
  assert.ok(decodeURIComponent(url).includes(`/${path}/`), url);
});

test('each file has a new token; a revoked one tells its user why nothing was uploaded', async () => {
  const before = new Set((await listShareXTokens()).map(({ id }) => id));
  const { uploader: first } = await make({});
  const [made] = (await listShareXTokens()).filter(({ id }) => !before.has(id));
  assert.ok(made);
  const { uploader: second } = await make({});
  assert.notEqual(second.Headers.Authorization, first.Headers.Authorization);
  await owner.call(revokeToken, { params: { ...params, token: made.id } });
  assert.match((await play(first)).error ?? '', /has been revoked/);
  assert.ok((await play(second)).url);
});

test('it matches the guide of ShareX', async () => {
  const { uploader } = await make({ path: 'a{b%y' });
  const [, token = ''] = (uploader.Headers.Authorization ?? '').split(' ');
  const address = new URL(uploader.RequestURL).origin;
  const text = findGuide('sharex')?.snippets[0]?.write({
    address,
    token,
    dataset: 'default',
    folder: 'a{b%y',
  });
  assert.deepEqual(uploader, JSON.parse(text ?? ''));
});

describe('rejects', () => {
  it('a path outside its folder', async () =>
    assert.equal(
      await owner.refuse(createShareXUploader, { params, body: { path: '../x' } }),
      '400 path_invalid',
    ));
  it('a viewer', async () => {
    const viewer = await addPerson(service, { roles: { default: 'viewer' } });
    assert.equal(await viewer.refuse(createShareXUploader, { params, body: {} }), '403 role_missing');
  });
});
