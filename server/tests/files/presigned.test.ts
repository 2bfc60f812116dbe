/** Presigned URLs: what they grant, how often and how long. Nothing widens them. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deleteProject } from '@tapedeck/contract/projects';
import { composePath, describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import {
  composeForm,
  formOf,
  listTraces,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUploaded,
  readUsage,
  sendForm,
} from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_PUBLIC_URL: 'https://media.example.org' },
});
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture();
const sound = makeSound();
const longPicture = Buffer.concat([picture, Buffer.alloc(1000)]);

const get = (query: Record<string, string | number> = {}, token = mediaToken) =>
  service.fetch(composePath({ path: '/api/v3/file/presigned-url' }, { query }), {
    headers: { authorization: token },
  });

/** Returns the path to upload to. */
async function presign(query: Record<string, string | number> = {}, token = mediaToken): Promise<string> {
  const response = await get(query, token);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { data } = JSON.parse(text) as { data: { presignedUrl: string } };
  assert.match(
    data.presignedUrl,
    /^https:\/\/media\.example\.org\/api\/v3\/file\/presigned-url\/[\w-]+\.[\w-]+\.[\w-]+$/,
  );
  return pathOf(data.presignedUrl);
}

const send = (route: string, form = formOf(picture), method = 'POST') =>
  sendForm(service, form, { route, token: '', method });
const readPayload = (route: string) =>
  JSON.parse(Buffer.from(route.split('/').at(-1)!.split('.')[1]!, 'base64url').toString()) as Record<
    string,
    unknown
  >;
const seconds = () => Math.floor(service.clock.now() / 1000);

test('the token is an HS256 JWT with teamId and exp, valid for a quarter of an hour', async () => {
  const route = await presign();
  const [header = ''] = route.split('/').at(-1)!.split('.');
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { alg: 'HS256', typ: 'JWT' });
  const { teamId, exp } = readPayload(route);
  assert.equal(teamId, 'default');
  assert.ok(Math.abs(Number(exp) - seconds() - 900) <= 2);
});

describe('when it expires', () => {
  const rows: [string, () => number, number | string][] = [
    ['Unix seconds', () => seconds() + 60, 60],
    ['Unix milliseconds', () => (seconds() + 60) * 1000, 60],
    ['in just under seven days', () => seconds() + 7 * 86_400 - 2, 7 * 86_400 - 2],
    ['in the past', () => seconds() - 1, '400 invalid_field'],
    ['in the past, in milliseconds', () => (seconds() - 10) * 1000, '400 invalid_field'],
    ['at the epoch', () => 0, '400 invalid_field'],
    ['before it', () => -5, '400 invalid_field'],
    ['in more than seven days', () => seconds() + 7 * 86_400 + 5, '400 invalid_field'],
    ['with a fraction', () => seconds() + 60.5, '400 invalid_field'],
  ];
  for (const [title, expiresAt, expected] of rows) {
    test(`${title}: ${expected}`, async () => {
      const given = expiresAt();
      if (typeof expected === 'string')
        assert.equal(await describeRefusal(await get({ expiresAt: given })), expected);
      else
        assert.ok(
          Math.abs(Number(readPayload(await presign({ expiresAt: given })).exp) - seconds() - expected) <= 2,
        );
    });
  }
  test('returns 410 once expired, used or not', async () => {
    const [used, unused] = [await presign({ uses: 2 }), await presign()];
    await readUploaded(await send(used));
    service.clock.advance(15 * 60_000 + 1000);
    for (const route of [used, unused])
      assert.equal(await describeRefusal(await send(route)), '410 presigned_expired');
  });
});

describe('rejects an invalid request', () => {
  const rows: [Record<string, string | number>, string][] = [
    [{ uses: 0 }, '400 invalid_field'],
    [{ uses: 1001 }, '400 invalid_field'],
    [{ uses: 'x' }, '400 invalid_field'],
    [{ type: 'text' }, '400 invalid_field'],
    [{ maxSize: 0 }, '400 invalid_field'],
    [{ path: '../x' }, '400 path_invalid'],
    [{ expiresAt: 'tomorrow' }, '400 invalid_field'],
    [{ expiresAt: '9'.repeat(40) }, '400 invalid_field'],
  ];
  for (const [query, expected] of rows)
    test(JSON.stringify(query), async () => assert.equal(await describeRefusal(await get(query)), expected));
  test('allows a thousand uses', async () => void (await presign({ uses: 1000 })));
});

