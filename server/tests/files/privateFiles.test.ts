/** Attacks private files: without a valid signature no byte comes out, and with one only the signed file's bytes. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import * as projectFiles from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import { revokeToken } from '@tapedeck/contract/tokens';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';
import {
  makePicture,
  makePoster,
  mediaEnvironment,
  mediaToken,
  pathOf,
  uploadFile,
} from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };
const picture = await makePicture(800, 600);
const privately = { visibility: 'private' };

const link = async (file: string, body: { expiresIn?: number } = {}) =>
  pathOf((await client.call(actions.linkFile, { params: { file }, body })).data.url);

describe('a private file cannot be read without a signature', () => {
  const etag = async (id: string) => (await service.fetch(await link(id))).headers.get('etag') ?? '';
  const attacks: [string, (path: string, id: string) => Promise<Response>][] = [
    ['as stored', path => service.fetch(path)],
    ['as HEAD', path => service.fetch(path, { method: 'HEAD' })],
    ['in a range', path => service.fetch(path, { headers: { range: 'bytes=0-9' } })],
    ['smaller', path => service.fetch(`${path}?w=320`)],
    ['in several ranges', path => service.fetch(path, { headers: { range: 'bytes=0-1,4-5' } })],
    ['in another format', path => service.fetch(`${path}?format=webp`)],
    ['cut to a box', path => service.fetch(`${path}?w=320&h=320&fit=cover&format=jpeg`)],
    ['as a still', path => service.fetch(`${path}?poster&w=320`)],
    ['as a strip of stills', path => service.fetch(`${path}?strip&w=320`)],
    ['as a waveform', path => service.fetch(`${path}?waveform&w=320`)],
    ['as a download', path => service.fetch(`${path}?download=1`)],
    [
      'with its ETag',
      async (path, id) => service.fetch(path, { headers: { 'if-none-match': await etag(id) } }),
    ],
    [
      'since a date',
      path => service.fetch(path, { headers: { 'if-modified-since': new Date().toUTCString() } }),
    ],
    ['with a token', path => service.fetch(path, { headers: { authorization: mediaToken } })],
    ['encoded otherwise', path => service.fetch(path.replace('/default/', '/%64efault/'))],
    [
      'from another host',
      path => service.fetch(path, { headers: { 'x-forwarded-host': 'cdn.example.org' } }),
    ],
    ['with an empty signature', path => service.fetch(`${path}?expires=99999999999&signature=`)],
    ['with a forged signature', path => service.fetch(`${path}?expires=99999999999&signature=t.`)],
  ];
  for (const [how, attack] of attacks)
    it(how, async () => {
      const { id, url } = await uploadFile(service, picture, privately);
      // Bytes that were read are in memory.
      for (const query of ['', '&w=320', '&download=1'])
        assert.equal((await service.fetch((await link(id)) + query)).status, 200);
      const response = await attack(pathOf(url), id);
      assert.equal(response.status, 404);
      assert.ok(!(await response.text()).includes('PNG'));
      for (const header of ['etag', 'last-modified', 'content-range'])
        assert.equal(response.headers.get(header), null, header);
    });
});

test('a file that becomes private leaves its public URL at once, in all forms, also from memory', async () => {
  const { id, url } = await uploadFile(service, picture);
  const ways: [query: string, init: RequestInit][] = [
    ['', {}],
    ['', { method: 'HEAD' }],
    ['', { headers: { range: 'bytes=0-9' } }],
    ['?w=320', {}],
    ['?w=320', { headers: { range: 'bytes=0-9' } }],
    ['?h=320&format=jpeg', {}],
    ['?download=1', {}],
  ];
  const etags: string[] = [];
  const read = async (way = 0) => {
    const [query, init] = ways[way] ?? ['', {}];
    return await service.fetch(pathOf(url) + query, init);
  };
  for (let round = 0; round < 3; round++)
    for (const way of ways.keys()) {
      const response = await read(way);
      assert.ok(response.ok);
      etags.push(response.headers.get('etag') ?? '');
      await response.arrayBuffer();
    }
  await client.call(actions.updateFile, { params: { file: id }, body: { visibility: 'private' } });
  for (const way of ways.keys()) {
    const response = await read(way);
    const { headers } = response;
    assert.deepEqual(
      [response.status, headers.get('etag'), headers.get('cache-control')],
      [404, null, 'no-store'],
      JSON.stringify(ways[way]),
    );
    assert.ok(!(await response.text()).includes('PNG'));
  }
  for (const etag of new Set(etags)) {
    const headers = { 'if-none-match': etag };
    for (const query of ['', '?w=320'])
      assert.equal((await service.fetch(pathOf(url) + query, { headers })).status, 404);
  }
  await client.call(actions.updateFile, { params: { file: id }, body: { visibility: 'public' } });
  assert.equal((await read()).status, 200);
});

test('the domain of a project serves its public files, and private ones only by link', async () => {
  const domain = { cdnDomain: 'files.example.org', cdnEnabled: true };
  await owner.call(updateProject, { params, body: domain });
  const [shown, hidden] = [await uploadFile(service, picture), await uploadFile(service, picture, privately)];
  const read = async (path: string, how = 'GET') => {
    const request = `${how} ${path} HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\n\r\n`;
    const { answers } = await talk(service.url, [request], { asksForHead: how === 'HEAD' });
    return answers[0]?.status;
  };
  const signed = await link(hidden.id);
  for (const url of [shown.url, hidden.url, signed]) assert.ok(pathOf(url).startsWith('/default/'), url);
  const hiddenPath = pathOf(hidden.url);
  for (const [path, expected] of [
    [pathOf(shown.url), 200],
    [pathOf(signed), 200], // in memory from here on
    [hiddenPath, 404],
    [`${hiddenPath}?w=320`, 404],
    [pathOf(hidden.originalUrl), 404],
  ] as const)
    for (const method of ['GET', 'HEAD'])
      assert.equal(await read(path, method), expected, `${method} ${path}`);
  await owner.call(updateProject, { params, body: { ...domain, cdnEnabled: false } });
});

test('a link opens every form of its file, and shared caches may not store it', async () => {
  const { id } = await uploadFile(service, picture, privately);
  const signed = await link(id);
  for (const query of ['', '&w=320', '&download=1']) {
    const response = await service.fetch(signed + query);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('cache-control') ?? '', /^private/);
  }
  const part = await service.fetch(signed, { headers: { range: 'bytes=0-3' } });
  assert.deepEqual([part.status, part.headers.get('cache-control')], [206, 'private, no-cache']);
  const tag = (await service.fetch(signed)).headers.get('etag') ?? '';
  const same = await service.fetch(signed, { headers: { 'if-none-match': tag } });
  assert.deepEqual([same.status, same.headers.get('cache-control')], [304, 'private, no-cache']);
});

describe('rejects a link', () => {
  it('for another file', async () => {
    const [one, other] = [
      await uploadFile(service, picture, privately),
      await uploadFile(service, picture, privately),
    ];
    const query = (await link(one.id)).split('?')[1];
    assert.equal(
      await describeRefusal(await service.fetch(`${pathOf(other.url)}?${query}`)),
      '404 not_found',
    );
  });

  it('when any part of it was changed', async () => {
    const { id } = await uploadFile(service, picture, privately);
    const signed = await link(id);
    const changed = [
      signed.replace(/expires=(\d+)/, (_, seconds: string) => `expires=${Number(seconds) + 1}`),
      signed.replace(/signature=t/, 'signature=u'),
      `${signed}x`,
      signed.slice(0, -1),
    ];
    for (const one of changed)
      assert.equal(await describeRefusal(await service.fetch(one)), '404 not_found', one);
  });

  it('after it expired', async () => {
    const { id } = await uploadFile(service, picture, privately);
    const signed = await link(id, { expiresIn: 1 });
    assert.equal((await service.fetch(signed)).status, 200);
    service.clock.advance(2_000);
    assert.equal(await describeRefusal(await service.fetch(signed)), '410 link_expired');
    const shown = await service.fetch(signed, { headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.deepEqual([shown.status, shown.headers.get('x-error-code')], [410, 'link_expired']);
    assert.match(await shown.text(), /<h1>This link has expired<\/h1>/);
  });

  it('when the token that created it was revoked', async () => {
    const { token, id: tokenId } = await addToken(owner, { kind: 'media' });
    const { id } = await uploadFile(service, picture, privately);
    const { data } = await withToken(service, token).call(actions.linkFile, {
      params: { file: id },
      body: {},
    });
    assert.equal((await service.fetch(pathOf(data.url))).status, 200);
    await owner.call(revokeToken, { params: { ...params, token: tokenId } });
    assert.equal(await describeRefusal(await service.fetch(pathOf(data.url))), '410 link_expired');
  });

  for (const expiresIn of [0, 1.5, 604_801])
    it(`for ${expiresIn} seconds`, async () => {
      const { id } = await uploadFile(service, picture, privately);
      assert.equal(
        await client.refuse(actions.linkFile, { params: { file: id }, body: { expiresIn } }),
        '400 invalid_field',
      );
    });

  it('for a file that does not exist, or outside the scope', async () => {
    const missing = { params: { file: 'A'.repeat(20) }, body: {} };
    assert.equal(await client.refuse(actions.linkFile, missing), '404 not_found');
    const inProject = { params: { ...params, ...missing.params }, body: {} };
    assert.equal(await owner.refuse(projectFiles.linkProjectFile, inProject), '404 not_found');
    const { id } = await uploadFile(service, picture, privately);
    const { token } = await addToken(owner, { kind: 'media', scopes: ['read', 'path:a'] });
    const outside = { params: { file: id }, body: {} };
    assert.equal(await withToken(service, token).refuse(actions.linkFile, outside), '404 not_found');
  });
});

test('a user can create a link, which works until they leave the project', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { id } = await uploadFile(service, picture, privately);
  const input = { params: { ...params, file: id }, body: { expiresIn: 60 } };
  const { data } = await viewer.call(projectFiles.linkProjectFile, input);
  assert.equal((await service.fetch(pathOf(data.url))).status, 200);
  const store = await service.openStore();
  await store.write(records => records.memberships.remove(viewer.id, 'default'));
  assert.equal(await describeRefusal(await service.fetch(pathOf(data.url))), '410 link_expired');
});

test('folder rules apply without a visibility, the longest first, on every upload route', async () => {
  const folders = [
    { path: 'evidence', visibility: 'private' },
    { path: 'evidence/shown', visibility: 'public' },
  ] as const;
  await owner.call(updateProject, { params, body: { visibility: { folders: [...folders] } } });
  const { postJson, post } = makePoster(service);
  const base64 = picture.toString('base64');
  const status = async (url: string) => (await service.fetch(pathOf(url))).status;
  const rows: [Record<string, string>, number][] = [
    [{ path: 'evidence' }, 404],
    [{ path: 'evidence/case' }, 404],
    [{ path: 'evidence/shown' }, 200],
    [{ path: 'evidence', visibility: 'public' }, 200],
    [{ path: 'evidence-2' }, 200],
    [{ path: 'free', visibility: 'private' }, 404],
  ];
  for (const [fields, expected] of rows) {
    assert.equal(
      await status((await uploadFile(service, picture, fields)).url),
      expected,
      JSON.stringify(fields),
    );
    for (const response of [
      await postJson({ base64, ...fields }),
      await post(
        `/api/v3/file?${new URLSearchParams(fields)}`,
        { 'content-type': 'image/png' },
        new Uint8Array(picture),
      ),
    ]) {
      // The shape of an upload result.
      const { data } = (await response.json()) as { data: { url: string } };
      assert.equal(await status(data.url), expected, JSON.stringify(fields));
    }
  }
  const twice = { folders: [folders[0], folders[0]] };
  assert.equal(
    await owner.refuse(updateProject, { params, body: { visibility: twice } }),
    '400 invalid_field',
  );
  const nowhere = { folders: [{ path: '../x', visibility: 'private' as const }] };
  assert.equal(
    await owner.refuse(updateProject, { params, body: { visibility: nowhere } }),
    '400 path_invalid',
  );
});

test('rejects an unknown visibility', async () => {
  const response = await makePoster(service).postJson({
    base64: picture.toString('base64'),
    visibility: 'secret',
  });
  assert.equal(await describeRefusal(response), '400 invalid_field');
});
