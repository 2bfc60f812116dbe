/** Private files look the same as missing files, and no link outlasts its time, covers more or can be repeated. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import { deleteFile } from '@tapedeck/contract/files';
import * as projectFiles from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';
import { makePicture, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
await owner.call(updateProject, { params: { project: 'default' }, body: { trashDays: 30 } });
const picture = await makePicture(800, 600);
const hidden = () => uploadFile(service, picture, { visibility: 'private' });

const link = async (file: string, body: { expiresIn?: number } = {}) =>
  pathOf((await client.call(actions.linkFile, { params: { file }, body })).data.url);

const perRequest = ['date', 'x-request-id', 'keep-alive', 'connection'];

async function describeAnswer(response: Response) {
  const headers = [...response.headers].filter(([name]) => !perRequest.includes(name));
  const body = (await response.text()).replaceAll(/"requestId":"[^"]*"/g, '');
  return { status: response.status, headers, body };
}

describe('a private file looks as if it did not exist', () => {
  const good = 'a'.repeat(43);
  const rows: readonly [query: string, init: RequestInit][] = [
    ['', {}],
    ['', { method: 'HEAD' }],
    ['', { method: 'OPTIONS' }],
    ['', { method: 'DELETE' }],
    ['', { headers: { range: 'bytes=0-9' } }],
    ['', { headers: { range: 'bytes=99999999-' } }],
    ['', { headers: { range: 'bytes=0-1,4-5' } }],
    ['', { headers: { 'if-match': '"none"' } }],
    ['', { headers: { 'if-none-match': '*' } }],
    ['', { headers: { 'if-modified-since': new Date().toUTCString() } }],
    ['', { headers: { 'if-unmodified-since': new Date(0).toUTCString() } }],
    ['', { headers: { origin: 'https://example.org', referer: 'https://example.org/' } }],
    ['?w=320', {}],
    ['?w=7', {}],
    ['?w=none', {}],
    ['?format=exe', {}],
    ['?fit=cover', {}],
    ['?poster', {}],
    ['?waveform&w=320', {}],
    ['?strip', { method: 'HEAD' }],
    ['?download=1', {}],
    ['?expires=1', {}],
    ['?signature=t', {}],
    [`?expires=1&signature=tx.${good}`, {}],
    [`?expires=99999999999&signature=tx.${good}`, {}],
    [`?expires=99999999999&signature=tx.${good}&signature=ty.${good}`, {}],
    [`?expires=NaN&signature=tx.${good}`, {}],
    [`?expires=&signature=${'x'.repeat(5000)}`, {}],
    ['?signature[]=t&expires[]=1', {}],
  ];
  for (const [query, init] of rows)
    it(`${init.method ?? 'GET'} ${query.slice(0, 40)} ${JSON.stringify(init.headers ?? {})}`, async () => {
      const { id, url } = await hidden();
      assert.equal((await service.fetch(await link(id))).status, 200); // in memory from here on
      const path = pathOf(url);
      const missing = path.replace(/[^/]+$/, name => `${'A'.repeat(name.indexOf('.'))}.png`);
      const [one, other] = [
        await service.fetch(path + query, init),
        await service.fetch(missing + query, init),
      ];
      const answer = await describeAnswer(one);
      assert.ok(answer.status >= 400 || init.method === 'OPTIONS', String(answer.status));
      assert.deepEqual(answer, await describeAnswer(other));
    });
});

describe('a modified link opens nothing', () => {
  const changes: readonly [how: string, change: (signed: URL) => void][] = [
    ['later', url => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1))],
    ['a leading zero', url => url.searchParams.set('expires', `0${url.searchParams.get('expires')}`)],
    ['a leading plus', url => url.searchParams.set('expires', `+${url.searchParams.get('expires')}`)],
    ['a trailing space', url => url.searchParams.set('expires', `${url.searchParams.get('expires')} `)],
    ['a fraction', url => url.searchParams.set('expires', `${url.searchParams.get('expires')}.0`)],
    ['infinity', url => url.searchParams.set('expires', 'Infinity')],
    ['no time', url => url.searchParams.delete('expires')],
    ['no signature', url => url.searchParams.delete('signature')],
    ['a user instead of the token', url => changeSignature(url, text => text.replace(/^t/, 'u'))],
    ['another token', url => changeSignature(url, text => text.replace(/^t/, 'tA'))],
    [
      'one letter',
      url =>
        changeSignature(url, text => text.replace(/\.(.)/, (_, a: string) => `.${a === 'A' ? 'B' : 'A'}`)),
    ],
    [
      'other letter case',
      url => changeSignature(url, text => text.replace(/\..*/, mac => mac.toUpperCase())),
    ],
    ['padding', url => changeSignature(url, text => `${text}=`)],
    ['an extra part', url => changeSignature(url, text => `${text}.x`)],
    ['a NUL', url => changeSignature(url, text => `${text}\0`)],
  ];
  for (const [how, change] of changes)
    it(how, async () => {
      const { id } = await hidden();
      const url = new URL(await link(id), service.url);
      change(url);
      for (const form of ['', '&w=320', '&poster&w=320', '&download=1'])
        for (const method of ['GET', 'HEAD']) {
          const response = await service.fetch(url.pathname + url.search + form, { method });
          assert.deepEqual([response.status, response.headers.get('etag')], [404, null], form);
        }
    });
});

