/** Untrustworthy responses from an OpenID provider, and providers that do not respond. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import * as contract from '@tapedeck/contract/providerSignIn';
import { makeClient } from '../support/client.ts';
import {
  signInThere,
  startClaimsProvider,
  startOpenIdProvider,
  type Telling,
} from '../support/openIdProviders.ts';
import { addPerson, password } from '../support/people.ts';
import { type Begun, begin, callback, comeBack, startBeside } from '../support/providerVisits.ts';

const real = await startOpenIdProvider([callback]);
const service = await startBeside(real);
after(async () => {
  await service[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});
await addPerson(service, { isOwner: true, email: 'pat@example.org' });

describe('an answer opens nothing', () => {
  const rows: [string, (begun: Begun, address: string) => Promise<[string, string]> | [string, string]][] = [
    ['without the cookie of the question', (_, address) => [address, '']],
    ['with a made up cookie', (_, address) => [address, 'tapedeck_errand=madeup']],
    ['with the cookie of another question', async (_, address) => [address, (await begin(service)).errand]],
    ['with another state', ({ errand }, address) => [address.replace(/state=\w/, 'state=_'), errand]],
    [
      'from another issuer',
      ({ errand }, address) => [address.replace(/iss=[^&]+/, 'iss=http%3A%2F%2Fevil.example'), errand],
    ],
    ['with a made up code', ({ errand }, address) => [address.replace(/code=\w/, 'code=_'), errand]],
    [
      'without a code',
      ({ errand }, address) => [address.replace(/code=[^&]+/, 'error=access_denied'), errand],
    ],
    ['with nothing at all', ({ errand }, address) => [address.split('?')[0]!, errand]],
  ];
  for (const [name, change] of rows) {
    it(name, async () => {
      const begun = await begin(service);
      const [address, cookie] = await change(begun, await signInThere(begun.url, 'stranger'));
      const { to, session } = await comeBack(service, address, [cookie]);
      assert.match(to, /^\/sign-in\?trouble=(?:provider_refused|ticket_expired)$/);
      assert.equal(session, null);
    });
  }
  it('a second time', async () => {
    await addPerson(service, { email: 'twice@example.org' });
    const { url, errand } = await begin(service);
    const address = await signInThere(url, 'twice');
    assert.notEqual((await comeBack(service, address, [errand])).session, null);
    assert.equal((await comeBack(service, address, [errand])).session, null);
  });
  it('later than ten minutes after the question', async () => {
    const { url, errand } = await begin(service);
    const address = await signInThere(url, 'pat');
    service.clock.advance(10 * 60_000);
    assert.equal((await comeBack(service, address, [errand])).to, '/sign-in?trouble=ticket_expired');
  });
});

describe('what a provider says is checked', async () => {
  const telling = await startClaimsProvider();
  const listener = await startBeside(telling, { TAPEDECK_OIDC_CREATE: 'any' });
  after(async () => {
    await listener[Symbol.asyncDispose]();
    await telling[Symbol.asyncDispose]();
  });
  const good = { email: 'told@example.org', email_verified: true };
  const past = Math.floor(Date.now() / 1000) - 3600;
  const refused = '/sign-in?trouble=provider_refused';
  const rows: [string, Telling, string][] = [
    ['a token as it should be', { claims: good }, '/'],
    ['an address that is told elsewhere', { userInfo: { sub: 'somebody', ...good } }, '/'],
    ['another person elsewhere', { userInfo: { sub: 'other', ...good } }, refused],
    ['a token that has expired', { claims: { ...good, iat: past - 60, exp: past } }, refused],
    ['a token of another issuer', { claims: { ...good, iss: 'https://other.example' } }, refused],
    ['a token for another service', { claims: { ...good, aud: 'other' } }, refused],
    ['a token with another nonce', { claims: { ...good, nonce: 'other' } }, refused],
    ['a token of another key', { claims: good, signedByAnother: true }, refused],
    ['no token', { noToken: true }, refused],
    ['a refusal', { status: 400 }, refused],
    ['trouble of its own', { status: 500 }, '/sign-in?trouble=provider_unavailable'],
  ];
  for (const [name, told, expected] of rows) {
    it(name, async () => {
      telling.tell(told);
      // Rows with `userInfo` start a separate service, since a service caches the provider's metadata.
      await using fresh = told.userInfo ? await startBeside(telling, { TAPEDECK_OIDC_CREATE: 'any' }) : null;
      const to = fresh ?? listener;
      const { url, errand } = await begin(to);
      const asked = new URL(url).searchParams;
      const answer = new URLSearchParams({ state: asked.get('state')!, code: asked.get('nonce')! });
      assert.equal((await comeBack(to, `${callback}?${answer}`, [errand])).to, expected);
    });
  }
});

test('a provider that is away is said to be, and its users sign in otherwise meanwhile', async () => {
  const gone = await startClaimsProvider();
  await gone[Symbol.asyncDispose]();
  await using lonely = await startBeside(gone);
  const person = await addPerson(lonely, { isOwner: true });
  const refusal = '503 provider_unavailable';
  assert.equal(await makeClient(lonely).refuse(contract.beginProviderSignIn, { body: {} }), refusal);
  assert.equal(await person.refuse(contract.beginLinking, { body: { password } }), refusal);
});
