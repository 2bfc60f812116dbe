/** Users' upload links: only their maker sees what arrived through each. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as contract from '@tapedeck/contract/projectFiles';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { formOf, makePicture, mediaEnvironment, pathOf, sendForm } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const maker = await addPerson(service, { roles: { default: 'member' } });
const other = await addPerson(service, { roles: { default: 'member' } });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const params = { project: 'default' };
const picture = await makePicture();
const list = async (by = maker) => (await by.call(contract.listProjectUploadLinks, { params })).data;

async function make(query: { uses?: number; path?: string; metadata?: string }): Promise<string> {
  const { data } = await maker.call(contract.createProjectPresignedUrl, { params, query });
  return pathOf(data.presignedUrl);
}

async function send(route: string, fields: Record<string, string> = {}): Promise<string> {
  const response = await sendForm(service, formOf(picture, fields), { route, token: '' });
  assert.equal(response.status, 200);
  // The contract's shape of this response.
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

test('the maker of a link sees the files that arrived through it, and finds them by its query', async () => {
  const unused = await make({});
  service.clock.advance(1000);
  const route = await make({ uses: 9, path: 'gifts/', metadata: '{"ticket":12}' });
  const forged = JSON.stringify({ uploadLink: 'mine', note: 'x' });
  const ids = [await send(route), await send(route, { metadata: forged }), await send(route)];
  const [used, empty] = await list();
  assert.deepEqual(
    [used?.path, used?.type, used?.uses, used?.files, used?.bytes],
    ['gifts', null, 9, 3, 3 * picture.length],
  );
  assert.deepEqual([empty?.path, empty?.uses, empty?.files, empty?.bytes], ['', 1, 0, 0]);
  assert.equal(Date.parse(used?.expiresAt ?? '') - Date.parse(used?.createdAt ?? '') <= 900_000, true);
  const found = await viewer.call(contract.listProjectFiles, { params, query: { query: used?.query ?? '' } });
  assert.deepEqual(new Set(found.data.map(({ id }) => id)), new Set(ids));
  assert.equal(
    found.data.every(({ metadata }) => metadata.ticket === 12),
    true,
  );
  await maker.call(contract.deleteProjectFile, { params: { ...params, file: ids[0] ?? '' } });
  assert.equal((await list())[0]?.files, 2);
  await send(unused);
  assert.equal((await list())[1]?.files, 1);
});

test('others do not see them in the list, and viewers have none', async () => {
  assert.deepEqual(await list(other), []);
  assert.equal(await viewer.refuse(contract.listProjectUploadLinks, { params }), '403 role_missing');
});

test('lists the newest 20, and forgets each 90 days after it expired', async () => {
  for (let index = 0; index < 20; index += 1) await make({ path: `folder ${index}` });
  const before = await list();
  assert.equal(before.length, 20);
  assert.equal(
    before.some(({ path }) => path === 'gifts'),
    false,
  );
  service.clock.advance(91 * 86_400_000);
  const later = await addPerson(service, { roles: { default: 'member' } });
  await later.call(contract.createProjectPresignedUrl, { params, query: {} });
  const store = await service.openStore();
  const left = await store.read.uploadLinks.listNewest({ project: 'default', makerId: maker.id }, 100);
  assert.deepEqual(left, []);
});
