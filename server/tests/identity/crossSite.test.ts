/** Pages of other sites may use the API with a token, and can do nothing with the dashboard's cookie. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getMe, signIn, signOut } from '@tapedeck/contract/accounts';
import { mcpRoute } from '../../src/http/mcp/contract.ts';
import { routes } from '../../src/http/routes.ts';
import { composePath, makeClient } from '../support/client.ts';
import { addPerson, addToken, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService({
  environment: { TAPEDECK_PUBLIC_URL: 'https://media.example.org' },
});
after(() => service[Symbol.asyncDispose]());
const person = await addPerson(service, { isOwner: true });
const host = new URL(service.url).host;

describe('a change with the cookie', () => {
  const rows: [string, Record<string, string>, number][] = [
    ['from a program, which sends no Origin', {}, 200],
    [
      'from a page of the public URL',
      { origin: 'https://media.example.org', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['from a page of the requested host', { origin: `http://${host}` }, 200],
    ['typed by the user', { 'sec-fetch-site': 'none' }, 200],
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['from another site, by an old browser', { origin: 'https://evil.example' }, 403],
    ['from a page that hides its origin', { origin: 'null' }, 403],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site' }, 403],
    ['from the public host in plain http', { origin: 'http://media.example.org' }, 403],
    ['from the public host at another port', { origin: 'https://media.example.org:444' }, 403],
    ['from a host with the same prefix', { origin: 'https://media.example.org.evil.example' }, 403],
    ['from an invalid origin', { origin: 'nonsense' }, 403],
    [
      'claiming the same origin, with another Origin',
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      403,
    ],
  ];
  for (const [name, headers, status] of rows) {
    it(`${name}: ${status}`, async () => {
      const { cookie } = await addPerson(service);
      const credentials = { cookie: `tapedeck_session=${cookie}` };
      const response = await makeClient(service, credentials).send(signOut, { headers });
      assert.equal(response.status, status, await response.text());
      const isSignedOut = (await makeClient(service, credentials).send(getMe)).status === 401;
      assert.equal(isSignedOut, status === 200);
    });
  }
});

test('another site cannot sign in a visitor either', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  const body = { email: person.email, password };
  const response = await makeClient(service).send(signIn, { body, headers });
  assert.equal(response.status, 403);
  assert.equal(response.headers.get('set-cookie'), null);
});

test('reading needs no such check: no page of another site can see the response', async () => {
  const response = await person.send(getMe, {
    headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

/**
 * The API, media, and other programs' protocols, used by pages in games and by loggers in browsers. Assistants are not pages, and their protocol
 * requires that pages are refused.
 */
const openPaths = /^\/(?:api\/(?!manage)|media\/)/;

describe('responses and preflights allow other sites only where tokens count', () => {
  const requested = 'authorization, content-type, idempotency-key, x-game-dataset';
  for (const route of routes) {
    it(`${route.method} ${route.path}`, async () => {
      const url = composePath(route, { params: { project: 'default' } });
      const isOpen = (route.isForeign === true && route !== mcpRoute) || openPaths.test(route.path);
      const origin = 'https://game.example';
      const preflight = await service.fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': route.method,
          'access-control-request-headers': requested,
        },
      });
      assert.equal(preflight.status, 204);
      const answer = await service.fetch(url, { method: route.method, headers: { origin } });
      for (const { headers } of [preflight, answer]) {
        assert.equal(headers.get('access-control-allow-origin'), isOpen ? '*' : null);
        assert.equal(headers.get('access-control-allow-credentials'), null);
      }
      const allowed = preflight.headers.get('access-control-allow-headers');
      assert.equal(allowed, isOpen ? requested : null);
      const methods = preflight.headers.get('access-control-allow-methods') ?? '';
      assert.equal(methods.split(', ').includes(route.method), isOpen);
      if (isOpen) assert.match(answer.headers.get('access-control-expose-headers')!, /X-Request-Id/);
    });
  }
});

test('a preflight without headers, or with invalid ones, gets the usual headers', async () => {
  for (const requested of [undefined, 'x-a\u0001', 'a;b']) {
    const headers = new Headers({ origin: 'https://game.example' });
    if (requested !== undefined && !requested.includes('\u0001'))
      headers.set('access-control-request-headers', requested);
    const response = await service.fetch('/api/v3/token', { method: 'OPTIONS', headers });
    const allowed = response.headers.get('access-control-allow-headers')!;
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Service-Dataset']) {
      assert.ok(allowed.includes(name), name);
    }
  }
});

test('the page that caused an error of an open route can read it', async () => {
  const { token } = await addToken(person);
  const rows: [string, RequestInit][] = [
    ['/api/v3/token', {}],
    ['/api/v3/token', { method: 'PUT', headers: { authorization: token } }],
    ['/api/v3/nope', {}],
    ['/api/v3/%zz', {}],
  ];
  for (const [path, init] of rows) {
    const response = await service.fetch(path, init);
    assert.ok(response.status >= 400);
    assert.equal(response.headers.get('access-control-allow-origin'), '*', path);
  }
});

test('no spelling of the management API opens it to other sites', async () => {
  for (const path of [
    '/api/%6Danage/state',
    '/api/manage/st%61te',
    '/api/man%61ge/me',
    '/api/manage',
    '/api/manage/nope',
  ]) {
    const response = await service.fetch(path, { headers: { origin: 'https://evil.example' } });
    assert.equal(response.headers.get('access-control-allow-origin'), null, path);
  }
});
