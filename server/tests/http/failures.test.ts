/** Requests that no route accepts: the order of the checks, and harmless leniences. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getState, signIn } from '@tapedeck/contract/accounts';
import { routes } from '../../src/http/routes.ts';
import { composePath, describeRefusal } from '../support/client.ts';
import { addPerson, addToken, password } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const session = { cookie: `tapedeck_session=${owner.cookie}` };
const json = { 'content-type': 'application/json' };

describe('returns 404 for an unknown path, with any method and headers', () => {
  const rows: [string, string, RequestInit?][] = [
    ['a plain one', '/nope'],
    ['below /api', '/api/nope'],
    ['an unknown version', '/api/v9/token'],
    ['a trailing slash', '/healthz/'],
    ['a doubled slash', '//healthz'],
    ['other letters', '/API/V3/TOKEN'],
    ['dots', '/api/%2e%2e/etc/passwd'],
    ['a known name in an invalid form', '/api/manage/users/no', { headers: session }],
    ['an encoded slash in a name', '/api/manage/projects/a%2Fb', { headers: session }],
    ['an encoded NUL', '/api/manage/projects/%00', { headers: session }],
    ['a name of 5,000 characters', `/api/manage/projects/${'a'.repeat(5000)}`, { headers: session }],
    ['a body', '/nope', { method: 'POST', body: 'x' }],
    [
      'a body of another type',
      '/nope',
      { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'x' },
    ],
    ['2 MB', '/nope', { method: 'POST', headers: json, body: 'x'.repeat(2_000_000) }],
    ['broken JSON', '/nope', { method: 'POST', headers: json, body: '{' }],
    ['an unknown file of the documents', '/docs/static/nope.js'],
    ['a request for HTML', '/api/nope', { headers: { accept: 'text/html' } }],
  ];
  for (const [name, path, init] of rows) {
    it(name, async () => {
      assert.equal(await describeRefusal(await service.fetch(path, init)), '404 not_found');
    });
  }
});

test('returns 400 for a path that cannot be decoded', async () => {
  for (const path of ['/api/manage/projects/%zz', '/api/manage/projects/%ff', '/%', '/api/%c3%28']) {
    const { answers } = await talk(service.url, [compose(`GET ${path}`)], { answersMax: 1 });
    assert.equal(describeAnswer(answers[0]!), '400 bad_request', path);
    assert.ok(answers[0]!.headers['x-request-id']);
  }
});

describe('each path returns 405 for other methods, and 204 for preflights', () => {
  const known = [...routes, ...['/openapi.json', '/docs'].map(path => ({ method: 'GET', path }))];
  for (const path of new Set(known.map(route => route.path))) {
    it(path, async () => {
      const url = composePath({ path }, { params: { project: 'default' } });
      // Only this path's methods, even if the URL also matches another pattern.
      const allowed = new Set(known.filter(route => route.path === path).map(({ method }) => method));
      if (allowed.has('GET')) allowed.add('HEAD');
      allowed.add('OPTIONS');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY', 'LOCK']) {
        if (allowed.has(method)) continue;
        const response = await service.fetch(url, { method });
        assert.equal(response.status, 405, method);
        assert.deepEqual(new Set(response.headers.get('allow')?.split(', ')), allowed);
        // Routes of other protocols have their own error format.
        const code = response.headers.get('x-error-code');
        if (code !== null) assert.equal(code, 'method_not_allowed');
        else if (method !== 'HEAD') assert.equal(await describeRefusal(response), '405 method_not_allowed');
      }
      const preflight = await service.fetch(url, { method: 'OPTIONS' });
      // Docker's Splunk driver sends this first, and starts nothing unless it gets a 200.
      assert.equal(preflight.status, path.startsWith('/services/collector') ? 200 : 204);
      assert.deepEqual(new Set(preflight.headers.get('allow')?.split(', ')), allowed);
    });
  }
});

test('HEAD returns the headers of GET, without the body', async () => {
  for (const path of [
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/api/manage/state',
    '/api/manage/me',
  ]) {
    const [got, head] = await Promise.all(['GET', 'HEAD'].map(method => service.fetch(path, { method })));
    assert.equal(head!.status, got!.status, path);
    assert.equal(head!.headers.get('content-type'), got!.headers.get('content-type'), path);
    assert.equal(await head!.text(), '');
  }
});

describe('reports the first of several errors, in order of precedence', async () => {
  const { token: wrongKind } = await addToken(owner);
  const big = 2 ** 40;
  const rows: [string, Record<string, string | number>, string, string][] = [
    ['404 before 401 and 413', { 'content-length': big }, 'POST /nope', '404 not_found'],
    ['405 before 401 and 413', { 'content-length': big }, 'PUT /api/manage/users', '405 method_not_allowed'],
    ['401 before 413', { 'content-length': big, ...json }, 'POST /api/manage/users', '401 session_missing'],
    [
      '401 before 415',
      { 'content-length': 1, 'content-type': 'text/csv' },
      'POST /api/manage/users',
      '401 session_missing',
    ],
    [
      '401 before the cross-site 403',
      { 'sec-fetch-site': 'cross-site' },
      'POST /api/manage/users',
      '401 session_missing',
    ],
    [
      '403 before 413',
      { authorization: wrongKind, 'content-length': big, ...json },
      'POST /api/manage/users',
      '403 wrong_token_kind',
    ],
    [
      '403 before 415',
      { authorization: wrongKind, 'content-length': 1, 'content-type': 'text/csv' },
      'POST /api/manage/users',
      '403 wrong_token_kind',
    ],
    [
      '413 before 415',
      { ...session, 'content-length': big, 'content-type': 'text/csv' },
      'POST /api/manage/users',
      '413 body_too_large',
    ],
  ];
  for (const [name, headers, line, expected] of rows) {
    it(name, async () => {
      const { answers } = await talk(service.url, [compose(line, headers)], { answersMax: 1 });
      assert.equal(describeAnswer(answers[0]!), expected);
    });
  }
  it('415 before 400', async () => {
    const init = { method: 'POST', headers: { ...session, 'content-type': 'text/csv' }, body: '{' };
    assert.equal(
      await describeRefusal(await service.fetch('/api/manage/users', init)),
      '415 unsupported_content_type',
    );
  });
});

describe('JSON bodies', () => {
  const deep = '['.repeat(2000) + ']'.repeat(2000);
  const rows: [string, string | Uint8Array<ArrayBuffer>, string][] = [
    ['nothing', '', '400 invalid_field'],
    ['a bracket', '{', '400 invalid_json'],
    ['not JSON', 'email=a', '400 invalid_json'],
    ['two values', '{}{}', '400 invalid_json'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), '400 invalid_json'],
    ['null', 'null', '400 invalid_field'],
    ['an array', '[]', '400 invalid_field'],
    ['a text', '"x"', '400 invalid_field'],
    ['a number out of range', '1e999', '400 invalid_field'],
    ['2,000 brackets deep', deep, '400 invalid_field'],
    ['2,000 brackets deep in an unknown key', `{"x":${deep}}`, '400 invalid_field'],
    ['a field of another type', '{"email":5,"password":"x"}', '400 invalid_field'],
    ['a field that is null', '{"email":null,"password":"x"}', '400 invalid_field'],
    ['fields in a prototype', '{"__proto__":{"email":"a@example.org","password":"x"}}', '400 invalid_field'],
    ['4 KiB and one byte', ' '.repeat(2 ** 12 + 1), '413 body_too_large'],
  ];
  for (const [name, body, expected] of rows) {
    it(`${name}: ${expected}`, async () => {
      const response = await service.fetch('/api/manage/sign-in', { method: 'POST', headers: json, body });
      assert.equal(await describeRefusal(response), expected);
    });
  }

  it('may have a byte order mark, a charset, upper-case types and unknown keys', async () => {
    const body = JSON.stringify({ email: owner.email, password, unknown: { a: [1] } });
    for (const [type, prefix] of [
      ['application/json', '\u{feff}'],
      ['application/json; charset=utf-8', ''],
      ['Application/JSON;charset="UTF-8"', ''],
    ] as const) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: prefix + body };
      assert.equal((await service.fetch('/api/manage/sign-in?unknown=1&unknown=2', init)).status, 200, type);
    }
  });

  it('are not quoted in errors', async () => {
    for (const body of [
      'hunter2hunter2',
      '{"password": hunter2hunter2}',
      '{"password":"hunter2hunter2" x',
      '"hunter2',
    ]) {
      const response = await service.fetch('/api/manage/sign-in', { method: 'POST', headers: json, body });
      const text = await response.text();
      assert.match(text, /invalid_json/);
      assert.doesNotMatch(text, /hunter/);
    }
  });
});

describe('on a route without a body', () => {
  const rows: [string, RequestInit][] = [
    ['accepts a JSON content type with no body', { headers: json }],
    ['accepts a JSON content type with Content-Length: 0', { headers: json, body: '' }],
    ['ignores a body', { headers: json, body: '{"a":1}' }],
    ['ignores a body that is not JSON', { headers: json, body: '{' }],
    ['ignores a body of any type', { headers: { 'content-type': 'text/csv' }, body: 'a,b' }],
    ['accepts an invalid content type', { headers: { 'content-type': 'nonsense' } }],
  ];
  for (const [name, { headers, ...init }] of rows) {
    it(name, async () => {
      const response = await service.fetch('/api/manage/sign-out', {
        method: 'POST',
        headers: headers!,
        ...init,
      });
      assert.equal(response.status, 200, await response.text());
    });
  }

  it('accepts DELETE with a JSON content type and no body', async () => {
    const { id } = await addToken(owner);
    const headers = { ...session, ...json };
    const path = `/api/manage/projects/default/tokens/${id}`;
    assert.equal((await service.fetch(path, { method: 'DELETE', headers })).status, 200);
  });

  it('GET with a body gets a response, and so does the next request on the connection', async () => {
    const get = compose('GET /api/manage/state', { ...json, 'content-length': 5 }, 'hello');
    const { answers } = await talk(service.url, [get, get], { answersMax: 2 });
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });
});

test('clients can set the request id, if it is harmless', async () => {
  for (const [given, kept] of [
    ['abc-123_x.y', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['a b', false],
    ['<script>', false],
    ['', false],
  ] as const) {
    const response = await service.fetch('/nope', { headers: { 'x-request-id': given } });
    const answered = response.headers.get('x-request-id')!;
    assert.equal(answered === given, kept, given);
    assert.ok(answered.length > 0);
  }
});

test('every response has a request id', async () => {
  const rows: [string, RequestInit?][] = [
    ['/'],
    ['/docs'],
    ['/openapi.json'],
    ['/healthz', { method: 'HEAD' }],
    ['/healthz', { method: 'PUT' }],
    ['/api/v3/token', { method: 'OPTIONS' }],
    ['/api/v3/token'],
    ['/nope', { headers: { accept: 'text/html' } }],
  ];
  for (const [path, init] of rows) {
    const { headers } = await service.fetch(path, init);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9A-Za-z]{20}$/, path);
  }
});

test('API responses are not cached or sniffed, and leak no referrer', async () => {
  const { headers } = await owner.send(getState);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-powered-by'), null);
  assert.equal(headers.get('server'), null);
});

test('a body takes memory once: the largest allowed is accepted', async () => {
  const body = JSON.stringify({ email: owner.email, password }).padEnd(2 ** 12, ' ');
  const response = await service.fetch(signIn.path, { method: 'POST', headers: json, body });
  assert.equal(response.status, 200);
});
