/** Moves folders by a single request: everything in them moves, even if the caller does not wait, and impossible moves are refused. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { listFolders, moveFolder } from '@tapedeck/contract/fileActions';
import { listFiles } from '@tapedeck/contract/files';
import { moveProjectFolder } from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import { withToken } from '../support/client.ts';
import { fillFolder } from '../support/movingFolders.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };
const picture = await makePicture();

const fill = (path: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => uploadFile(service, picture, { path })));
const countIn = async (path: string) =>
  (await client.call(listFiles, { query: { path, limit: 1 } })).pagination.total;
const move = (from: string, to: string) => client.call(moveFolder, { body: { from, to } });

test('moves everything in a folder and below it, and URLs stay', async () => {
  const kept = [
    ...(await fill('crew', 130)),
    ...(await fill('crew/shots/old', 3)),
    ...(await fill('crew 2', 1)),
  ];
  const { data } = await move('crew/', 'staff/all');
  assert.deepEqual(data, { total: 133, moved: 133, failed: 0, reason: null, isOver: true });
  assert.deepEqual(
    await Promise.all(['crew', 'staff/all', 'staff/all/shots/old', 'crew 2'].map(countIn)),
    [0, 133, 3, 1],
  );
  const { data: folders } = await client.call(listFolders, { query: {} });
  assert.deepEqual(
    folders.map(({ path, files }) => [path, files]),
    [
      ['crew 2', 1],
      ['staff', 133],
    ],
  );
  for (const { url } of kept.slice(-5)) assert.equal((await service.fetch(pathOf(url))).status, 200);
});

test("merges into an existing folder, and a user's move is one line in the audit log", async () => {
  await fill('one', 3);
  await fill('two', 2);
  const { data } = await owner.call(moveProjectFolder, { params, body: { from: 'one', to: 'two' } });
  assert.deepEqual([data.moved, data.isOver, await countIn('two')], [3, true, 5]);
  const { entries } = await owner.call(listProjectAudit, { params, query: {} });
  assert.deepEqual(
    entries.slice(0, 1).map(({ action, target, details }) => [action, target, details]),
    [['folder.move', 'one', { to: 'two', files: 3 }]],
  );
  assert.ok(!entries.some(({ action }) => action === 'file.update'));
});

test('a move continues when its client disconnects, and the same request follows it', async () => {
  await fillFolder(await service.openStore(), 'long', 2_000);
  const leaving = new AbortController();
  const body = JSON.stringify({ from: 'long', to: 'longer' });
  const headers = { authorization: mediaToken, 'content-type': 'application/json' };
  const left = service.fetch('/api/v3/file/folders/move', {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  });
  while ((await countIn('longer')) === 0);
  leaving.abort();
  await assert.rejects(left);
  const { data } = await move('long', 'longer');
  assert.deepEqual([data.total, data.moved, data.isOver], [2_000, 2_000, true]);
  assert.deepEqual([await countIn('long'), await countIn('longer')], [0, 2_000]);
});

test('a folder that becomes private hides files that are moved into it', async () => {
  const [{ url } = { url: '' }] = await fill('shown', 1);
  const folders = [{ path: 'hidden', visibility: 'private' }] as const;
  await owner.call(updateProject, { params, body: { visibility: { folders: [...folders] } } });
  await move('shown', 'hidden/place');
  assert.equal((await service.fetch(pathOf(url))).status, 404);
});

test('keeps and reports files that cannot be moved', async () => {
  const deep = 'a/b/c/d/e/f/g/h/i/j/k/l/m/n/o';
  await fill('top', 2);
  await fill(`top/${deep}`, 2);
  const { data } = await move('top', 'more/top');
  assert.deepEqual([data.total, data.moved, data.failed, data.isOver], [4, 2, 2, true]);
  assert.match(data.reason ?? '', /at most \d+ folders/);
  assert.deepEqual([await countIn('top'), await countIn('more/top')], [2, 2]);
  const again = await move('top', 'more/top');
  assert.deepEqual([again.data.total, again.data.moved, again.data.failed], [2, 0, 2]);
});

test('a token moves only its types within its folders', async () => {
  await fill('mine/a', 1);
  await uploadFile(service, makeSound(), { path: 'mine/a' });
  const narrow = withToken(
    service,
    (await addToken(owner, { kind: 'media', scopes: ['read', 'write', 'path:mine', 'type:image'] })).token,
  );
  for (const [from, to] of [
    ['mine/a', 'other/a'],
    ['other/a', 'mine/a'],
  ] as const)
    assert.equal(await narrow.refuse(moveFolder, { body: { from, to } }), '403 scope_missing');
  const { data } = await narrow.call(moveFolder, { body: { from: 'mine/a', to: 'mine/b' } });
  assert.deepEqual([data.moved, await countIn('mine/a'), await countIn('mine/b')], [1, 1, 1]);
});

describe('rejects a move', () => {
  const rows: [title: string, body: { from: string; to: string }, expected: string][] = [
    ['of a folder that does not exist', { from: 'nowhere', to: 'else' }, '404 not_found'],
    ['into itself', { from: 'two', to: 'two/inner' }, '400 path_invalid'],
    ['onto itself', { from: 'two', to: 'two' }, '400 path_invalid'],
    ['of everything', { from: '', to: 'two' }, '400 path_invalid'],
    ['without a target folder', { from: 'two', to: '' }, '400 path_invalid'],
    ['out of the project', { from: 'two', to: '../two' }, '400 path_invalid'],
    ['of a folder with an invalid path', { from: '/two', to: 'three' }, '400 path_invalid'],
  ];
  for (const [title, body, expected] of rows)
    it(title, async () => {
      assert.equal(await client.refuse(moveFolder, { body }), expected);
      assert.equal(await owner.refuse(moveProjectFolder, { params, body }), expected);
    });

  it('during too many others', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `busy${index}`);
    for (const name of names) await fillFolder(await service.openStore(), name, 400);
    const codes = await Promise.all(
      names.map(async (from, index) => {
        const body = { from, to: `${from} moved` };
        const response = await (index % 2 === 0
          ? client.send(moveFolder, { body })
          : owner.send(moveProjectFolder, { params, body }));
        return response.status;
      }),
    );
    assert.deepEqual(codes.toSorted(), [200, 200, 200, 200, 503, 503]);
  });
});