test('uploads without credentials by POST and PUT, with both spellings of the flag', async () => {
  const route = await presign({ uses: 3 });
  const rows = [
    ['POST', 'retentionExempt'],
    ['PUT', 'retention_exempt'],
    ['POST', 'other'],
  ] as const;
  for (const [method, flag] of rows) {
    const form = formOf(picture, { [flag]: 'true', filename: 'n', path: 'p', metadata: '{"a":1}' });
    const { id } = await readUploaded(await send(route, form, method));
    const record = await readRecord(service, id);
    assert.equal(record.retentionExempt, flag !== 'other');
    assert.deepEqual([record.filename, record.path, record.metadata], ['n', 'p', { a: 1 }]);
  }
  assert.equal(await describeRefusal(await send(route)), '409 presigned_used');
});

test('of twenty concurrent uploads through a token of five uses, five succeed', async () => {
  const route = await presign({ uses: 5 });
  const before = await readUsage(service);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await send(route);
      return response.status === 200 ? '200' : describeRefusal(response);
    }),
  );
  assert.equal(outcomes.filter(outcome => outcome === '200').length, 5);
  assert.equal(outcomes.filter(outcome => outcome === '409 presigned_used').length, 15);
  assert.equal((await readUsage(service)).files, before.files + 5);
});

describe('returns a use when the upload fails', () => {
  const rows: [string, FormData, string][] = [
    ['no media', formOf(Buffer.from('this is no picture at all')), '415 unsupported_media'],
    ['no file', composeForm([['filename', 'x']]), '400 file_missing'],
    ['bad metadata', formOf(picture, { metadata: '[' }), '400 metadata_invalid'],
    ['too large', formOf(longPicture), '413 file_too_large'],
  ];
  for (const [title, form, expected] of rows) {
    test(title, async () => {
      const route = await presign({ maxSize: picture.length });
      assert.equal(await describeRefusal(await send(route, form)), expected);
      await readUploaded(await send(route));
      assert.equal(await describeRefusal(await send(route)), '409 presigned_used');
    });
  }
  test('interrupted in the middle', async () => {
    const route = await presign();
    const abort = new AbortController();
    const body = new ReadableStream({
      start: controller =>
        controller.enqueue(
          Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\x89PNG'),
        ),
      pull: () => abort.abort(),
    });
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      signal: abort.signal,
    };
    await assert.rejects(service.fetch(route, init as RequestInit), { name: 'AbortError' });
    // The service notices after a while.
    let response = await send(route);
    for (let turn = 0; turn < 100 && response.status === 409; turn += 1) response = await send(route);
    await readUploaded(response);
    const { staging, open } = await listTraces(service);
    assert.deepEqual({ staging, open }, { staging: [], open: [] });
  });
});