function changeSignature({ searchParams }: URL, change: (text: string) => string): void {
  searchParams.set('signature', change(searchParams.get('signature') ?? ''));
}

test('a link of a file that is trashed, restored, moved and deleted', async () => {
  const { id } = await hidden();
  const signed = await link(id);
  const read = async () => [
    (await service.fetch(signed)).status,
    (await service.fetch(`${signed}&w=320`)).status,
    (await service.fetch(signed, { headers: { range: 'bytes=0-3' } })).status,
  ];
  const file = { params: { file: id } };
  assert.deepEqual(await read(), [200, 200, 206]);
  await client.call(deleteFile, { ...file, query: { trash: 'true' } });
  assert.deepEqual(await read(), [404, 404, 404]);
  await client.call(actions.restoreFile, file);
  assert.deepEqual(await read(), [200, 200, 206]);
  await client.call(actions.updateFile, { ...file, body: { path: 'elsewhere', filename: 'other.png' } });
  assert.deepEqual(await read(), [200, 200, 206]);
  await client.call(deleteFile, file);
  assert.deepEqual(await read(), [404, 404, 404]);
});

test('another project can neither link the file nor open it with its own link', async () => {
  const project = await addProject(owner, 'other');
  const { token } = await addToken(owner, { kind: 'media', project });
  const { id, url } = await hidden();
  const outsider = withToken(service, token);
  assert.equal(await outsider.refuse(actions.linkFile, { params: { file: id }, body: {} }), '404 not_found');
  const inProject = { params: { project, file: id }, body: {} };
  assert.equal(await owner.refuse(projectFiles.linkProjectFile, inProject), '404 not_found');
  const query = (await link((await hidden()).id)).split('?')[1];
  for (const path of [pathOf(url), pathOf(url).replace('/default/', `/${project}/`)])
    assert.equal((await service.fetch(`${path}?${query}`)).status, 404);
});

test('an expired link reveals only that it expired', async () => {
  const { id } = await hidden();
  const signed = await link(id, { expiresIn: 1 });
  const tag = (await service.fetch(signed)).headers.get('etag') ?? '';
  assert.notEqual(tag, '');
  service.clock.advance(2_000);
  for (const query of ['', '&w=320', '&w=7', '&format=exe', '&poster', '&download=1'])
    for (const headers of [
      {},
      { range: 'bytes=0-3' },
      { range: 'bytes=99999999-' },
      { 'if-none-match': tag },
    ]) {
      const response = await service.fetch(signed + query, { headers });
      for (const name of ['etag', 'last-modified', 'content-range', 'content-disposition'])
        assert.equal(response.headers.get(name), null, name);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(await describeRefusal(response), '410 link_expired');
    }
});

test('no response or log line repeats a signature or leaks it to another page', async () => {
  const { id } = await hidden();
  const signed = await link(id);
  const signature = signed.split('signature=')[1] ?? '';
  assert.ok(signature.length > 40);
  const ways: readonly [query: string, headers: Record<string, string>, status: number][] = [
    ['', {}, 200],
    ['', { range: 'bytes=0-3' }, 206],
    ['', { range: 'bytes=0-1,4-5' }, 206],
    ['', { 'if-none-match': '*' }, 304],
    ['', { 'if-match': '"none"' }, 412],
    ['', { range: 'bytes=99999999-' }, 416],
    ['&w=320', {}, 200],
    ['&w=7', {}, 400],
    ['x', {}, 404],
  ];
  for (const [query, headers, status] of ways) {
    const response = await service.fetch(signed + query, { headers });
    assert.equal(response.status, status, query);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.match(response.headers.get('cache-control') ?? '', /^(private, no-cache|no-store)$/);
    assert.ok(!JSON.stringify([...response.headers]).includes(signature));
    assert.ok(!(await response.text()).includes(signature));
  }
  assert.ok(!service.logged.join('').includes(signature));
});
