/** Tests passkeys in a real browser with its virtual authenticator: adding, using, refusing, removing. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getState } from '@tapedeck/contract/accounts';
import * as contract from '@tapedeck/contract/passkeys';
import type { CDPSession, Page } from 'playwright-core';
import { makeClient } from '../../server/tests/support/client.ts';
import { addPerson, type Person, password } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, signIn } from './steps.ts';

const patienceMs = 60_000; // the browser generates keys, maybe on a busy machine

let service: TestService;
let browser: TestBrowser;
let person: Person;
let visitor: WatchedPage;
let page: Page;
let cdp: CDPSession;
let authenticatorId: string;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(`http://localhost:${new URL(service.url).port}`);
  await addPerson(service, { isOwner: true });
  person = await addPerson(service, { roles: { default: 'member' } });
  visitor = await browser.openPage();
  page = visitor.page;
  page.setDefaultTimeout(patienceMs);
  cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  ({ authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options }));
  await page.goto('/account');
  await signIn(page, { email: person.email, password });
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function tryToEnter(): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/sign-in?back=/account');
  await press(page, 'Use a passkey');
}

test('registers a passkey after asking for the password, and signs in with it alone', async () => {
  await press(page, 'Add a passkey');
  await page.getByLabel('Name').and(page.locator(':focus')).fill('Laptop');
  await page.getByLabel('Your password').fill('wrong password');
  await press(page, 'Continue');
  await page.getByText('The password is wrong.').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.getByLabel('Your password').fill(password);
  await press(page, 'Continue');
  await page.getByText('Laptop').waitFor();
  await page.getByText('not used yet').waitFor();
  await tryToEnter();
  await page.getByText('by passkey').waitFor();
  await page.getByText('used just now').waitFor();
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(visitor.takeRefusals(), ['401 POST /api/manage/me/passkeys']);
});

test('refuses a second passkey of the same device', async () => {
  await press(page, 'Add a passkey');
  await page.getByLabel('Name').fill('Again');
  await page.getByLabel('Your password').fill(password);
  await press(page, 'Continue');
  await page.getByText('This device already has a passkey for your account.').waitFor();
  await press(page, 'Cancel');
});

test('accepts a sign-in response once, for its challenge, origin and passkey only', async () => {
  const client = makeClient(service);
  const asked = page.waitForRequest('**/api/manage/sign-in/passkey');
  await tryToEnter();
  type Sent = {
    ticket: string;
    credential: { id: string; rawId: string; type: 'public-key'; response: Record<string, string> };
  };
  const sent = (await asked).postDataJSON() as Sent;
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  const { ticket } = await client.call(contract.beginPasskeySignIn);
  const { credential } = sent;
  const altered = (name: string, text: string) => ({
    ...sent,
    ticket,
    credential: { ...credential, response: { ...credential.response, [name]: text } },
  });
  const data = JSON.parse(Buffer.from(credential.response.clientDataJSON!, 'base64url').toString()) as object;
  const challenge = Buffer.from('x'.repeat(32)).toString('base64url');
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const rows: [object, string][] = [
    [sent, '401 sign_in_failed'], // its counter, or its ticket, was already used
    [{ ...sent, ticket }, '401 sign_in_failed'],
    [{ ...sent, ticket: 'made up' }, '410 ticket_expired'],
    [{ ...sent, ticket, credential: { ...credential, id: 'other', rawId: 'other' } }, '401 sign_in_failed'],
    [altered('clientDataJSON', encode({ ...data, challenge })), '401 sign_in_failed'],
    [altered('clientDataJSON', encode({ ...data, origin: 'https://evil.example' })), '401 sign_in_failed'],
  ];
  for (const [body, expected] of rows)
    assert.equal(await client.refuse(contract.signInByPasskey, { body: body as never }), expected);
  assert.equal(await client.refuse(contract.signInByPasskey, { body: sent as never }), '429 sign_in_slowed');
  service.clock.advance(61 * 60_000);
});

test('refuses an invalid registration response or ticket', async () => {
  const { ticket, options } = await person.call(contract.beginPasskey, { body: { password } });
  assert.equal(options.rp.id, 'localhost');
  const response = { clientDataJSON: 'e30', attestationObject: 'oA' };
  const credential = { id: 'made-up', rawId: 'made-up', type: 'public-key' as const, response };
  const body = { ticket, name: 'x', credential };
  assert.equal(await person.refuse(contract.addPasskey, { body }), '400 passkey_refused');
  const late = { body: { ...body, ticket: 'made up' } };
  assert.equal(await person.refuse(contract.addPasskey, late), '410 ticket_expired');
  const params = { passkey: 'nothing' };
  assert.equal(await person.refuse(contract.removePasskey, { params }), '404 not_found');
});

test('refuses a device that does not verify its user', async () => {
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await tryToEnter();
  await page.getByText('No passkey was used').waitFor();
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await press(page, 'Use a passkey');
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
});

test('refuses a removed passkey', async () => {
  await press(page, 'Remove Laptop');
  await page.getByText('None yet.').waitFor();
  visitor.takeRefusals();
  await tryToEnter();
  await page.getByText('This passkey is not registered here').waitFor();
  assert.deepEqual(visitor.takeRefusals(), ['401 POST /api/manage/sign-in/passkey']);
});

test('fits on a phone, and offers no passkeys without a secure address', async () => {
  await signIn(page, { email: person.email, password });
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  assert.deepEqual(await findMisfits(page, '/account'), []);
  assert.deepEqual(browser.troubles, []);
  await using plain = await startTestService({ environment: { TAPEDECK_PUBLIC_URL: 'http://tape.example' } });
  assert.equal((await makeClient(plain).call(getState)).passkeys, false);
  assert.equal((await makeClient(service).call(getState)).passkeys, true);
});