describe('restrictions of a token', () => {
  const paths: [string, string, string][] = [
    ['clips', '', 'clips'],
    ['clips', 'clips', 'clips'],
    ['clips', 'clips/a/b', 'clips/a/b'],
    ['clips', 'clipsx', '403 presigned_narrower'],
    ['clips', 'other', '403 presigned_narrower'],
    ['clips/a', 'clips', '403 presigned_narrower'],
    ['clips', 'clips/../x', '400 path_invalid'],
    ['', 'anywhere', 'anywhere'],
  ];
  for (const [bound, given, expected] of paths) {
    test(`restricted to "${bound}", given "${given}": ${expected}`, async () => {
      const route = await presign(bound === '' ? {} : { path: bound });
      const response = await send(route, formOf(picture, { path: given }));
      if (/^\d/.test(expected)) assert.equal(await describeRefusal(response), expected);
      else assert.equal((await readRecord(service, (await readUploaded(response)).id)).path, expected);
    });
  }
  test('returns 415 for another type', async () => {
    const route = await presign({ type: 'audio' });
    assert.equal(await describeRefusal(await send(route)), '415 unsupported_media');
    await readUploaded(await send(route, formOf(sound)));
  });
  test('the size limit is exact, and never above the limit of the service', async () => {
    const exact = await presign({ maxSize: picture.length });
    await readUploaded(await send(exact));
    const less = await presign({ maxSize: picture.length - 1 });
    assert.equal(await describeRefusal(await send(less)), '413 file_too_large');
    const wide = await presign({ maxSize: 10 ** 12 });
    const far = formOf(Buffer.alloc(34 * 1024 * 1024));
    assert.equal(await describeRefusal(await send(wide, far)), '413 file_too_large');
  });
  test('a scope of the API token also restricts it', async () => {
    const { token } = await addToken(owner, { scopes: ['write', 'type:image', 'path:clips'] });
    assert.equal(await describeRefusal(await get({ path: 'other' }, token)), '403 scope_missing');
    assert.equal(
      await describeRefusal(await get({ path: 'clips', type: 'video' }, token)),
      '403 scope_missing',
    );
    const route = await presign({ path: 'clips' }, token);
    assert.equal(await describeRefusal(await send(route, formOf(sound))), '415 unsupported_media');
    assert.equal((await readRecord(service, (await readUploaded(await send(route))).id)).path, 'clips');
    const reader = await addToken(owner, { scopes: ['read'] });
    assert.equal(await describeRefusal(await get({}, reader.token)), '403 scope_missing');
  });
});

describe('returns 401 for a forgery', () => {
  const forge = async (change: (parts: [string, string, string]) => string): Promise<string> => {
    const route = await presign();
    const at = route.lastIndexOf('/') + 1;
    const [header = '', payload = '', signature = ''] = route.slice(at).split('.');
    return route.slice(0, at) + change([header, payload, signature]);
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const rows: [string, (parts: [string, string, string]) => string][] = [
    [
      'another payload',
      ([header, , signature]) =>
        `${header}.${encode({ teamId: 'default', exp: 4e9, jti: 'x', uses: 9 })}.${signature}`,
    ],
    ['no algorithm', ([, payload]) => `${encode({ alg: 'none' })}.${payload}.`],
    ['another header', ([, payload, signature]) => `${encode({ alg: 'none' })}.${payload}.${signature}`],
    ['no signature', ([header, payload]) => `${header}.${payload}`],
    [
      'a truncated signature',
      ([header, payload, signature]) => `${header}.${payload}.${signature.slice(0, -2)}`,
    ],
    ['an extra part', parts => `${parts.join('.')}.x`],
    ['something else', () => 'token'],
  ];
  for (const [title, change] of rows)
    test(title, async () =>
      assert.equal(await describeRefusal(await send(await forge(change))), '401 presigned_unknown'),
    );
  test('the token of a deleted project', async () => {
    await addProject(owner, 'gone');
    const { token } = await addToken(owner, { project: 'gone' });
    const route = await presign({}, token);
    await owner.call(deleteProject, { params: { project: 'gone' } });
    assert.equal(await describeRefusal(await send(route)), '401 presigned_unknown');
  });
});

describe('a body that is not a form', () => {
  for (const method of ['POST', 'PUT']) {
    test(`returns 415 for ${method}, and does not count as a use`, async () => {
      const route = await presign();
      for (const type of ['image/png', 'application/json', 'text/plain', 'application/octet-stream']) {
        const response = await service.fetch(route, {
          method,
          body: new Uint8Array(picture),
          headers: { 'content-type': type },
        });
        assert.equal(await describeRefusal(response), '415 unsupported_content_type', type);
      }
      await readUploaded(await send(route));
    });
  }
});

test('GET and DELETE on a presigned URL are not those of files', async () => {
  const route = await presign();
  const toPrograms = 'POST, PUT, OPTIONS'; // GET is for browsers
  const allowed = { GET: toPrograms, HEAD: toPrograms, DELETE: 'POST, PUT, GET, HEAD, OPTIONS' };
  for (const [method, allow] of Object.entries(allowed)) {
    const response = await service.fetch(route, { method, headers: { authorization: mediaToken } });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), allow);
  }
});
