/** A project's files for its users: sessions find the files that tokens find by V3, and changes by users are audited. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as actions from '@tapedeck/contract/fileActions';
import * as files from '@tapedeck/contract/files';
import * as contract from '@tapedeck/contract/projectFiles';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addProject } from '../support/people.ts';
import { speakTus } from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import {
  composeForm,
  formOf,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const member = await addPerson(service, { roles: { default: 'member' } });
const tokenClient = withToken(service, mediaToken);
const params = { project: 'default' };
const picture = await makePicture();
const sound = makeSound();
await uploadFile(service, picture, { filename: 'one.png', path: 'clips', metadata: '{"game":"chess"}' });
await uploadFile(service, sound, { filename: 'two.wav', path: 'clips/old' });
await uploadFile(service, picture, { filename: 'three.png' });

describe('a list', () => {
  const questions: Record<string, string>[] = [
    {},
    { type: 'image' },
    { path: 'clips' },
    { path: 'clips', limit: '1' },
    { q: 'two' },
    { page: '2', limit: '2' },
    { 'metadata.game': 'chess' },
  ];
  for (const query of questions) {
    it(`by ${JSON.stringify(query)} matches that of a token`, async () => {
      const asPerson = await viewer.call(contract.listProjectFiles, { params, query });
      assert.deepEqual(asPerson, await tokenClient.call(files.listFiles, { query }));
    });
  }

  for (const [query, folders] of [
    [{}, [['clips', 2]]],
    [{ path: 'clips' }, [['clips/old', 1]]],
    [{ prefix: 'cl' }, [['clips', 2]]],
    [{ prefix: 'old' }, []],
  ] as const) {
    it(`of folders by ${JSON.stringify(query)} matches that of a token`, async () => {
      const { data } = await viewer.call(contract.listProjectFolders, { params, query });
      assert.deepEqual(
        data.map(({ path, files: count }) => [path, count]),
        folders,
      );
      assert.deepEqual(data, (await tokenClient.call(actions.listFolders, { query })).data);
    });
  }

  it('continues from its cursor', async () => {
    const first = await viewer.call(contract.listProjectFiles, { params, query: { limit: 2 } });
    const cursor = first.pagination.nextCursor!;
    const second = await viewer.call(contract.listProjectFiles, { params, query: { cursor } });
    assert.deepEqual(
      [...first.data, ...second.data].map(({ filename }) => filename),
      ['three.png', 'two.wav', 'one.png'],
    );
  });

  const refusals: readonly [Record<string, string>, string][] = [
    [{ cursor: 'forged' }, '400 cursor_invalid'],
    [{ path: '../up' }, '400 path_invalid'],
    [{ type: 'document' }, '400 invalid_field'],
    [{ page: '0' }, '400 invalid_field'],
  ];
  for (const [query, expected] of refusals) {
    it(`by ${JSON.stringify(query)} is rejected`, async () => {
      assert.equal(await viewer.refuse(contract.listProjectFiles, { params, query }), expected);
    });
  }
});

test('finds one file by id and by key, and none of another project', async () => {
  const [file] = (await viewer.call(contract.listProjectFiles, { params, query: { q: 'two' } })).data;
  for (const name of [file!.id, file!.key]) {
    const { data } = await viewer.call(contract.getProjectFile, { params: { ...params, file: name } });
    assert.deepEqual(data, file);
  }
  const project = await addProject(owner, 'other');
  const elsewhere = { params: { project, file: file!.id } };
  assert.equal(await owner.refuse(contract.getProjectFile, elsewhere), '404 not_found');
  assert.equal(await owner.refuse(contract.deleteProjectFile, elsewhere), '404 not_found');
});

test('an upload returns the whole record, is listed at once, and is in the audit log', async () => {
  const form = formOf(picture, { path: 'from the browser', metadata: '{"by":"hand"}' }, 'Ärger.png');
  const { data } = await member.call(contract.uploadProjectFile, { params, form });
  assert.deepEqual([data.filename, data.path, data.size], ['Ärger.png', 'from the browser', picture.length]);
  assert.deepEqual(data.metadata, { by: 'hand' });
  const served = await service.fetch(pathOf(data.url));
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), picture);
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.target, entries[0]?.actor, entries[0]?.details],
    [
      'file.upload',
      data.id,
      `user ${member.email}`,
      { key: data.key, name: 'Ärger.png', sizeBytes: picture.length },
    ],
  );
});

describe('rejects an upload', () => {
  const rows: readonly [string, () => FormData, string][] = [
    ['without a file', () => composeForm([['path', 'a']]), '400 file_missing'],
    ['that is not media', () => formOf(Buffer.from('plain words')), '415 unsupported_media'],
    ['into an invalid folder', () => formOf(picture, { path: '../up' }), '400 path_invalid'],
    ['with invalid metadata', () => formOf(picture, { metadata: '{' }), '400 metadata_invalid'],
  ];
  for (const [name, makeForm, expected] of rows) {
    it(name, async () => {
      assert.equal(await member.refuse(contract.uploadProjectFile, { params, form: makeForm() }), expected);
    });
  }

  it('from a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const input = { params, form: formOf(picture), headers };
    assert.equal(await member.refuse(contract.uploadProjectFile, input), '403 cross_site');
  });

  it('as anything but a form', async () => {
    const response = await service.fetch('/api/manage/projects/default/files', {
      method: 'POST',
      headers: { cookie: `tapedeck_session=${member.cookie}`, 'content-type': 'application/json' },
      body: '{"base64":"AAAA"}',
    });
    assert.equal(await describeRefusal(response), '415 unsupported_content_type');
  });
});

test('a file deleted in the dashboard moves to the trash, returns 404, and is in the audit log', async () => {
  const { data } = await member.call(contract.uploadProjectFile, { params, form: formOf(sound) });
  const place = { params: { ...params, file: data.key } };
  await member.call(contract.deleteProjectFile, place);
  assert.equal(await member.refuse(contract.deleteProjectFile, place), '404 not_found');
  assert.equal((await service.fetch(pathOf(data.url))).status, 404);
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual([entries[0]?.action, entries[0]?.details.key], ['file.trash', data.key]);
});

test('a large file of the dashboard is named in the audit log, and its URL is no upload link', async () => {
  const query = { path: 'clips', filename: 'match.mp4' };
  const { data } = await member.call(contract.createProjectPresignedUrl, { params, query });
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.target, entries[0]?.details],
    ['file.presign', 'clips', { name: 'match.mp4' }],
  );
  const links = await member.call(contract.listProjectUploadLinks, { params });
  assert.deepEqual(links.data, []);
  const route = pathOf(data.presignedUrl);
  assert.equal((await sendForm(service, formOf(picture), { route, token: '' })).status, 200);
  const clips = await member.call(contract.listProjectFiles, { params, query: { path: 'clips' } });
  assert.deepEqual(clips.data[0]?.metadata, {});
});

test('the audit log names the user of a large file once it has arrived, but not those who use an upload link', async () => {
  const upload = async (query: { filename?: string }) => {
    const { data } = await member.call(contract.createProjectPresignedUrl, { params, query });
    const tus = speakTus(service, { route: `${pathOf(data.presignedUrl)}/resumable`, token: '' });
    const at = await tus.begin(picture.length, { filename: 'match.png' });
    await tus.append(at, 0, picture.subarray(0, 100));
    await tus.append(at, 100, picture.subarray(100));
    assert.equal((await tus.result(at)).status, 200);
    return (await owner.call(listProjectAudit, { params })).entries[0];
  };
  assert.equal((await upload({}))?.action, 'file.presign');
  const last = await upload({ filename: 'match.png' });
  assert.deepEqual([last?.action, last?.actor], ['file.upload', `user ${member.email}`]);
  assert.deepEqual([last?.details.name, last?.details.sizeBytes], ['match.png', picture.length]);
});

test('an upload delegated to someone without a token works once', async () => {
  const query = { path: 'gifts', type: 'image' as const };
  const { data } = await member.call(contract.createProjectPresignedUrl, { params, query });
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.target, entries[0]?.details],
    ['file.presign', 'gifts', { uses: 1, type: 'image' }],
  );
  const route = pathOf(data.presignedUrl);
  assert.equal((await sendForm(service, formOf(picture), { route, token: '' })).status, 200);
  assert.equal((await sendForm(service, formOf(picture), { route, token: '' })).status, 409);
  const gifts = await viewer.call(contract.listProjectFiles, { params, query: { path: 'gifts' } });
  assert.equal(gifts.pagination.total, 1);
});
