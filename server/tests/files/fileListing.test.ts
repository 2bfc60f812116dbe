/** Lists of files: order, pages, cursors, filters and exact totals. Also reading a single file by id or key, and deletion. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { composePath, describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import {
  type FileRecord,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  readRecord,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture();
const sound = makeSound();

type Page = {
  data: FileRecord[];
  pagination: { limit: number; page: number; total: number; nextCursor: string | null };
  status: string;
};
const request = (query: Record<string, string | number> = {}, token = mediaToken) =>
  service.fetch(composePath({ path: '/api/v3/file' }, { query }), { headers: { authorization: token } });
async function list(query: Record<string, string | number> = {}, token = mediaToken): Promise<Page> {
  const response = await request(query, token);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Page; // checked field by field below
}

const uploads: [string, Buffer, Record<string, string>][] = [
  [
    'a',
    picture,
    {
      filename: 'Ärger.png',
      path: 'clips',
      metadata: '{"game":"chess","pos":{"x":1.5},"tags":["new",true,null]}',
    },
  ],
  ['b', picture, { filename: '100%_sure.png', path: 'clips/old' }],
  ['c', sound, { filename: 'my long song.wav', path: 'clips/old/older', metadata: '{"game":"chess"}' }],
  ['d', sound, { filename: 'clipsx', path: 'clipsx' }],
  ['e', picture, { filename: 'root', metadata: '{"game":"go","a.b":"dotted"}' }],
  ['f', picture, { filename: 'ROOT two' }],
  ['g', picture, { filename: 'ab"cd ΟΔΟΣΑ' }],
];
const names = new Map<string, string>();
for (const [name, bytes, fields] of uploads) names.set((await uploadFile(service, bytes, fields)).id, name);
const spell = (page: Page) => page.data.map(({ id }) => names.get(id) ?? '?').join('');

/** Makes different terms that match no file name. */
const listTerms = (count: number) => Array.from({ length: count }, (_, index) => `term${index}`).join(' ');
const listConditions = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`metadata.k${index}`, 'x']));

describe('filters, newest first, with exact totals', () => {
  const rows: [Record<string, string | number>, string][] = [
    [{}, 'gfedcba'],
    [{ type: 'image' }, 'gfeba'],
    [{ type: 'audio' }, 'dc'],
    [{ type: 'video' }, ''],
    [{ path: 'clips' }, 'cba'],
    [{ path: 'clips/' }, 'cba'],
    [{ path: 'clips/old' }, 'cb'],
    [{ path: 'clips/old/older' }, 'c'],
    [{ path: 'clip' }, ''],
    [{ path: 'clips', type: 'audio' }, 'c'],
    [{ path: '' }, 'gfedcba'],
    [{ q: 'root' }, 'fe'],
    [{ q: 'ärger' }, 'a'],
    [{ q: 'song my' }, 'c'],
    [{ q: '"long song"' }, 'c'],
    [{ q: '"song long"' }, ''],
    [{ q: '%' }, 'b'],
    [{ q: '_' }, 'b'],
    [{ q: '\\' }, ''],
    [{ q: 'root', type: 'audio' }, ''],
    [{ q: '' }, 'gfedcba'],
    [{ q: 'ab"cd' }, 'g'],
    [{ q: 'cd"ab' }, ''],
    [{ q: '"cd οδο' }, 'g'],
    [{ q: 'οδος' }, 'g'],
    [{ q: 'ΟΔΟΣ' }, 'g'],
    [{ q: listTerms(64) }, ''],
    [{ q: `${'root '.repeat(2000)}` }, 'fe'],
    [{ 'metadata.game': 'chess' }, 'ca'],
    [{ 'metadata.game': 'chess', type: 'image' }, 'a'],
    [{ 'metadata.game': 'chess', path: 'clips/old' }, 'c'],
    [{ 'metadata.pos.x': '1.5' }, 'a'],
    [{ 'metadata.tags.0': 'new' }, 'a'],
    [{ 'metadata.tags.1': 'true' }, 'a'],
    [{ 'metadata.tags.2': 'null' }, 'a'],
    [{ 'metadata.a.b': 'dotted' }, 'e'],
    [{ 'metadata.game': 'chess', 'metadata.pos.x': '1.5' }, 'a'],
    [{ 'metadata.game': 'Chess' }, ''],
    [{ 'metadata.game': 'chess', q: 'song' }, 'c'],
    [listConditions(64), ''],
    [{ unknown: 'key' }, 'gfedcba'],
  ];
  for (const [query, expected] of rows) {
    test(JSON.stringify(query), async () => {
      const whole = await list(query);
      assert.deepEqual([spell(whole), whole.pagination.total], [expected, expected.length]);
      // Reads the same in pages of two, by number and by cursor.
      let paged = '';
      for (let page = 1; page <= 5; page += 1) {
        const some = await list({ ...query, limit: 2, page });
        assert.deepEqual(
          [some.pagination.total, some.pagination.page, some.pagination.limit],
          [expected.length, page, 2],
        );
        assert.equal(some.pagination.nextCursor === null, page * 2 >= expected.length);
        paged += spell(some);
      }
      assert.equal(paged, expected);
      let walked = '';
      for (let cursor: string | null = ''; cursor !== null; ) {
        const some: Page = await list({ ...query, limit: 2, ...(cursor !== '' && { cursor }) });
        assert.equal(some.pagination.total, expected.length);
        walked += spell(some);
        cursor = some.pagination.nextCursor;
      }
      assert.equal(walked, expected);
    });
  }
  test('one metadata path with two values matches nothing', async () => {
    const response = await service.fetch('/api/v3/file?metadata.game=chess&metadata.game=go', {
      headers: { authorization: mediaToken },
    });
    assert.deepEqual(((await response.json()) as Page).data, []);
  });
});

