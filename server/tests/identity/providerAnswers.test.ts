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

describe('a callback signs nobody in', () => {
  const rows: [string, (begun: Begun, address: string) => Promise<[string, string]> | [string, string]][] = [
    ['without the cookie of the request', (_, address) => [address, '']],
    ['with a forged cookie', (_, address) => [address, 'tapedeck_errand=madeup']],
    ['with the cookie of another request', async (_, address) => [address, (await begin(service)).errand]],
    ['with another state', ({ errand }, address) => [address.replace(/state=\w/, 'state=_'), errand]],
    [
      'from another issuer',
      ({ errand }, address) => [address.replace(/iss=[^&]+/, 'iss=http%3A%2F%2Fevil.example'), errand],
    ],
    ['with a forged code', ({ errand }, address) => [address.replace(/code=\w/, 'code=_'), errand]],
    [
      'without a code',
      ({ errand }, address) => [address.replace(/code=[^&]+/, 'error=access_denied'), errand],
    ],
    ['without parameters', ({ errand }, address) => [address.split('?')[0]!, errand]],
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
  it('more than ten minutes after the request', async () => {
    const { url, errand } = await begin(service);
    const address = await signInThere(url, 'pat');
    service.clock.advance(10 * 60_000);
    assert.equal((await comeBack(service, address, [errand])).to, '/sign-in?trouble=ticket_expired');
  });
});

describe("checks the provider's response", async () => {
  const claiming = await startClaimsProvider();
  const listener = await startBeside(claiming, { TAPEDECK_OIDC_CREATE: 'any' });
  after(async () => {
    await listener[Symbol.asyncDispose]();
    await claiming[Symbol.asyncDispose]();
  });
  const good = { email: 'told@example.org', email_verified: true };
  const now = Math.floor(Date.now() / 1000);
  const past = now - 3600;
  const refused = '/sign-in?trouble=provider_refused';
  const unavailable = '/sign-in?trouble=provider_unavailable';
  const rows: [string, Telling, string][] = [
    ['a valid token', { claims: good }, '/'],
    ['an address from the user info', { userInfo: { sub: 'somebody', ...good } }, '/'],
    ['another person in the user info', { userInfo: { sub: 'other', ...good } }, refused],
    ['an expired token', { claims: { ...good, iat: past - 60, exp: past } }, refused],
    ['a token of another issuer', { claims: { ...good, iss: 'https://other.example' } }, refused],
    ['a token for another service', { claims: { ...good, aud: 'other' } }, refused],
    ['a token with another nonce', { claims: { ...good, nonce: 'other' } }, refused],
    ['a token signed with a key that was published since', { claims: good, changedKey: 'two' }, '/'],
    ['a new key under an old id', { claims: good, changedKey: 'one' }, '/'],
    ['the first key once more', { claims: good }, '/'],
    ['a token for several services', { claims: { ...good, aud: ['tapedeck', 'other'] } }, refused],
    [
      'one of them, which asked for it',
      { claims: { ...good, aud: ['other', 'tapedeck'], azp: 'tapedeck' } },
      '/',
    ],
    [
      'one that another of them asked for',
      { claims: { ...good, aud: ['tapedeck', 'other'], azp: 'other' } },
      refused,
    ],
    ['a clock that is some seconds behind', { claims: { ...good, exp: now - 20 } }, '/'],
    ['a clock that is some seconds ahead', { claims: { ...good, nbf: now + 20 } }, '/'],
    ['a clock that is minutes ahead', { claims: { ...good, nbf: now + 300 } }, refused],
    ['a token signed with another key', { claims: good, signedByAnother: true }, refused],
    ['an empty subject', { claims: { ...good, sub: '' } }, refused],
    ['a blank subject', { claims: { ...good, sub: ' ' } }, refused],
    ['the longest subject', { claims: { ...good, sub: 's'.repeat(255), email: 'long@example.org' } }, '/'],
    ['a longer subject', { claims: { ...good, sub: 's'.repeat(256) } }, refused],
    ['a subject with U+0000', { claims: { ...good, sub: 'a\0b' } }, refused],
    ['half a surrogate pair as subject', { claims: { ...good, sub: '\ud800' } }, refused],
    ['a long response', { claims: good, paddingBytes: 500_000 }, '/'],
    ['a response of megabytes', { claims: good, paddingBytes: 2_000_000 }, unavailable],
    ['no token', { noToken: true }, refused],
    ['a refusal', { status: 400 }, refused],
    ['an error of the provider', { status: 500 }, unavailable],
  ];
  for (const [name, told, expected] of rows) {
    it(name, async () => {
      claiming.tell(told);
      // Rows with `userInfo` start a separate service, since a service caches the provider's metadata.
      await using fresh = told.userInfo ? await startBeside(claiming, { TAPEDECK_OIDC_CREATE: 'any' }) : null;
      const to = fresh ?? listener;
      const { url, errand } = await begin(to);
      const parameters = new URL(url).searchParams;
      const answer = new URLSearchParams({ state: parameters.get('state')!, code: parameters.get('nonce')! });
      assert.equal((await comeBack(to, `${callback}?${answer}`, [errand])).to, expected);
    });
  }
});

test('a provider that described itself wrongly is asked again', async () => {
  await using provider = await startClaimsProvider();
  await using listener = await startBeside(provider);
  provider.tell({ otherIssuer: 'https://other.example' });
  const refusal = await makeClient(listener).refuse(contract.beginProviderSignIn, { body: {} });
  assert.match(refusal, /provider_(?:refused|unavailable)$/);
  provider.tell({});
  await begin(listener);
});

test('reports an unavailable provider, and its users can sign in another way', async () => {
  const stopped = await startClaimsProvider();
  await stopped[Symbol.asyncDispose]();
  await using lonely = await startBeside(stopped);
  const person = await addPerson(lonely, { isOwner: true });
  const refusal = '503 provider_unavailable';
  assert.equal(await makeClient(lonely).refuse(contract.beginProviderSignIn, { body: {} }), refusal);
  assert.equal(await person.refuse(contract.beginLinking, { body: { password } }), refusal);
});
