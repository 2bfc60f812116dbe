/** Signing in and out, the session cookie, and what users do with their account. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  changePassword,
  endMySession,
  getMe,
  listMySessions,
  signIn,
  signOut,
} from '@tapedeck/contract/accounts';
import { makeClient, withCookie, withToken } from '../support/client.ts';
import { addPerson, addToken, password } from '../support/people.ts';
import { startQuietService, type TestService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const visitor = makeClient(service);
const dayMs = 24 * 3_600_000;

test('signing in sets a session cookie that scripts cannot read and other sites cannot send', async () => {
  const { email } = await addPerson(service);
  const response = await visitor.send(signIn, { body: { email, password } });
  assert.equal(response.status, 200);
  const [cookie = '', ...attributes] = response.headers.get('set-cookie')!.split('; ');
  assert.match(cookie, /^tapedeck_session=[0-9A-Za-z]{32}$/);
  const expires = attributes.find(attribute => attribute.startsWith('Expires='));
  assert.deepEqual(
    attributes.filter(attribute => attribute !== expires),
    ['Path=/', 'HttpOnly', 'SameSite=Lax'],
  );
  const lifeDays = (Date.parse(expires!.slice('Expires='.length)) - service.clock.now()) / dayMs;
  assert.ok(lifeDays > 13.9 && lifeDays < 14.1, `the cookie lives ${lifeDays} days`);
});

test('under https the cookie is Secure, both when it is set and when it is cleared', async () => {
  await using https = await startQuietService({
    environment: { TAPEDECK_PUBLIC_URL: 'https://media.example.org' },
  });
  const { email, cookie } = await addPerson(https);
  const answers = [
    await makeClient(https).send(signIn, { body: { email, password } }),
    await withCookie(https, cookie).send(signOut),
  ];
  for (const answer of answers) assert.match(answer.headers.get('set-cookie')!, /; Secure(?:;|$)/);
});

test('ignores letter case and surrounding spaces of the address', async () => {
  await addPerson(service, { email: 'case@example.org' });
  for (const email of ['CASE@example.org', ' case@Example.ORG ']) {
    const answer = await visitor.call(signIn, { body: { email, password } });
    assert.equal('user' in answer && answer.user.email, 'case@example.org');
  }
});

test('a wrong password and an unknown address give the same response in the same time', async () => {
  // Uses the service's real password hash, so that the times can be compared.
  const owner = await addPerson(service, { isOwner: true });
  await owner.call(changePassword, { body: { currentPassword: password, newPassword: 'another password' } });
  const measure = async (email: string) => {
    const startedAt = performance.now();
    const response = await visitor.send(signIn, { body: { email, password: 'wrong password' } });
    return { ms: performance.now() - startedAt, status: response.status, body: await response.text() };
  };
  const [known, unknown]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    const [one, other] = [await measure(owner.email), await measure('nobody@example.org')];
    assert.deepEqual([one.status, one.body], [other.status, other.body]);
    assert.match(one.body, /"code":"sign_in_failed"/);
    known.push(one.ms);
    unknown.push(other.ms);
  }
  // On a busy machine, a single one may wait much longer.
  const ratio = Math.min(...known) / Math.min(...unknown);
  assert.ok(ratio > 0.1 && ratio < 10, `known ${known} ms, unknown ${unknown} ms`);
});

test('signing out ends the session here and in the browser', async () => {
  const person = await addPerson(service);
  const response = await person.send(signOut);
  assert.match(response.headers.get('set-cookie')!, /^tapedeck_session=; .*Max-Age=0/);
  assert.equal(await person.refuse(getMe), '401 session_missing');
  assert.equal((await person.send(signOut)).status, 200, 'it also works without a session');
});

test('a session ends two weeks after it was last used', async () => {
  const person = await addPerson(service);
  for (let weeks = 0; weeks < 4; weeks += 1) {
    service.clock.advance(8 * dayMs);
    await person.call(getMe);
  }
  service.clock.advance(14 * dayMs);
  assert.equal(await person.refuse(getMe), '401 session_missing');
});

test('a changed password ends all other sessions, and the old one no longer works', async () => {
  const person = await addPerson(service);
  const elsewhere = await signInAgain(service, person.email);
  const change = { currentPassword: password, newPassword: 'another password' };
  const wrong = { ...change, currentPassword: 'wrong password' };
  assert.equal(await person.refuse(changePassword, { body: wrong }), '401 sign_in_failed');
  const short = { ...change, newPassword: 'short' };
  assert.equal(await person.refuse(changePassword, { body: short }), '400 invalid_field');
  await person.call(changePassword, { body: change });
  await person.call(getMe);
  assert.equal(await elsewhere.refuse(getMe), '401 session_missing');
  const again = (given: string) => ({ body: { email: person.email, password: given } });
  assert.equal(await visitor.refuse(signIn, again(password)), '401 sign_in_failed');
  await visitor.call(signIn, again('another password'));
});

test('guessing the current password with a stolen session is throttled, too', async () => {
  const person = await addPerson(service);
  const codes: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const body = { currentPassword: `wrong password ${tries}`, newPassword: 'another password' };
    codes.push(await person.refuse(changePassword, { body }));
  }
  assert.deepEqual(codes, [...Array(5).fill('401 sign_in_failed'), '429 sign_in_slowed']);
});

test('lists sessions, and only their user can end them', async () => {
  const person = await addPerson(service);
  const elsewhere = await signInAgain(service, person.email);
  const { sessions } = await person.call(listMySessions);
  assert.deepEqual(sessions.map(({ current }) => current).sort(), [false, true]);
  const other = sessions.find(({ current }) => !current)!;
  assert.equal(other.address, '127.0.0.1');
  assert.equal(other.userAgent, 'elsewhere');
  const outsider = await addPerson(service);
  assert.equal(await outsider.refuse(endMySession, { params: { session: other.id } }), '404 not_found');
  await person.call(endMySession, { params: { session: other.id } });
  assert.equal(await elsewhere.refuse(getMe), '401 session_missing');
  assert.equal((await person.call(listMySessions)).sessions.length, 1);
});

test('a session is stored as a hash: neither its name nor its row grants access', async () => {
  const person = await addPerson(service);
  const { sessions } = await person.call(listMySessions);
  const store = await service.openStore();
  const [row] = await store.read.signIns.listSessionsOfUser(person.id);
  for (const secret of [sessions[0]!.id, row!.hash]) {
    assert.equal(await withCookie(service, secret).refuse(getMe), '401 session_missing');
  }
});

test('a token in the header takes precedence over the cookie', async () => {
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'admin' });
  const both = (authorization: string) => owner.send(getMe, { headers: { authorization } });
  assert.equal(((await (await both(token)).json()) as { user: unknown }).user, null);
  assert.equal((await both('x'.repeat(32))).status, 401);
  assert.equal((await withToken(service, token).call(getMe)).projects[0]?.role, 'admin');
});

test('ignores other cookies and malformed ones', async () => {
  const { cookie } = await addPerson(service);
  const rows: [string, number][] = [
    [`a=b; tapedeck_session=${cookie}; c=d`, 200],
    [`a=b;tapedeck_session=${cookie}`, 200],
    [`not_tapedeck_session=${cookie}`, 401],
    ['tapedeck_session=', 401],
    ['tapedeck_session=%00', 401],
    [`tapedeck_session=${'x'.repeat(8000)}`, 401],
  ];
  for (const [header, status] of rows) {
    const response = await makeClient(service, { cookie: header }).send(getMe);
    assert.equal(response.status, status, header.slice(0, 60));
  }
});

async function signInAgain(where: TestService, email: string) {
  const response = await makeClient(where).send(signIn, {
    body: { email, password },
    headers: { 'user-agent': 'elsewhere' },
  });
  return withCookie(where, /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie')!)![1]!);
}
