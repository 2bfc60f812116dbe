/** The file for ShareX: what is in it uploads, with a token that may do nothing else. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { createShareXUploader, listTokens } from '../../src/contract/tokens.ts';
import { findGuide } from '../support/connectGuides.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };

/** As ShareX reads it. */
type Uploader = {
  RequestMethod: string;
  RequestURL: string;
  Headers: Record<string, string>;
  Arguments?: Record<string, string>;
  FileFormName: string;
};

async function make(body: { path?: string }): Promise<{ uploader: Uploader; disposition: string | null }> {
  const response = await owner.send(createShareXUploader, { params, body });
  assert.equal(response.status, 200);
  const disposition = response.headers.get('Content-Disposition');
  return { uploader: (await response.json()) as Uploader, disposition };
}

async function upload({ RequestMethod, RequestURL, Headers, Arguments = {}, FileFormName }: Uploader) {
  const form = new FormData();
  for (const [name, value] of Object.entries(Arguments)) form.set(name, value.replaceAll(/\\(.)/g, '$1'));
  form.set(FileFormName, new Blob([new Uint8Array(await makePicture())]), 'shot.png');
  const { pathname } = new URL(RequestURL);
  return service.fetch(pathname, { method: RequestMethod, headers: Headers, body: form });
}

test('the file comes as an attachment and uploads with a token of its own', async () => {
  const { uploader, disposition } = await make({});
  assert.equal(disposition, 'attachment; filename="default.sxcu"');
  assert.equal((await upload(uploader)).status, 200);
  const { tokens } = await owner.call(listTokens, { params });
  const made = tokens.filter(({ name }) => name === 'ShareX');
  assert.deepEqual(
    made.map(({ kind, scopes, expiresAt }) => [kind, scopes, expiresAt]),
    [['media', ['write'], null]],
  );
  const headers = uploader.Headers;
  assert.equal((await service.fetch('/api/v3/file', { headers })).status, 403);
});

test('with a folder, files go there, whatever signs are in its name', async () => {
  const { uploader } = await make({ path: 'shots/{a|b}' });
  const response = await upload(uploader);
  const { data } = (await response.json()) as { data: { url: string } }; // CONTRACT.md, 3
  assert.ok(decodeURIComponent(data.url).includes('/shots/{a|b}/'), data.url);
});

test('it is what the guide of ShareX says', async () => {
  const { uploader } = await make({ path: 'a{b' });
  const [, token = ''] = (uploader.Headers.Authorization ?? '').split(' ');
  const address = new URL(uploader.RequestURL).origin;
  const text = findGuide('sharex')?.snippets[0]?.write({ address, token, dataset: 'default', folder: 'a{b' });
  assert.deepEqual(uploader, JSON.parse(text ?? ''));
});

describe('what is refused', () => {
  it('a path that leaves its folder', async () =>
    assert.equal(
      await owner.refuse(createShareXUploader, { params, body: { path: '../x' } }),
      '400 path_invalid',
    ));
  it('somebody who may only look', async () => {
    const viewer = await addPerson(service, { roles: { default: 'viewer' } });
    assert.equal(await viewer.refuse(createShareXUploader, { params, body: {} }), '403 role_missing');
  });
});