describe('pages', () => {
  test('the defaults are page 1 of 50', async () => {
    const { pagination, status } = await list();
    assert.deepEqual([pagination.limit, pagination.page, status], [50, 1, 'ok']);
  });
  test('a limit above 100 is 100', async () =>
    assert.equal((await list({ limit: 101 })).pagination.limit, 100));
  for (const page of [7, 10 ** 9, Number.MAX_SAFE_INTEGER, '9'.repeat(30)]) {
    test(`page ${page} is empty, with the correct total`, async () => {
      for (const more of [{}, { q: 'o' }]) {
        const { data, pagination } = await list({ page, limit: 100, ...more });
        assert.deepEqual([data, pagination.nextCursor], [[], null]);
        assert.ok(pagination.total > 0);
      }
    });
  }
  const refusals: [Record<string, string | number>, string][] = [
    [{ limit: 0 }, '400 invalid_field'],
    [{ limit: -1 }, '400 invalid_field'],
    [{ limit: 'ten' }, '400 invalid_field'],
    [{ limit: 1.5 }, '400 invalid_field'],
    [{ page: 0 }, '400 invalid_field'],
    [{ page: 'x' }, '400 invalid_field'],
    [{ type: 'text' }, '400 invalid_field'],
    [{ type: 'Image' }, '400 invalid_field'],
    [{ path: '../x' }, '400 path_invalid'],
    [{ cursor: 'x' }, '400 cursor_invalid'],
    [{ cursor: '' }, '400 cursor_invalid'],
    [{ q: '\0' }, '400 invalid_field'],
    [{ q: listTerms(65) }, '400 invalid_field'],
    [{ q: listTerms(1500) }, '400 invalid_field'],
    [listConditions(65), '400 invalid_field'],
    [listConditions(900), '400 invalid_field'],
  ];
  for (const [query, expected] of refusals)
    test(`${JSON.stringify(query)} is ${expected}`, async () =>
      assert.equal(await describeRefusal(await request(query)), expected));
});

test('a cursor is stable while files are added and deleted, and valid only for its own list', async () => {
  await addProject(owner, 'moving');
  const { token } = await addToken(owner, { project: 'moving' });
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) ids.push((await uploadFile(service, picture, {}, { token })).id);
  const first = await list({ limit: 3 }, token);
  const cursor = first.pagination.nextCursor!;
  await uploadFile(service, picture, {}, { token });
  await service.fetch(`/api/v3/file/${ids[5]}`, { method: 'DELETE', headers: { authorization: token } });
  await service.fetch(`/api/v3/file/${ids[2]}`, { method: 'DELETE', headers: { authorization: token } });
  const rest = await list({ limit: 100, cursor }, token);
  assert.deepEqual(
    [...first.data, ...rest.data].map(({ id }) => id),
    [ids[6], ids[5], ids[4], ids[3], ids[1], ids[0]],
  );
  assert.equal(rest.pagination.total, 6);
  assert.equal(await describeRefusal(await request({ cursor })), '400 cursor_invalid', 'of another project');
  for (const tampered of [`${cursor}x`, cursor.replace(/^./, 'Z'), `${cursor}.x`, cursor.split('.')[0]!])
    assert.equal(
      await describeRefusal(await request({ cursor: tampered }, token)),
      '400 cursor_invalid',
      tampered,
    );
});

describe('one file', () => {
  test('is found by id, and by key with encoded or plain slashes', async () => {
    const { id } = await uploadFile(service, picture, { filename: 'ü %2F?#', path: 'x y/z' });
    const { key } = await readRecord(service, id);
    const plain = key.split('/').map(encodeURIComponent).join('/');
    for (const name of [id, encodeURIComponent(key), plain, plain.replaceAll('%C3%BC', 'u%CC%88')]) {
      const response = await service.fetch(`/api/v3/file/${name}`, {
        headers: { authorization: mediaToken },
      });
      const { data, status } = (await response.json()) as { data: FileRecord; status: string };
      assert.deepEqual([data.id, status], [id, 'ok'], name);
    }
    const init = { method: 'DELETE', headers: { authorization: mediaToken } };
    const deleted = await service.fetch(`/api/v3/file/${plain}`, init);
    assert.deepEqual(await deleted.json(), { status: 'ok', message: 'File deleted.' });
    for (const name of [id, plain])
      assert.equal(await describeRefusal(await service.fetch(`/api/v3/file/${name}`, init)), '404 not_found');
    assert.ok((await list({ path: 'x y' })).data.every(each => each.id !== id));
  });
  test('returns 404 for an unknown file', async () => {
    for (const name of ['x'.repeat(20), 'a/b/c.png', 'a%00b', '%2e%2e/x', 'ü'.repeat(300)])
      assert.equal(
        await describeRefusal(
          await service.fetch(`/api/v3/file/${name}`, { headers: { authorization: mediaToken } }),
        ),
        '404 not_found',
        name,
      );
  });
  test('returns 404 for a key of another project, and for a prefix of a key', async () => {
    const { id } = await uploadFile(service, picture, { path: 'deep/er' });
    const { key } = await readRecord(service, id);
    const { token } = await addToken(owner, { project: await addProject(owner, 'stranger') });
    for (const [name, by] of [
      [key, token],
      [id, token],
      ['deep/er', mediaToken],
      [key.slice(0, -1), mediaToken],
    ] as const)
      assert.equal(
        await describeRefusal(
          await service.fetch(`/api/v3/file/${name}`, { headers: { authorization: by } }),
        ),
        '404 not_found',
      );
  });
});
