/** Every route returns every error that follows from its declaration: who may call it, and the shapes it accepts. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { impliedErrors, type Route } from '@tapedeck/contract';
import { invalidateSession, reportSession } from '@tapedeck/contract/sdk';
import { revokeToken } from '@tapedeck/contract/tokens';
import {
  type CredentialKind,
  type ErrorCode,
  errorStatuses,
  roles,
  type TokenAction,
  type TokenKind,
  tokenActions,
  tokenKinds,
} from '@tapedeck/domain/vocabulary';
import { newId } from '@tapedeck/values/random-ids';
import { routes } from '../../src/http/routes.ts';
import { composePath, describeRefusal, makeClient } from '../support/client.ts';
import { noteError } from '../support/observedErrors.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startQuietService, type TestService } from '../support/service.ts';

type Request = {
  /** Sent where the route reads it: in the header or in the path. */
  token?: string;
  headers?: Record<string, string>;
  params?: Record<string, string>;
  body?: string;
  search?: string;
};

const service = await startQuietService();
const owner = await addPerson(service, { isOwner: true });
await addProject(owner, 'foreign');
/** Allows one request per minute. */
const limited = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
const limitedOwner = await addPerson(limited, { isOwner: true });
after(() => Promise.all([service, limited].map(each => each[Symbol.asyncDispose]())));

const project = 'default';
const id = 'A'.repeat(20);
const usualParams: Readonly<Record<string, string>> = {
  project,
  token: id,
  user: id,
  session: id,
  webhook: '1',
  version: '10',
  dataset: 'chat',
  view: id,
  upload: id,
  file: id,
  rule: id,
  channel: id,
  delivery: id,
  invitation: id,
  identity: id,
  passkey: id,
  pattern: '0'.repeat(16),
  number: '1',
  note: id,
};

/** Requests that are valid except for the fault that the code reports. */
const requests: Partial<Record<ErrorCode, (route: Route) => Promise<Request>>> = {
  token_missing: async () => ({}),
  session_missing: async () => ({}),
  token_unknown: async () => withToken('x'.repeat(32)),
  token_expired: async route => {
    const { token, lifeMs } = await addCredential(owner, route, { expires: true });
    service.clock.advance(lifeMs);
    return withToken(token);
  },
  token_revoked: async route => {
    const { token, revoke } = await addCredential(owner, route);
    await revoke();
    return withToken(token);
  },
  wrong_token_kind: async route => {
    const other = tokenKinds.find(kind => !kindsFor(route).includes(kind));
    return withToken((await addToken(owner, { kind: other! })).token);
  },
  scope_missing: async route => {
    const scopes = [tokenActions.find(action => action !== actionOf(route))!];
    return withToken((await addToken(owner, { kind: apiKindFor(route), scopes })).token);
  },
  role_missing: async ({ access }) => {
    if (access.by === 'user' || access.by === 'person')
      return withToken((await addToken(owner, { kind: 'admin' })).token);
    const lower = access.by === 'manager' ? roles[roles.indexOf(access.role) + 1]! : 'owner';
    return withSession(await addPerson(service, { roles: { [project]: lower } }));
  },
  not_found: async route => {
    if (route.access.by !== 'manager' && route.access.by !== 'person') {
      // Parameters in a wrong form, or with a character that no name may hold.
      const names = Object.keys(route.params?.properties ?? {}).map(name => [name, '\0']);
      const params = { ...Object.fromEntries(names), session: 'no', user: 'no', version: 'no' };
      return { ...(await allowed(route)), params };
    }
    return withSession(await addPerson(service, { roles: { foreign: 'owner' } }));
  },
  cross_site: async route => {
    const request = await allowed(route);
    return { ...request, headers: { ...request.headers, 'sec-fetch-site': 'cross-site' } };
  },
  invalid_field: async route => {
    if (route.body) return withBody(await allowed(route), '"text"');
    const [name = ''] = Object.keys(route.query?.properties ?? {});
    return { ...(await allowed(route)), search: `?${name}=1&${name}=2` };
  },
  invalid_json: async route => withBody(await allowed(route), '{"'),
  unsupported_content_type: async route => {
    const request = withBody(await allowed(route), '{}');
    return { ...request, headers: { ...request.headers, 'content-type': 'text/csv' } };
  },
};

/** Other programs' protocols have their own error format and status; a header holds the code. */
function hasOwnForm({ isForeign }: Route): boolean {
  return isForeign === true;
}

async function describeFailure(route: Route, response: Response): Promise<string> {
  if (route.method === 'HEAD') return `${response.status} ${response.headers.get('x-error-code')}`;
  if (!hasOwnForm(route)) return describeRefusal(response);
  assert.ok(response.status >= 400);
  assert.notEqual(await response.text(), '');
  return String(response.headers.get('x-error-code'));
}

for (const route of routes) {
  describe(`${route.id}, ${route.method} ${route.path}`, () => {
    for (const code of impliedErrors(route)) {
      const expected = hasOwnForm(route) ? code : `${errorStatuses[code]} ${code}`;
      it(`returns ${expected}`, async () => {
        assert.equal(await provoke(route, code), expected);
      });
    }
  });
}

