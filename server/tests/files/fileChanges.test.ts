/** Changes to a file's record: name, folder, metadata, exemption and visibility. The key and the URL stay. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as actions from '@tapedeck/contract/fileActions';
import * as contract from '@tapedeck/contract/files';
import * as projectFiles from '@tapedeck/contract/projectFiles';
import type { BodyOf } from '@tapedeck/contract/route';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { changeDatabase, startTestService } from '../support/service.ts';
import { makeSound, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const sound = makeSound();
const begun = { filename: 'one.wav', path: 'a/b', metadata: '{"keep":1,"player":{"id":43,"name":"Anna"}}' };
const upload = () => uploadFile(service, sound, begun);

describe('a change', () => {
  const rows: [string, BodyOf<typeof actions.updateFile>, object][] = [
    ['of nothing', {}, {}],
    ['of the name', { filename: 'two.wav' }, { filename: 'two.wav' }],
    ['of the folder', { path: 'c' }, { path: 'c' }],
    ['of the folder, to the root', { path: '' }, { path: '' }],
    ['of the exemption', { retentionExempt: true }, { retentionExempt: true }],
    ['of the visibility', { visibility: 'private' }, { visibility: 'private' }],
    [
      'of a metadata key',
      { metadata: { more: [1] } },
      { metadata: { keep: 1, player: { id: 43, name: 'Anna' }, more: [1] } },
    ],
    [
      'that removes keys',
      { metadata: { keep: null, player: { name: null } } },
      { metadata: { player: { id: 43 } } },
    ],
    [
      'that turns text into an object',
      { metadata: { keep: { a: null, b: 2 } } },
      { metadata: { keep: { b: 2 }, player: { id: 43, name: 'Anna' } } },
    ],
    ['that removes all metadata', { metadata: null }, { metadata: {} }],
  ];
  for (const [name, body, changes] of rows)
    it(name, async () => {
      const { id } = await upload();
      const params = { file: id };
      const { data: before } = await client.call(contract.getFile, { params });
      const { data } = await client.call(actions.updateFile, { params, body });
      assert.deepEqual(data, { ...before, ...changes });
      assert.deepEqual((await client.call(contract.getFile, { params })).data, data);
    });
});

test('a moved file is listed and counted in its new folder, and keeps its URL', async () => {
  const { id, url } = await upload();
  await client.call(actions.updateFile, {
    params: { file: id },
    body: { path: 'moved/here', metadata: { keep: 2 } },
  });
  assert.equal((await service.fetch(pathOf(url))).status, 200);
  const ids = async (query: object) =>
    (await client.call(contract.listFiles, { query })).data.map(file => file.id);
  assert.deepEqual(await ids({ path: 'moved' }), [id]);
  assert.deepEqual(await ids({ path: 'moved', query: 'path:moved/here' }), [id]);
  assert.deepEqual(await ids({ 'metadata.keep': '2' }), [id]);
  assert.ok(!(await ids({ path: 'a' })).includes(id));
  const { data } = await client.call(actions.listFolders, { query: { path: 'moved' } });
  assert.deepEqual(data, [{ path: 'moved/here', files: 1, bytes: sound.length }]);
});

describe('rejects a change', () => {
  const rows: [string, object, string][] = [
    ['to an invalid folder', { path: '../x' }, '400 path_invalid'],
    ['with metadata that is not an object', { metadata: 3 }, '400 invalid_field'],
    ['with an unknown visibility', { visibility: 'secret' }, '400 invalid_field'],
    ['with an invalid exemption', { retentionExempt: 'often' }, '400 invalid_field'],
    ['to a name that is too long', { filename: 'x'.repeat(2000) }, '400 invalid_field'],
    [
      'to too many metadata keys',
      { metadata: Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, 1])) },
      '400 metadata_invalid',
    ],
    ['to too many bytes of metadata', { metadata: { long: 'x'.repeat(17_000) } }, '400 metadata_invalid'],
  ];
  for (const [name, body, code] of rows)
    it(name, async () => {
      const { id } = await upload();
      // Wrong on purpose.
      const input = { params: { file: id }, body: body as Record<string, never> };
      assert.equal(await client.refuse(actions.updateFile, input), code);
      const asPerson = { params: { project: 'default', file: id }, body: input.body };
      assert.equal(await owner.refuse(projectFiles.updateProjectFile, asPerson), code);
    });

  it('of a file that does not exist', async () => {
    const input = { params: { file: 'A'.repeat(20) }, body: { filename: 'x' } };
    assert.equal(await client.refuse(actions.updateFile, input), '404 not_found');
  });

  it('to a folder outside the scope, or of a file outside it', async () => {
    const { token } = await addToken(owner, { kind: 'media', scopes: ['write', 'read', 'path:a'] });
    const narrow = withToken(service, token);
    const { id } = await upload();
    const move = (path: string) => ({ params: { file: id }, body: { path } });
    assert.equal(await narrow.refuse(actions.updateFile, move('c')), '403 scope_missing');
    await narrow.call(actions.updateFile, move('a/z'));
    await client.call(actions.updateFile, move('c'));
    assert.equal(await narrow.refuse(actions.updateFile, move('a')), '404 not_found');
  });
});

test('keeps all concurrent changes', async () => {
  const { id } = await upload();
  const change = (index: number) =>
    client.call(actions.updateFile, { params: { file: id }, body: { metadata: { [`n${index}`]: index } } });
  await Promise.all(Array.from({ length: 12 }, (_, index) => change(index)));
  const { data } = await client.call(contract.getFile, { params: { file: id } });
  for (let index = 0; index < 12; index++) assert.equal(data.metadata[`n${index}`], index);
});

test('a change that can never be stored fails instead of being tried forever', async () => {
  const { id } = await upload();
  const stray = `SELECT project, 'stray', position, type FROM files WHERE id = '${id}'`;
  await changeDatabase(service, `INSERT INTO file_folders (project, folder, position, type) ${stray}`);
  const change = { params: { file: id }, body: { path: 'stray' } };
  assert.equal(await client.refuse(actions.updateFile, change), '500 internal');
  await client.call(actions.updateFile, { ...change, body: { path: 'other' } });
});

test('the audit log records a change in the dashboard, and nothing else of the request', async () => {
  const { id } = await upload();
  const params = { project: 'default', file: id };
  const { key, path, filename: name } = (await client.call(contract.getFile, { params: { file: id } })).data;
  const body = { path: 'told', retentionExempt: false };
  await owner.call(projectFiles.updateProjectFile, { params, body });
  const { entries } = await owner.call(listProjectAudit, { params });
  const details = { key, name, path: 'told', before: { path } };
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.target, entries[0]?.details],
    ['file.update', id, details],
  );
  await owner.call(projectFiles.updateProjectFile, { params, body });
  assert.deepEqual((await owner.call(listProjectAudit, { params })).entries[0], entries[0]);
});
