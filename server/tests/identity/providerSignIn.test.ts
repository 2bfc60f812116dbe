/** Sign-in with an OpenID provider: which account opens, who is refused, and untrustworthy responses. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { changePassword, finishSignIn, getMe, getState, listMySessions } from '@tapedeck/contract/accounts';
import { createInvitation } from '@tapedeck/contract/invitations';
import * as contract from '@tapedeck/contract/providerSignIn';
import { beginSecondFactor, confirmSecondFactor, getWaysIn } from '@tapedeck/contract/secondFactors';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import { makeClient, withCookie } from '../support/client.ts';
import { signInThere, startOpenIdProvider } from '../support/openIdProviders.ts';
import { addPerson, type Person, password } from '../support/people.ts';
import {
  begin,
  callback,
  comeBack,
  publicUrl,
  readBegun,
  startBeside,
  visit,
} from '../support/providerVisits.ts';
import { startTestService } from '../support/service.ts';

const real = await startOpenIdProvider([callback]);
const service = await startBeside(real);
const owner = await addPerson(service, { isOwner: true });
after(async () => {
  await service[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});

const meOf = async (session: string | null) =>
  (await withCookie(service, session ?? '').call(getMe)).user?.email;

test('the state names the provider, and the request has all that binds the response to it', async () => {
  assert.deepEqual((await makeClient(service).call(getState)).provider, { name: 'Harbour ID' });
  const url = new URL((await begin(service)).url);
  assert.equal(url.origin, real.issuer);
  const parameters = Object.fromEntries(url.searchParams);
  assert.equal(parameters.redirect_uri, callback);
  assert.deepEqual(
    [parameters.response_type, parameters.scope, parameters.code_challenge_method, parameters.client_id],
    ['code', 'openid email profile', 'S256', 'tapedeck'],
  );
  for (const key of ['state', 'nonce', 'code_challenge']) assert.ok(parameters[key]!.length >= 32, key);
});

test('a user with the same verified address is linked, and can return with another address', async () => {
  const person = await addPerson(service, { email: 'pat@example.org' });
  const first = await visit(service, 'pat', { back: '/projects/default/logs?query=a#b' });
  assert.equal(first.to, '/projects/default/logs?query=a#b');
  assert.equal(await meOf(first.session), person.email);
  const { sessions } = await withCookie(service, first.session!).call(listMySessions);
  assert.equal(sessions.find(({ current }) => current)?.way, 'provider');
  const { identities } = await person.call(getWaysIn);
  assert.deepEqual(
    identities.map(({ issuer, label }) => [issuer, label]),
    [[real.issuer, 'pat@example.org']],
  );
  const store = await service.openStore();
  const user = (await store.read.users.find(person.id))!;
  await store.write(records => records.users.update({ ...user, email: 'moved@example.org' }));
  assert.equal(await meOf((await visit(service, 'pat')).session), 'moved@example.org');
});

test('rejects unknown users, and unverified addresses', async () => {
  assert.deepEqual(await visit(service, 'stranger'), {
    to: '/sign-in?trouble=provider_user_unknown',
    session: null,
  });
  const person = await addPerson(service, { email: 'unverified1@example.org' });
  assert.deepEqual(await visit(service, 'unverified1'), {
    to: '/sign-in?trouble=provider_user_unknown',
    session: null,
  });
  assert.deepEqual((await person.call(getWaysIn)).identities, []);
});

test('an invitation creates a user with its role and without a password', async () => {
  const invite = async (email?: string) => {
    const body = { role: 'member' as const, ...(email && { email }) };
    return (await owner.call(createInvitation, { params: { project: 'default' }, body })).secret;
  };
  const invitation = await invite();
  const { to, session } = await visit(service, 'newcomer', { invitation, back: '/projects/default' });
  assert.equal(to, '/projects/default');
  const newcomer = withCookie(service, session!);
  const me = await newcomer.call(getMe);
  assert.deepEqual([me.user?.email, me.user?.name], ['newcomer@example.org', 'newcomer of the harbour']);
  assert.deepEqual(
    me.projects.map(({ project, role }) => [project, role]),
    [['default', 'member']],
  );
  const ways = await newcomer.call(getWaysIn);
  assert.equal(ways.hasPassword, false);
  const identity = { params: { identity: ways.identities[0]!.id } };
  assert.equal(await newcomer.refuse(contract.unlinkIdentity, identity), '409 last_way_in');
  assert.equal((await visit(service, 'second', { invitation })).to, '/sign-in?trouble=invitation_used');
  const other = await invite('somebody@example.org');
  assert.equal((await visit(service, 'third', { invitation: other })).to, '/sign-in?trouble=invalid_field');
  const unseen = { invitation: await invite() };
  assert.equal((await visit(service, 'unverified2', unseen)).to, '/sign-in?trouble=provider_email_missing');
  const set = { body: { currentPassword: '', newPassword: password } };
  service.clock.advance(11 * 60_000);
  assert.equal(await newcomer.refuse(changePassword, set), '401 sign_in_failed');
  const again = withCookie(service, (await visit(service, 'newcomer')).session!);
  await again.call(changePassword, set);
  await again.call(contract.unlinkIdentity, identity);
  assert.equal(await again.refuse(contract.unlinkIdentity, identity), '404 not_found');
});

describe('OIDC_CREATE allows new users without an invitation', () => {
  const rows: [string, string, string][] = [
    ['any', 'anybody', '/'],
    ['example.com, Example.org', 'anybody', '/'],
    ['example.com', 'anybody', '/sign-in?trouble=provider_user_unknown'],
    ['any', 'unverified', '/sign-in?trouble=provider_email_missing'],
  ];
  for (const [setting, account, expected] of rows) {
    it(`${setting}: ${account} gets ${expected}`, async () => {
      await using open = await startBeside(real, { TAPEDECK_OIDC_CREATE: setting });
      const { to, session } = await visit(open, account);
      assert.equal(to, expected);
      if (session === null) return;
      const me = await withCookie(open, session).call(getMe);
      assert.deepEqual([me.user?.isOwner, me.projects], [false, []]);
    });
  }
});

test('a user with a second factor must enter its code here, too', async () => {
  const person = await addPerson(service, { email: 'armed@example.org' });
  const { secret, ticket } = await person.call(beginSecondFactor, { body: { password } });
  const code = () => makeCode(secret, stepAt(service.clock.now()));
  await person.call(confirmSecondFactor, { body: { ticket, code: code() } });
  service.clock.advance(30_000);
  const { to, session } = await visit(service, 'armed', { back: '/account' });
  assert.equal(session, null);
  const url = new URL(to, publicUrl);
  assert.equal(url.pathname + url.search, '/sign-in?back=%2Faccount');
  const body = { ticket: url.hash.replace('#ticket=', ''), code: code() };
  assert.equal((await makeClient(service).send(finishSignIn, { body })).status, 200);
});

describe('linking', () => {
  const link = async (person: Person, account: string, cookie = person.cookie) => {
    const begun = await readBegun(await person.send(contract.beginLinking, { body: { password } }));
    return comeBack(service, await signInThere(begun.url, account), [
      begun.errand,
      `tapedeck_session=${cookie}`,
    ]);
  };
  it('requires the password, then accepts any account of the provider', async () => {
    const person = await addPerson(service);
    const wrong = { body: { password: 'wrong password' } };
    assert.equal(await person.refuse(contract.beginLinking, wrong), '401 sign_in_failed');
    assert.deepEqual(await link(person, 'unverified3'), { to: '/account', session: null });
    assert.equal(await meOf((await visit(service, 'unverified3')).session), person.email);
  });
  it('is rejected for an account that is linked to another user', async () => {
    const [first, second] = [await addPerson(service), await addPerson(service)];
    await link(first, 'taken');
    assert.equal((await link(second, 'taken')).to, '/sign-in?trouble=name_taken');
  });
  it("is rejected in another user's browser", async () => {
    const [person, other] = [await addPerson(service), await addPerson(service)];
    assert.equal((await link(person, 'forced', other.cookie)).to, '/sign-in?trouble=ticket_expired');
    assert.deepEqual((await other.call(getWaysIn)).identities, []);
  });
  it('is throttled when the password is guessed', async () => {
    const person = await addPerson(service);
    const wrong = { body: { password: 'wrong password' } };
    for (let tries = 0; tries < 5; tries += 1) await person.refuse(contract.beginLinking, wrong);
    assert.equal(await person.refuse(contract.beginLinking, wrong), '429 sign_in_slowed');
    service.clock.advance(60 * 60_000);
  });
});

describe('redirects nobody to another site afterwards', () => {
  const rows = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/%2F/evil.example',
    'javascript:alert(1)',
    '',
    'http://[',
    '///evil.example/x',
  ];
  for (const back of rows) {
    it(JSON.stringify(back), async () => {
      const { to } = await visit(service, 'pat', { back });
      assert.equal(new URL(publicUrl + to).origin, publicUrl);
      assert.doesNotMatch(to, /^\/[/\\]/);
    });
  }
});

test('without a provider, no one can sign in through one', async () => {
  await using bare = await startTestService();
  const person = await addPerson(bare, { isOwner: true });
  assert.equal((await makeClient(bare).call(getState)).provider, null);
  assert.equal(await makeClient(bare).refuse(contract.beginProviderSignIn, { body: {} }), '404 not_found');
  assert.equal(await person.refuse(contract.beginLinking, { body: { password } }), '404 not_found');
});