for (const route of routes.filter(({ query, body }) => query || body)) {
  it(`${route.id} names the invalid field`, async () => {
    const named = async (request: Request): Promise<string> => {
      const response = await send(service, route, request);
      const { code, field = '' } = (await response.json()) as { code: string; field?: string };
      assert.equal(code, 'invalid_field');
      return field;
    };
    const request = route.body ? withBody(await allowed(route), '{}') : await allowed(route);
    const { properties: parameters = {}, required = [] } = route.query ?? {};
    const present = required.map(name => `${name}=1&`).join('');
    for (const name of Object.keys(parameters))
      assert.equal(await named({ ...request, search: `?${present}${name}=1&${name}=2` }), name);
    // The schema of every body is an object.
    const { properties = {} } = (route.body ?? {}) as { properties?: Record<string, unknown> };
    for (const name of Object.keys(properties)) {
      const field = await named(withBody(request, JSON.stringify({ [name]: [[]] })));
      // The service may report a missing field first.
      assert.ok(Object.hasOwn(properties, field.split('.')[0]!), `${name}: ${field}`);
    }
  });
}

async function provoke(route: Route, code: ErrorCode): Promise<string> {
  if (code === 'rate_limited') return exceedRate(route);
  if (code === 'body_too_large') return announceTooMuch(route);
  const compose = requests[code];
  assert.ok(compose, `no request that provokes ${code} is listed`);
  const request = await compose(route);
  const response = await send(service, route, request);
  return describeFailure(route, response);
}

function send(
  to: TestService,
  route: Route,
  { token, headers, params, body, search = '' }: Request,
): Promise<Response> {
  const inPath = route.access.by === 'token' && route.access.inPath && token !== undefined;
  const path = composePath(route, { params: { ...usualParams, ...params, ...(inPath && { token }) } });
  return to.fetch(`${path}${search}`, {
    method: route.method,
    headers: { ...(token !== undefined && { authorization: token }), ...headers },
    ...(body !== undefined && { body }),
  });
}

async function exceedRate(route: Route): Promise<string> {
  const { token } = await addCredential(limitedOwner, route);
  const request = withToken(token);
  await send(limited, route, request);
  const response = await send(limited, route, request);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  return describeFailure(route, response);
}

/** Declares too much in Content-Length; no byte of the body needs to arrive. */
async function announceTooMuch(route: Route): Promise<string> {
  const path = composePath(route, { params: usualParams });
  const { token, headers } = await allowed(route);
  const credential = token === undefined ? headers : { authorization: token };
  const announced = { ...credential, 'Content-Type': 'application/json', 'Content-Length': 2 ** 40 };
  const { answers } = await talk(service.url, [compose(`${route.method} ${path}`, announced)], {
    answersMax: 1,
  });
  const [first] = answers;
  assert.ok(first);
  const spelled = first.headers['x-error-code'];
  const answer = hasOwnForm(route) && spelled ? spelled : describeAnswer(first);
  noteError(route.method, path, answer.split(' ').at(-1)!);
  return answer;
}

/** Makes a request with credentials that the route accepts. */
async function allowed(route: Route): Promise<Request> {
  if (route.access.by === 'anyone') return {};
  if (route.access.by !== 'token') return withSession(owner);
  return withToken((await addCredential(owner, route)).token);
}

type Credential = { token: string; lifeMs: number; revoke(): Promise<unknown> };

/** Adds a credential that the route accepts: an API token, or the token of a reporting session. */
async function addCredential(maker: Person, route: Route, { expires = false } = {}): Promise<Credential> {
  const kinds = kindsFor(route);
  if (kinds.every(kind => kind === 'sdk')) {
    const reporter = makeClient(maker.service, {
      authorization: (await addToken(maker, { kind: 'logs' })).token,
    });
    const query = { sdkType: 'server_b', universeId: '1', jobId: newId() };
    const { token } = await reporter.call(reportSession, { query });
    const session = makeClient(maker.service, { authorization: token });
    return { token, lifeMs: 30 * 60_000, revoke: () => session.call(invalidateSession) };
  }
  const lifeMs = 1000;
  const { token, id: tokenId } = await addToken(maker, {
    kind: apiKindFor(route),
    ...(expires && { expiresAt: new Date(maker.service.clock.now() + lifeMs).toISOString() }),
  });
  const params = { project, token: tokenId };
  return { token, lifeMs, revoke: () => maker.call(revokeToken, { params }) };
}

function withToken(token: string): Request {
  return { token };
}

function withSession({ cookie }: Person): Request {
  return { headers: { cookie: `tapedeck_session=${cookie}` } };
}

function withBody(request: Request, body: string): Request {
  return { ...request, headers: { ...request.headers, 'content-type': 'application/json' }, body };
}

function kindsFor({ access }: Route): readonly CredentialKind[] {
  return access.by === 'token' ? access.kinds : ['admin'];
}

function apiKindFor(route: Route): TokenKind {
  return tokenKinds.find(kind => kindsFor(route).includes(kind))!;
}

function actionOf({ access, method }: Route): TokenAction | null {
  if (access.by === 'token') return access.action;
  return method === 'GET' ? 'read' : method === 'DELETE' ? 'delete' : 'write';
}
