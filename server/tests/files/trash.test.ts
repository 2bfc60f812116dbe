/** The trash: deleted files are inaccessible at once, can be restored for some days, and are then removed. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import * as contract from '@tapedeck/contract/files';
import * as projectFiles from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import { getUsage } from '@tapedeck/contract/usage';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';
import {
  formOf,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const project = 'default';
const sound = makeSound();

async function trashOne(fields: Record<string, string> = {}) {
  const uploaded = await uploadFile(service, sound, fields);
  const { id } = uploaded;
  const { data } = await client.call(contract.getFile, { params: { file: id } });
  await client.call(contract.deleteFile, { params: { file: id }, query: { trash: 'true' } });
  return { ...uploaded, record: data };
}

const sweep = () =>
  tapedeck(['retention', 'run', '--now', new Date(service.clock.now()).toISOString()], {
    TAPEDECK_DATA_DIR: service.dataDir,
  });

const listTrash = (query: object = {}) =>
  client.call(contract.listFiles, { query: { trash: 'true', ...query } });

test('a file in the trash leaves every list and its URL, and is restored unchanged', async () => {
  const { id, url, record } = await trashOne({ path: 'a', metadata: '{"n":1}' });
  assert.equal((await service.fetch(pathOf(url))).status, 404);
  assert.equal(await client.refuse(contract.getFile, { params: { file: id } }), '404 not_found');
  for (const query of [{}, { query: `id:${id}` }, { path: 'a' }, { 'metadata.n': '1' }])
    assert.ok(!(await client.call(contract.listFiles, { query })).data.some(file => file.id === id));
  const { data } = await listTrash({ query: `id:${id}` });
  assert.deepEqual(
    data.map(({ deletedAt, ...file }) => [typeof deletedAt, file]),
    [['string', record]],
  );
  const restored = await client.call(actions.restoreFile, { params: { file: id } });
  assert.deepEqual(restored.data, record);
  assert.equal((await service.fetch(pathOf(url))).status, 200);
  assert.deepEqual((await client.call(contract.listFiles, { query: { path: 'a' } })).data, [record]);
  assert.equal(await client.refuse(actions.restoreFile, { params: { file: id } }), '404 not_found');
});

test('a key with slashes names the file to restore, encoded or not', async () => {
  for (const encode of [encodeURIComponent, String]) {
    const { record } = await trashOne({ path: 'some/folder', filename: 'x.wav' });
    const route = `/api/v3/file/${encode(record.key)}/restore`;
    const response = await service.fetch(route, { method: 'POST', headers: { authorization: mediaToken } });
    assert.equal(response.status, 200, route);
  }
});

test('the trash counts towards quotas, and its bytes are freed when it expires', async () => {
  await addProject(owner, 'small');
  const params = { project: 'small' };
  await owner.call(updateProject, { params, body: { bytesMax: sound.length, trashDays: 3 } });
  const { token } = await addToken(owner, { kind: 'media', project: 'small' });
  const { id } = await uploadFile(service, sound, {}, { token });
  await owner.call(projectFiles.deleteProjectFile, { params: { ...params, file: id } });
  const full = await sendForm(service, formOf(sound), { token });
  assert.equal(full.status, 507);
  service.clock.advance(2 * 86_400_000);
  await sweep();
  assert.equal((await sendForm(service, formOf(sound), { token })).status, 507);
  service.clock.advance(86_400_001);
  await sweep();
  await uploadFile(service, sound, {}, { token });
  const usage = await owner.call(getUsage, { params });
  assert.equal(usage.totals.bytes, sound.length);
});

test('the dashboard deletes to the trash by default, if it is enabled', async () => {
  const { id } = await uploadFile(service, sound);
  const params = { project, file: id };
  const deletion = await owner.call(projectFiles.deleteProjectFile, { params });
  assert.equal(deletion.message, 'File moved to the trash.');
  await owner.call(projectFiles.restoreProjectFile, { params });
  const ended = await owner.call(projectFiles.deleteProjectFile, { params, query: { trash: 'false' } });
  assert.equal(ended.message, 'File deleted.');
  assert.equal(await owner.refuse(projectFiles.restoreProjectFile, { params }), '404 not_found');
});

test('trash=false deletes a file that is already in the trash, for tokens and in the dashboard', async () => {
  const { id, url } = await trashOne();
  assert.equal(await client.refuse(contract.deleteFile, { params: { file: id } }), '404 not_found');
  const query = { trash: 'false' };
  const { message } = await client.call(contract.deleteFile, { params: { file: id }, query });
  assert.equal(message, 'File deleted.');
  const other = await trashOne();
  const params = { project, file: other.id };
  await owner.call(projectFiles.deleteProjectFile, { params, query });
  const { data } = await listTrash();
  assert.ok(!data.some(file => file.id === id || file.id === other.id));
  assert.equal(await client.refuse(actions.restoreFile, { params: { file: id } }), '404 not_found');
  assert.equal((await service.fetch(pathOf(url))).status, 404);
  assert.equal(await owner.refuse(projectFiles.deleteProjectFile, { params, query }), '404 not_found');
});

test('a token that does not request the trash deletes a file at once', async () => {
  const { id } = await uploadFile(service, sound);
  await client.call(contract.deleteFile, { params: { file: id } });
  assert.equal(await client.refuse(actions.restoreFile, { params: { file: id } }), '404 not_found');
});

test('retention and exemption apply in the trash', async () => {
  await addProject(owner, 'kept');
  const params = { project: 'kept' };
  const retention = { audio: 5 };
  await owner.call(updateProject, { params, body: { retention, trashDays: 100 } });
  const { token } = await addToken(owner, { kind: 'media', project: 'kept' });
  const short = await uploadFile(service, sound, {}, { token });
  const exempt = await uploadFile(service, sound, { retentionExempt: 'true' }, { token });
  for (const { id } of [short, exempt])
    await owner.call(projectFiles.deleteProjectFile, { params: { ...params, file: id } });
  service.clock.advance(6 * 86_400_000);
  await sweep();
  const { data } = await owner.call(projectFiles.listProjectFiles, { params, query: { trash: 'true' } });
  assert.deepEqual(
    data.map(file => file.id),
    [exempt.id],
  );
});

describe('without trashDays', () => {
  it('nothing is listed in, moved to or left in a trash', async () => {
    await addProject(owner, 'bare');
    const params = { project: 'bare' };
    const { token } = await addToken(owner, { kind: 'media', project: 'bare' });
    const bare = withToken(service, token);
    const first = await uploadFile(service, sound, {}, { token });
    await bare.call(contract.deleteFile, { params: { file: first.id }, query: { trash: 'true' } });
    await owner.call(updateProject, { params, body: { trashDays: null } });
    assert.equal(await bare.refuse(contract.listFiles, { query: { trash: 'true' } }), '400 invalid_field');
    const { id } = await uploadFile(service, sound, {}, { token });
    const input = { params: { file: id }, query: { trash: 'true' } };
    assert.equal(await bare.refuse(contract.deleteFile, input), '400 invalid_field');
    await sweep();
    const place = { params: { ...params, file: first.id } };
    assert.equal(await owner.refuse(projectFiles.restoreProjectFile, place), '404 not_found');
  });
});

test('trashDays has limits', async () => {
  for (const trashDays of [0, 1.5, 4000])
    assert.equal(
      await owner.refuse(updateProject, { params: { project }, body: { trashDays } }),
      '400 invalid_field',
    );
});
